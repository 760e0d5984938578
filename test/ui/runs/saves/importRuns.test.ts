// Which of the files that were dropped or chosen belong to one run.
import { describe, expect, it } from "vitest";
import { type PlacedFile, runsAmong } from "../../../../src/ui/runs/saves/importRuns.ts";

const at = (...paths: readonly string[]): PlacedFile[] => paths.map((path) => ({ path, read: async () => new Uint8Array() }));
const found = (...paths: readonly string[]) => runsAmong(at(...paths)).map(({ name, files }) => [name, files.map(({ path }) => path)]);

describe("runs among files", () => {
  const run = ["sum/run.json", "sum/save/save.json", "sum/save/0.bin", "sum/save/7.bin", "sum/checkpoints/last.rollout-lab"];

  it("are folders with a list of a save, each with the files beside that; checkpoints are the same run", () => {
    expect(found(...run)).toEqual([["sum", ["sum/save/save.json", "sum/save/0.bin", "sum/save/7.bin"]]]);
    expect(found(...run.map((path) => `runs/${path}`), "runs/b/save/save.json").map(([name]) => name)).toEqual(["runs/sum", "runs/b"]);
    expect(found("save/save.json", "save/0.bin")).toEqual([["save", ["save/save.json", "save/0.bin"]]]);
  });

  it("have what is written on them, which lies in their folder too", () => {
    expect(found(...run, "sum/label.json", "label.json")[0]![1]).toEqual([
      "sum/save/save.json",
      "sum/save/0.bin",
      "sum/save/7.bin",
      "sum/label.json",
    ]);
  });

  it("have the conversations that lie in their folder", () => {
    const records = (...paths: readonly string[]) => runsAmong(at(...paths)).map((each) => each.records?.path);
    expect(records(...run, "sum/trajectories.jsonl", "other/trajectories.jsonl")).toEqual(["sum/trajectories.jsonl"]);
    expect(records(...run)).toEqual([undefined]);
  });

  it("are files by themselves, and in a folder without such a list those that end as saved runs do", () => {
    expect(found("run-abc.rollout-lab", "photo.png").map(([name]) => name)).toEqual(["run-abc.rollout-lab", "photo.png"]);
    expect(found("checkpoints/best.rollout-lab", "checkpoints/notes.txt").map(([name]) => name)).toEqual(["checkpoints/best.rollout-lab"]);
  });

  it("are none in a folder of something else", () => {
    expect(found("photos/a.png", "photos/b.png")).toEqual([]);
  });
});
