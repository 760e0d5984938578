// The screen Sweep: one or two settings over several values and seeds, trained by a queue of workers; set up, going on, or long over.
import { useEffect } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { hashOf, parseRoute, useHash } from "../../engine/route.ts";
import { dateText } from "../../engine/saves/saveTexts.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { CompareKinds } from "../compare/CompareKinds.tsx";
import type { KeptSweep } from "./keptSweeps.ts";
import { SweepBoard, sweptTitle } from "./SweepBoard.tsx";
import { SweepSetup } from "./setup/SweepSetup.tsx";
import { useSweepAddress } from "./setup/sweepAddress.ts";
import { readSweeps } from "./sweepActions.ts";
import { useSweeps } from "./sweepStore.ts";
import "../compare/compare.css";
import "../compare/result/raceTable.css";
import "../../kit/verdict/verdict.css";
import "./sweep.css";

function SweepList({
  kept,
  catalog,
  shown,
}: {
  readonly kept: readonly KeptSweep[];
  readonly catalog: Catalog;
  readonly shown: string | null;
}) {
  const going = useSweeps((facts) => facts.going);
  const paused = useSweeps((facts) => facts.paused);
  if (kept.length === 0) return null;
  return (
    <section className="sweep-list" aria-labelledby="sweep-list">
      <h2 id="sweep-list">Sweeps of this browser</h2>
      <ul>
        {kept.map(({ id, plan, createdAt }) => (
          <li key={id}>
            <a href={hashOf("sweep", new URLSearchParams({ id }))} aria-current={id === shown || undefined}>
              {plan.name.replace(/^s/, "S")}: {sweptTitle(catalog, plan)}
            </a>
            <span className="fine-print">{id === going ? (paused ? "paused" : "goes on") : dateText(createdAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoSweep() {
  return (
    <section className="compare-empty">
      <h2>Which value is best?</h2>
      <p>
        A sweep trains the same settings with one or two of them at several values, each combination from several seeds. The runs wait in a
        queue and train beside each other, as many at once as this machine has cores and memory for. Every combination has a small chart of
        its own, all with the same axes, and a table says what each reached, with its interval, and what the differences are worth.
      </p>
      <p>
        It can be paused, cancelled, and gone on with after the page was closed: its runs are kept as they train, tagged with the sweep’s
        name, and stand on <a href={hashOf("runs")}>Runs</a> like all others.
      </p>
    </section>
  );
}

function Problem() {
  const problem = useSweeps((facts) => facts.problem);
  return <div role="alert">{problem !== null && <p className="save-problem">{problem}</p>}</div>;
}

export function SweepScreen() {
  const catalog = useEngine((facts) => facts.catalog);
  const reason = useEngine((facts) => facts.storageProblem);
  const kept = useSweeps((facts) => facts.kept);
  const id = parseRoute(useHash()).query.get("id");
  useSweepAddress(catalog);
  useEffect(() => void readSweeps(), []);
  const sweep = kept?.find((each) => each.id === id);
  return (
    <div className="compare">
      <section className="compare-setup" aria-label="Set-up">
        <CompareKinds current="sweep" />
        {!catalog && <p className="pane-note aside">The engine is loading …</p>}
        {catalog && id === null && <SweepSetup catalog={catalog} />}
        {catalog && id !== null && (
          <p>
            <a href="#/sweep">Set up another sweep</a>
          </p>
        )}
        {catalog && kept && <SweepList kept={kept} catalog={catalog} shown={id} />}
      </section>
      <div className="compare-board stack">
        {!sweep && <h1 className="visually-hidden">Sweep</h1>}
        <Problem />
        {reason !== null && <p className="save-problem">Nothing is saved at present, so a sweep would be lost with the page: {reason}</p>}
        {id === null && <NoSweep />}
        {id !== null && kept === null && <p className="aside">Looking for the sweep …</p>}
        {id !== null && kept !== null && !sweep && (
          <p>
            This sweep is not kept in this browser. It may have been made in another one; a copied link brings its settings.{" "}
            <a href="#/sweep">Set one up</a>
          </p>
        )}
        {sweep && catalog && <SweepBoard key={sweep.id} sweep={sweep} catalog={catalog} />}
      </div>
    </div>
  );
}
