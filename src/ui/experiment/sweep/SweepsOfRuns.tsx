// Sweeps on the screen Runs: the newest of them, with how far their runs are, and the one that a run belongs to.

import { memo, useEffect } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { hashOf } from "../../engine/route.ts";
import { isOver } from "../../engine/saves/saveTexts.ts";
import type { KeptSweep } from "./keptSweeps.ts";
import { sweptTitle } from "./SweepBoard.tsx";
import { readSweeps } from "./sweepActions.ts";
import { useSweeps } from "./sweepStore.ts";

/** Sweeps that are listed here. */
const FEW = 4;

function useKeptSweeps(): readonly KeptSweep[] {
  useEffect(() => void readSweeps(), []);
  return useSweeps((facts) => facts.kept) ?? [];
}

function SweepLink({ sweep: { id, plan }, catalog }: { readonly sweep: KeptSweep; readonly catalog: Catalog }) {
  return (
    <a href={hashOf("sweep", new URLSearchParams({ id }))}>
      {plan.name.replace(/^s/, "S")}: {sweptTitle(catalog, plan)}
    </a>
  );
}

interface SweepsProps {
  readonly rows: readonly SaveSummary[];
  readonly catalog: Catalog;
}

export const SweepsOfRuns = memo(function SweepsOfRuns({ rows, catalog }: SweepsProps) {
  const kept = useKeptSweeps();
  const going = useSweeps((facts) => facts.going);
  const paused = useSweeps((facts) => facts.paused);
  if (kept.length === 0) return null;
  const done = new Set(rows.filter(isOver).map(({ runId }) => runId));
  return (
    <section className="runs-examples" aria-labelledby="runs-sweeps">
      <h2 id="runs-sweeps">Sweeps</h2>
      <ul>
        {kept.slice(0, FEW).map((sweep) => (
          <li key={sweep.id}>
            <SweepLink sweep={sweep} catalog={catalog} />{" "}
            <span className="aside">
              {sweep.plan.runs.filter(({ runId }) => done.has(runId)).length} of {counted(sweep.plan.runs.length, "run")} finished
              {sweep.id === going && (paused ? ", paused" : ", goes on")}
            </span>
          </li>
        ))}
        {kept.length > FEW && (
          <li>
            <a href="#/sweep">All {kept.length} sweeps</a>
          </li>
        )}
      </ul>
    </section>
  );
});

/** The sweep that a run is of; nothing where it is of none. */
export function SweepOfRun({ runId, catalog }: { readonly runId: string; readonly catalog: Catalog }) {
  const sweep = useKeptSweeps().find(({ plan }) => plan.runs.some((run) => run.runId === runId));
  if (!sweep) return null;
  return (
    <p className="aside">
      A run of <SweepLink sweep={sweep} catalog={catalog} />.
    </p>
  );
}
