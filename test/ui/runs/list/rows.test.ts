// The rows of the table of runs: found, filtered, sorted, and those that could make room.
import { describe, expect, it } from "vitest";
import type { SaveSummary } from "../../../../src/protocol/run/runSummary.ts";
import { ALL_ROWS, rowsFor, sparesOf, valuesOf } from "../../../../src/ui/runs/list/rows.ts";
import { labelWith } from "../../../../src/ui/runs/list/runActions.ts";
import { tableConfig } from "../../engine/store/events.ts";

const row = (runId: string, change: Partial<SaveSummary> = {}): SaveSummary => ({
  ...{ runId, name: runId, label: {}, step: 10, savedAt: 1, bytes: 100, config: tableConfig },
  ...change,
});
const digest = (verdict: "solved" | "falling", accuracy: number | null) => ({
  digest: { measure: "reward" as const, final: 1, accuracy, verdict, curve: [0, 1] } satisfies SaveSummary["digest"],
});
const all = [
  row("old", { savedAt: 1, name: "Calculator, seed 2", ...digest("solved", 0.9) }),
  row("new", { savedAt: 3, name: "Digit sum", label: { tags: ["paper"], notes: "see figure 3" } }),
  row("pinned", { savedAt: 2, label: { isPinned: true }, ...digest("falling", 0.2) }),
  row("spoilt", { savedAt: 9, config: null, problem: "its log is cut short" }),
];
const found = (change: object) => rowsFor(all, { ...ALL_ROWS, ...change }).map(({ runId }) => runId);

describe("the rows of the table", () => {
  it("stand with the newest first, pinned ones before all and those that cannot be read after all", () => {
    expect(found({})).toEqual(["pinned", "new", "old", "spoilt"]);
  });

  it("are those in which every word is found, in names, tags, notes, ids or verdicts", () => {
    expect(found({ text: "FIGURE paper" })).toEqual(["new"]);
    expect(found({ text: "seed calculator" })).toEqual(["old"]);
    expect(found({ text: "solved" })).toEqual(["old"]);
    expect(found({ text: "paper solved" })).toEqual([]);
  });

  it("are narrowed by tag, verdict, task and algorithm", () => {
    expect(found({ tag: "paper" })).toEqual(["new"]);
    expect(found({ verdict: "falling" })).toEqual(["pinned"]);
    expect(found({ task: tableConfig.task })).toEqual(["pinned", "new", "old"]);
    expect(found({ algorithm: "no such" })).toEqual([]);
  });

  it("are sorted either way, what has no value last", () => {
    expect(found({ sort: "right", isDescending: true, text: "" })).toEqual(["pinned", "old", "new", "spoilt"]);
    const loose = all.map((each) => ({ ...each, label: {} }));
    const sorted = (isDescending: boolean) => rowsFor(loose, { ...ALL_ROWS, sort: "right", isDescending }).map(({ runId }) => runId);
    expect(sorted(true)).toEqual(["old", "pinned", "new", "spoilt"]);
    expect(sorted(false)).toEqual(["pinned", "old", "new", "spoilt"]);
  });

  it("offer each value of a filter once", () => {
    expect(valuesOf(all, ({ config }) => (config ? [config.task] : []))).toEqual([tableConfig.task]);
  });
});

it("runs that could make room are named by why, those that somebody has written on never", () => {
  const now = 1e12;
  const runs = [
    row("spoilt", { config: null, bytes: 7, savedAt: now }),
    row("young", { step: 2, bytes: 5, savedAt: now }),
    row("old", { savedAt: now - 31 * 24 * 3_600_000, bytes: 11 }),
    row("old and named", { savedAt: now - 31 * 24 * 3_600_000, label: { name: "x" } }),
    row("fresh", { savedAt: now }),
  ];
  expect(sparesOf(runs, now).map(({ runIds, bytes }) => [runIds, bytes])).toEqual([
    [["spoilt"], 7],
    [["young"], 5],
    [["old"], 11],
  ]);
});

it("a label keeps what a change does not name, and loses what is emptied", () => {
  expect(labelWith({ name: "a", tags: ["x"] }, { notes: "n" })).toEqual({ name: "a", tags: ["x"], notes: "n" });
  expect(labelWith({ name: "a", tags: ["x"], isPinned: true }, { name: null, tags: [], isPinned: null })).toEqual({});
});
