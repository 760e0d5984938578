// What can be done with runs on the screen Runs: writing on them, opening, forking, comparing, downloading.
import { errorText } from "../../../protocol/problems.ts";
import type { RunLabel } from "../../../protocol/run/runLabel.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { newRunId } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { goTo } from "../../engine/route.ts";
import { goOnWith, openSaved, replayRun } from "../../engine/saves/saveActions.ts";
import { untilRead } from "../../engine/sourcesRead.ts";
import { MOST_RUNS } from "../../experiment/plan/setup.ts";
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import { saveFile } from "../../kit/files.ts";
import { choose, useRuns } from "./runsStore.ts";

/** Asks the engine for something; why it did not come is said on this screen alone. */
async function tried<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    const result = await work();
    useRuns.setState({ problem: null });
    return result;
  } catch (error) {
    useRuns.setState({ problem: errorText(error), said: null });
    return null;
  }
}

/** A label without what is empty. */
export function labelWith(label: RunLabel, change: { readonly [K in keyof RunLabel]?: RunLabel[K] | null }): RunLabel {
  const all = Object.entries({ ...label, ...change });
  const isWritten = (value: unknown) => value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(all.filter(([, value]) => isWritten(value)));
}

/** Labels on their way to the saves: what is written meanwhile adds to these, since the rows do not have them yet. */
const onTheirWay = new Map<string, { readonly label: RunLabel; readonly orders: number }>();

function arrived(runId: string): void {
  const { label, orders } = onTheirWay.get(runId)!;
  if (orders > 1) onTheirWay.set(runId, { label, orders: orders - 1 });
  else onTheirWay.delete(runId);
}

/** Writes on runs; each keeps what the change does not name, also what was written a moment ago. */
export function writeOn(rows: readonly SaveSummary[], change: (label: RunLabel) => RunLabel): Promise<unknown> {
  const asked = rows.map(({ runId, label: listed }) => {
    const before = onTheirWay.get(runId);
    const label = change(before?.label ?? listed);
    onTheirWay.set(runId, { label, orders: (before?.orders ?? 0) + 1 });
    return engine.request({ type: "label", runId, label }).finally(() => arrived(runId));
  });
  return tried(() => Promise.all(asked));
}

/** Goes to the run's screens, where it stands still or plays. */
export function openKeptRun(runId: string): void {
  goTo("train");
  replayRun(runId);
}

export function goOnWithRun(runId: string): void {
  goTo("train");
  goOnWith(runId);
}

/** Goes on from an earlier step as another run, under one other setting. Resolves to whether it did. */
export async function forkFrom(runId: string, step: number, settings: Readonly<Record<string, unknown>>): Promise<boolean> {
  const save = engine.facts.getState().saves?.find((each) => each.runId === runId);
  const forked = await tried(async () => {
    await untilRead(save?.config ?? {}, settings);
    await engine.request({ type: "fork", runId, step, settings, forkAs: newRunId(), paused: true });
    return true;
  });
  if (forked) goTo("train");
  return forked === true;
}

export function compareRuns(runIds: readonly string[]): void {
  goTo("compare", new URLSearchParams({ runs: runIds.join(",") }));
}

/** The whole run, weights and all, as the file that goes on from it. */
export async function downloadRun(runId: string): Promise<void> {
  const file = await tried(() => engine.request({ type: "read-save", runId }));
  if (file) saveFile(file.name, new Blob([file.bytes as Uint8Array<ArrayBuffer>]));
}

/** The run to be looked at elsewhere: its records and conversations without weights. */
export async function shareRun(runId: string): Promise<void> {
  const file = await tried(() => engine.request({ type: "export-rollout", runId, checkpoint: false }));
  if (file) saveFile(file.name, new Blob([file.bytes as Uint8Array<ArrayBuffer>]));
}

/** Opens a run, and then all forms in which it can leave the page. */
export async function exportRun(runId: string): Promise<void> {
  const { runId: here } = engine.view.facts.getState();
  goTo("train");
  if (here !== runId) await openSaved(runId);
  if (engine.view.facts.getState().runId === runId) openDialog("export");
}

/** Compares a run with those that are chosen, else with the one on screen; where there is neither, it is the first that is chosen. */
export function compareWith(runId: string): void {
  const { chosen } = useRuns.getState();
  const { runId: here, step } = engine.view.facts.getState();
  const others = chosen.size > 0 ? [...chosen] : here !== null && step > 0 ? [here] : [];
  const all = [...new Set([...others, runId])];
  if (all.length > MOST_RUNS) useRuns.setState({ problem: `At most ${MOST_RUNS} runs are compared, got ${all.length}` });
  else if (all.length > 1) compareRuns(all);
  else {
    choose([runId], true);
    useRuns.setState({ said: "Chosen. Choose another run to compare it with." });
  }
}
