// The screens Compare and Sweep: an experiment is set up beside what it has come to. Configurations race from the same seeds, a run is set
// against its branches or against others that are kept, one or two settings are swept over many values.
import { useEffect } from "react";
import type { Catalog } from "../../protocol/catalog.ts";
import { hashOf } from "../engine/route.ts";
import { dateText } from "../engine/saves/saveTexts.ts";
import { useEngine } from "../engine/store/useRunView.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Problem } from "../kit/controls/States.tsx";
import { CompareKinds } from "./CompareKinds.tsx";
import { KeptBoard, KeptSetup } from "./kept/KeptRuns.tsx";
import { useSetupAddress } from "./plan/address.ts";
import { type Setup, show, useSetups } from "./plan/setup.ts";
import { experimentTitle } from "./plan/varied.ts";
import { Board } from "./result/Board.tsx";
import { readExperiments } from "./run/actions.ts";
import { useExperiments } from "./run/experiments.ts";
import { ExperimentSetup } from "./setup/ExperimentSetup.tsx";
import { ForkSetup } from "./setup/ForkSetup.tsx";
import { NoRace, NoSweep } from "./setup/NothingShown.tsx";
import { shapeOf } from "./shapes/index.ts";
import type { Shape } from "./shapes/shape.ts";
import "./experiment.css";
import "./result/resultTable.css";
import "../kit/verdict/verdict.css";
import "./sweep.css";

/** The kept experiments of a screen, newest first. */
function KeptList({
  catalog,
  screen,
  shown,
}: {
  readonly catalog: Catalog;
  readonly screen: Shape["screen"];
  readonly shown: string | null;
}) {
  const all = useExperiments((facts) => facts.kept);
  const going = useExperiments((facts) => facts.going);
  const paused = useExperiments((facts) => facts.paused);
  const kept = (all ?? []).filter(({ plan }) => shapeOf(plan.shape).screen === screen);
  if (kept.length === 0) return null;
  const titles = [...new Set(kept.map(({ plan }) => shapeOf(plan.shape).title))];
  return (
    <section className="sweep-list" aria-labelledby="sweep-list">
      <h2 id="sweep-list">{titles.length === 1 ? `${titles[0]}s` : "Experiments"} of this browser</h2>
      <ul>
        {kept.map((experiment) => (
          <li key={experiment.id}>
            <a href={hashOf(screen, new URLSearchParams({ id: experiment.id }))} aria-current={experiment.id === shown || undefined}>
              {experimentTitle(catalog, experiment.plan)}
            </a>
            <span className="fine-print">{experiment.id === going ? (paused ? "paused" : "goes on") : dateText(experiment.createdAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SideProps {
  readonly catalog: Catalog | null;
  readonly setup: Setup;
}

function SetupSide({ catalog, setup }: SideProps) {
  const { screen, setup: way } = shapeOf(setup.kind);
  if (way === "kept") return <KeptSetup />;
  if (!catalog) return <p className="pane-note aside">The engine is loading …</p>;
  return (
    <>
      {way === "branch" && <ForkSetup catalog={catalog} setup={setup} />}
      {way === "values" && (screen === "compare" || setup.shown === null) && <ExperimentSetup catalog={catalog} setup={setup} />}
      {screen === "sweep" && setup.shown !== null && (
        <p>
          <a href="#/sweep">Set up another sweep</a>
        </p>
      )}
      <KeptList catalog={catalog} screen={screen} shown={setup.shown} />
    </>
  );
}

/** What stands on the board where nothing was trained yet, or what was is not kept here. */
function Nothing({ shape: { screen, words }, shown }: { readonly shape: Shape; readonly shown: string | null }) {
  const kept = useExperiments((facts) => facts.kept);
  if (shown === null) return screen === "sweep" ? <NoSweep /> : <NoRace />;
  if (kept === null) return <p className="aside">Looking for the {words.what} …</p>;
  return (
    <p>
      This {words.what} is not kept in this browser. It may have been made in another one; a copied link brings its settings.{" "}
      <Button kind="quiet" onPress={() => show(screen, null)}>
        Set one up
      </Button>
    </p>
  );
}

function BoardSide({ catalog, setup: { kind, shown } }: SideProps) {
  const reason = useEngine((facts) => facts.storageProblem);
  const problem = useExperiments((facts) => facts.problem);
  const experiment = useExperiments(({ kept }) => kept?.find(({ id }) => id === shown));
  const shape = shapeOf(experiment?.plan.shape ?? kind);
  const chosen = shapeOf(kind);
  if (chosen.setup === "kept") return <KeptBoard shape={chosen} />;
  return (
    <>
      <Problem text={problem} />
      {reason !== null && (
        <p className="save-problem">
          Nothing is saved at present, so a {shape.words.what} would be lost with the page: {reason}
        </p>
      )}
      {experiment && catalog && <Board key={experiment.id} experiment={experiment} shape={shape} catalog={catalog} />}
      {!experiment && <Nothing shape={shape} shown={shown} />}
    </>
  );
}

function ExperimentScreen({ screen, title }: { readonly screen: Shape["screen"]; readonly title: string }) {
  const catalog = useEngine((facts) => facts.catalog);
  const setup = useSetups((all) => all[screen]);
  const hasTitle = useExperiments(({ kept }) => shapeOf(setup.kind).setup !== "kept" && kept?.some(({ id }) => id === setup.shown));
  useSetupAddress(catalog, screen);
  useEffect(() => void readExperiments(), []);
  return (
    <div className="compare grid">
      {!hasTitle && <h1 className="visually-hidden">{title}</h1>}
      <section className="compare-setup" aria-label="Set-up">
        <CompareKinds current={setup.kind} />
        <SetupSide catalog={catalog} setup={setup} />
      </section>
      <div className="compare-board stack content-start gap-3">
        <BoardSide catalog={catalog} setup={setup} />
      </div>
    </div>
  );
}

export const CompareScreen = () => <ExperimentScreen screen="compare" title="Compare" />;
export const SweepScreen = () => <ExperimentScreen screen="sweep" title="Sweep" />;
