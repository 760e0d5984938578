// Deleting runs from the table: how many, until when it can be undone, and what is said meanwhile.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SaveSummary } from "../../../../src/protocol/run/runSummary.ts";
import { engine } from "../../../../src/ui/engine/client.ts";
import { chosenText } from "../../../../src/ui/runs/list/ChosenBar.tsx";
import { deletableOf, deleteSoon, NO_RUNS, undoDelete, useRuns } from "../../../../src/ui/runs/list/runsStore.ts";

beforeEach(() => {
  vi.useFakeTimers();
  useRuns.setState(NO_RUNS);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("the run on screen is none of those that can be deleted, unless it is a recording", () => {
  expect(deletableOf(["a", "b"], { runId: "a", recording: null })).toEqual(["b"]);
  expect(deletableOf(["a", "b"], { runId: "a", recording: { lastStep: 3 } })).toEqual(["a", "b"]);
});

it("chosen runs that nobody sees, or that are pinned, are counted", () => {
  const row = (runId: string, isPinned = false) => ({ runId, label: isPinned ? { isPinned } : {} }) as SaveSummary;
  const [seen, hidden, pinned] = [row("a"), row("b"), row("c", true)];
  expect(chosenText([seen, hidden, pinned], [seen, pinned])).toBe("3 chosen, 1 of them hidden by the filter, 1 pinned");
  expect(chosenText([seen], [seen])).toBe("1 chosen");
});

it("a deletion can be undone until it is carried out, and is called done only where it was", async () => {
  let refuse: (reason: Error) => void = () => {};
  const request = vi
    .spyOn(engine, "request")
    .mockImplementation(() => new Promise((_, reject) => (refuse = reject)) as ReturnType<typeof engine.request>);
  deleteSoon(["a"]);
  undoDelete();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(request).not.toHaveBeenCalled();
  deleteSoon(["a"]);
  expect(useRuns.getState()).toMatchObject({ leaving: ["a"], canUndo: true, said: null });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(request).toHaveBeenCalledWith({ type: "delete-save", runId: "a" });
  undoDelete();
  expect(useRuns.getState()).toMatchObject({ leaving: ["a"], canUndo: false, said: null });
  refuse(new Error("another tab of this browser has the run a"));
  await vi.advanceTimersByTimeAsync(0);
  expect(useRuns.getState()).toMatchObject({ leaving: [], said: null, problem: "another tab of this browser has the run a" });
});
