// The kept runs as the screen Runs shows them: the search, the chosen rows, what was brought, and runs that are about to be deleted.
// Deleting waits a while, so that it can be undone: until then nothing of a run is touched, and a page that closes has deleted nothing.
import { create } from "zustand";
import { errorText } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";
import { engine } from "../../engine/client.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import { ALL_ROWS, type RowQuery } from "./rows.ts";

/** How long a deletion can be undone. */
const UNDO_MS = 8_000;

interface RunsFacts {
  readonly query: RowQuery;
  readonly page: number;
  readonly chosen: ReadonlySet<string>;
  /** Runs that are hidden already and deleted soon, and whether that can still be undone. */
  readonly leaving: readonly string[];
  readonly canUndo: boolean;
  /** What came of the last thing done, as a sentence. */
  readonly said: string | null;
  readonly problem: string | null;
  /** What came of the last runs that were brought from elsewhere; null before. */
  readonly brought: { readonly added: readonly string[]; readonly problems: readonly string[] } | null;
  readonly isBringing: boolean;
}

export const NO_RUNS: RunsFacts = {
  query: ALL_ROWS,
  page: 0,
  chosen: new Set(),
  leaving: [],
  canUndo: false,
  said: null,
  problem: null,
  brought: null,
  isBringing: false,
};
export const useRuns = create<RunsFacts>()(() => NO_RUNS);

export function ask(change: Partial<RowQuery>): void {
  useRuns.setState(({ query }) => ({ query: { ...query, ...change }, page: 0 }));
}

export function choose(runIds: readonly string[], isChosen: boolean): void {
  useRuns.setState(({ chosen }) => {
    const next = new Set(chosen);
    for (const runId of runIds) {
      if (isChosen) next.add(runId);
      else next.delete(runId);
    }
    return { chosen: next };
  });
}

let timer: ReturnType<typeof setTimeout> | null = null;

async function deleteNow(runIds: readonly string[]): Promise<void> {
  const outcomes = await Promise.allSettled(runIds.map((runId) => engine.request({ type: "delete-save", runId })));
  const problems = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [errorText(outcome.reason)] : []));
  const gone = runIds.length - problems.length;
  useRuns.setState(({ leaving }) => ({
    leaving: leaving.filter((runId) => !runIds.includes(runId)),
    said: gone > 0 ? `${counted(gone, "run")} deleted.` : null,
    problem: problems.length > 0 ? problems.join(" ") : null,
  }));
}

/** Carries out what was to be deleted, without waiting longer. */
function deleteWaiting(): void {
  if (timer === null) return;
  clearTimeout(timer);
  timer = null;
  useRuns.setState({ canUndo: false });
  void deleteNow(useRuns.getState().leaving);
}

export const HERE_STAYS = "The run on screen stays: Reset on the Train screen ends it and deletes its save.";

/** Those of some runs that can be deleted. The run on screen stays: its save goes with it. */
export function deletableOf(runIds: readonly string[], { runId: here, recording }: Pick<RunFacts, "runId" | "recording">) {
  return runIds.filter((runId) => runId !== here || recording !== null);
}

/** Takes runs out of sight, and deletes them unless that is undone. */
export function deleteSoon(runIds: readonly string[]): void {
  deleteWaiting();
  const leaving = deletableOf(runIds, engine.view.facts.getState());
  const problem = leaving.length < runIds.length ? HERE_STAYS : null;
  choose(runIds, false);
  useRuns.setState({ leaving, canUndo: leaving.length > 0, said: null, problem });
  if (leaving.length > 0) timer = setTimeout(deleteWaiting, UNDO_MS);
}

/** Nothing once the runs are on their way out. */
export function undoDelete(): void {
  if (timer === null) return;
  clearTimeout(timer);
  timer = null;
  const { leaving } = useRuns.getState();
  useRuns.setState({ leaving: [], canUndo: false, said: `${counted(leaving.length, "run")} kept.` });
}
