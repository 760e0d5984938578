// Experiments on the screen Runs: the newest of them, with how far their runs are, and the one that a run belongs to.
import { memo, useEffect } from "react";
import { counted } from "../../protocol/quantities.ts";
import type { SaveSummary } from "../../protocol/run/runSummary.ts";
import { hashOf } from "../engine/route.ts";
import { isOver } from "../engine/saves/saveTexts.ts";
import { useCatalog } from "../engine/store/useRunView.ts";
import { experimentTitle } from "./plan/varied.ts";
import { readExperiments } from "./run/actions.ts";
import { useExperiments } from "./run/experiments.ts";
import type { KeptExperiment } from "./run/keptExperiments.ts";
import { shapeOf } from "./shapes/index.ts";

/** Experiments that are listed here. */
const FEW = 4;

function useKeptExperiments(): readonly KeptExperiment[] {
  useEffect(() => void readExperiments(), []);
  return useExperiments((facts) => facts.kept) ?? [];
}

function ExperimentLink({ experiment }: { readonly experiment: KeptExperiment }) {
  const { screen } = shapeOf(experiment.plan.shape);
  return <a href={hashOf(screen, new URLSearchParams({ id: experiment.id }))}>{experimentTitle(useCatalog(), experiment.plan)}</a>;
}

interface ExperimentsProps {
  readonly rows: readonly SaveSummary[];
}

export const ExperimentsOfRuns = memo(function ExperimentsOfRuns({ rows }: ExperimentsProps) {
  const kept = useKeptExperiments();
  const going = useExperiments((facts) => facts.going);
  const paused = useExperiments((facts) => facts.paused);
  if (kept.length === 0) return null;
  const done = new Set(rows.filter(isOver).map(({ runId }) => runId));
  const isSwept = kept.every(({ plan }) => shapeOf(plan.shape).screen === "sweep");
  return (
    <section className="side-list" aria-labelledby="runs-sweeps">
      <h2 id="runs-sweeps">{isSwept ? "Sweeps" : "Sweeps and races"}</h2>
      <ul>
        {kept.slice(0, FEW).map((experiment) => (
          <li key={experiment.id}>
            <ExperimentLink experiment={experiment} />{" "}
            <span className="aside">
              {experiment.plan.runs.filter(({ runId }) => done.has(runId)).length} of {counted(experiment.plan.runs.length, "run")} finished
              {experiment.id === going && (paused ? ", paused" : ", goes on")}
            </span>
          </li>
        ))}
        {kept.length > FEW && (
          <li>
            {isSwept ? (
              <a href="#/sweep">All {kept.length} sweeps</a>
            ) : (
              <>
                All of them: <a href="#/sweep">sweeps</a>, <a href="#/compare">races</a>
              </>
            )}
          </li>
        )}
      </ul>
    </section>
  );
});

/** The experiment that a run is of; nothing where it is of none. */
export function ExperimentOfRun({ runId }: { readonly runId: string }) {
  const experiment = useKeptExperiments().find(({ plan }) => plan.runs.some((run) => run.runId === runId));
  if (!experiment) return null;
  return (
    <p className="aside">
      A run of <ExperimentLink experiment={experiment} />.
    </p>
  );
}
