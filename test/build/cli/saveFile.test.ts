// A run as one file, in the form that the page downloads, in the place of a run's folder.

import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { type Found, facts, fails, linesOf, run, type Summary, TABLE, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
const DOWNLOAD = "run-abc.rollout-lab";
/** Records without what measures time. */
const timeless = (path: string) =>
  linesOf(file(path)).map((record) => Object.fromEntries(Object.entries(record).filter(([key]) => !isTimedMetric(key))));

beforeAll(async () => {
  writeFileSync(file("table.yaml"), TABLE);
  await run(["train", "table.yaml", "--out", "runs/whole"], at);
  await run(["train", "table.yaml", "--out", "runs/half", "--set", "steps=20"], at);
  copyFileSync(file("runs/half/checkpoints/last.rollout"), file(DOWNLOAD));
});
afterAll(folder.remove);

describe("a saved run in one file", () => {
  it("is looked at like a run's folder, and written out", async () => {
    expect(await facts<Found>(["eval", DOWNLOAD], alone)).toMatchObject({ run: DOWNLOAD, evaluation: { step: 20 } });
    expect((await facts<Found>(["sample", DOWNLOAD, "--n", "2"], at)).samples).toHaveLength(2);
    const { runs } = await facts<Found>(["compare", DOWNLOAD, "runs/half"], at);
    expect(runs[0]).toMatchObject({ reached: (runs[1] as { readonly reached?: unknown }).reached });
    for (const [to, name] of [
      ["csv", "metrics.csv"],
      ["jsonl", "metrics.jsonl"],
    ] as const) {
      await facts(["export", DOWNLOAD, "--to", to, "--out", "out/file"], at);
      await facts(["export", "half", "--to", to, "--out", "out/folder"], at);
      expect(readFileSync(file("out/file", name), "utf8")).toBe(readFileSync(file("out/folder", name), "utf8"));
    }
    for (const to of ["tensorboard", "report"]) await facts(["export", DOWNLOAD, "--to", to], at);
  });

  it("goes on in a folder of its own, to the same records and weights as one that was never cut", async () => {
    await fails(
      ["train", DOWNLOAD],
      at,
      1,
      /run-abc\.rollout-lab is a saved run: rollout-lab train run-abc\.rollout-lab --resume goes on with it/,
    );
    const found = await facts<Summary>(["train", DOWNLOAD, "--resume", "--set", "steps=40"], alone);
    expect(found).toMatchObject({ run: "runs/run-abc", steps: 40 });
    expect(timeless("runs/run-abc/metrics.jsonl")).toEqual(timeless("runs/whole/metrics.jsonl"));
    const answers = (path: string) => facts<Found>(["sample", path, "--n", "8"], at).then(({ samples }) => samples);
    expect(await answers("runs/run-abc")).toEqual(await answers("runs/whole"));
    await fails(["train", DOWNLOAD, "--resume", "--set", "groupSize=4"], at, 1, /run-abc\.rollout-lab was begun with groupSize/);
  });

  it("goes as a recording without weights and few conversations, is looked at, and goes on from its first step to the same end", async () => {
    const { files } = await facts<Found>(["export", "half", "--to", "rollout", "--out", "out/small", "--most", "20000"], at);
    const { path, bytes } = files[0] as unknown as { readonly path: string; readonly bytes: number };
    expect(path).toBe("out/small/half.rollout");
    expect(bytes).toBeLessThanOrEqual(20_000);
    expect(readFileSync(file(path), "latin1").slice(0, 2)).toBe("PK");
    const { files: whole } = await facts<Found>(["export", "half", "--to", "rollout", "--out", "out/whole", "--weights"], at);
    expect((whole[0] as unknown as { readonly bytes: number }).bytes).toBeGreaterThan(bytes);
    expect(await facts<Found>(["eval", path], at)).toMatchObject({ run: path, evaluation: { step: 20 } });
    const found = await facts<Summary>(["train", path, "--resume", "--out", "runs/again", "--set", "steps=40"], alone);
    expect(found).toMatchObject({ steps: 40 });
    expect(timeless("runs/again/metrics.jsonl")).toEqual(timeless("runs/whole/metrics.jsonl"));
    await fails(["export", "half", "--to", "rollout", "--most", "100"], at, 1, /takes \d+ bytes at least, more than the 100/);
    await fails(["eval", "gone.rollout"], at, 1, /gone\.rollout cannot be read: it is not there/);
  });

  it("that is damaged, or none, is refused by its name", async () => {
    copyFileSync(file(DOWNLOAD), file("cut.rollout-lab"));
    truncateSync(file("cut.rollout-lab"), 300);
    for (const words of [["eval"], ["compare", "whole"], ["serve"], ["train", "--resume"]])
      await fails([words[0]!, "cut.rollout-lab", ...words.slice(1)], at, 1, /cut\.rollout-lab cannot be opened: /);
    await fails(["export", "table.yaml", "--to", "csv"], at, 1, /table\.yaml cannot be opened: it is no saved run/);
    await fails(["export", "gone.rollout-lab", "--to", "csv"], at, 1, /gone\.rollout-lab cannot be read: it is not there/);
    await fails(["train", "table.yaml", "--from", DOWNLOAD], at, 1, /transformer/);
  });
});
