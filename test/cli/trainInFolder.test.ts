// Files are written behind a run: what goes wrong after its last step must still be heard.
import fs from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createRunFolder } from "../../src/cli/folder/runFolder.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import type { WrittenDown } from "../../src/cli/training/recorder.ts";
import { readForms } from "../../src/cli/training/runLogs.ts";
import { trainInFolder } from "../../src/cli/training/trainInFolder.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";

const { appendFileSync } = fs;

/** From what is written of this step on, a file of that name is on a full disk. */
function fillDisk(name: string, step: number): void {
  fs.appendFileSync = (path, data, options) => {
    if (!String(path).endsWith(name) || !String(data).includes(`"step":${step}`)) return appendFileSync(path, data, options);
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  };
  syncBuiltinESMExports();
}

let folder = "";
afterEach(async () => {
  fs.appendFileSync = appendFileSync;
  syncBuiltinESMExports();
  await files.rm(folder, { recursive: true, force: true });
});

/** A run of a table in a folder of its own. */
const train = async (config: RunConfigInput, tell: (type: string) => void, trajectories: WrittenDown = 1, log = "jsonl") =>
  trainInFolder({
    folder: await createRunFolder(join(folder, "run"), { name: "run" }),
    from: { config: { task: "digit-sum", model: "tabular", promptsPerStep: 1, groupSize: 4, evalEvery: 1, ...config }, parent: null },
    host: createNodeHost(),
    trajectories,
    forms: readForms(log),
    progress: { tell: ({ type }) => tell(type), doing() {}, at() {}, end() {} },
    interrupt: { onAsked() {}, isAsked: false },
  });

it.each(["metrics.jsonl", "evaluations.jsonl", "trajectories.jsonl"])(
  "a disk that is full for %s after the last step fails the run",
  async (file) => {
    folder = await files.mkdtemp(join(tmpdir(), "late-"));
    const told: string[] = [];
    fillDisk(file, 2);
    const training = train({ steps: 2 }, (type) => told.push(type));
    await expect(training).rejects.toThrow(new RegExp(`${file}.*no space|${file}.*full`));
    // The run itself had come to its end by then.
    expect(told.filter((type) => type === "step")).toHaveLength(2);
  },
);

it("changes that follow each other at once are written one after another, the last one last", async () => {
  folder = await files.mkdtemp(join(tmpdir(), "changes-"));
  const rates = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
  const changes = rates.map((learningRate, i) => ({ afterStep: i + 1, settings: { learningRate } }));
  await train({ steps: 40, evalEvery: 0, changes }, () => {});
  const config = JSON.parse(await files.readFile(join(folder, "run", "config.json"), "utf8"));
  expect(config.learningRate).toBe(0.8);
  expect(config.changes.slice(-rates.length)).toEqual(changes);
});

const linesOf = async (name: string): Promise<readonly Readonly<Record<string, number>>[]> =>
  (await files.readFile(join(folder, "run", name), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it("writes down every conversation of every step where all are asked for", async () => {
  folder = await files.mkdtemp(join(tmpdir(), "all-"));
  const { summary } = await train({ steps: 7, evalEvery: 0, promptsPerStep: 2 }, () => {}, "all");
  const written = (await linesOf("trajectories.jsonl")).map(({ step, prompt, member }) => `${step} ${prompt} ${member}`);
  expect(new Set(written).size).toBe(7 * 2 * 4);
  expect(written).toHaveLength(7 * 2 * 4);
  expect(summary.notices).toEqual([]);
});

it("writes conversations in the order of their steps, evaluated ones too", async () => {
  folder = await files.mkdtemp(join(tmpdir(), "order-"));
  await train({ steps: 12, evalEvery: 3, evalProblems: 2 }, () => {}, "all");
  const steps = (await linesOf("trajectories.jsonl")).map(({ step }) => step);
  expect(steps).toEqual(Array.from({ length: 12 * 4 }, (_, line) => 1 + Math.floor(line / 4)));
});

it("writes the memory and processor time of the process beside every step", async () => {
  folder = await files.mkdtemp(join(tmpdir(), "usage-"));
  await train({ steps: 5, evalEvery: 0 }, () => {});
  const steps = await linesOf("metrics.jsonl");
  expect(steps).toHaveLength(5);
  for (const metrics of steps) expect(metrics["resources/memory_bytes"]).toBeGreaterThan(2 ** 20);
  const seconds = steps.map((metrics) => metrics["resources/cpu_seconds"]!);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  expect(seconds[0]).toBeGreaterThan(0);
});

const LOGS = "jsonl,csv,tensorboard,mlflow,wandb";

it("writes logs while the run goes on that are, in the end, what an export of their rows is", async () => {
  folder = await files.mkdtemp(join(tmpdir(), "logs-"));
  const seen: number[] = [];
  const path = join(folder, "run", "logs", "jsonl", "metrics.jsonl");
  await train(
    { steps: 5, evalEvery: 2 },
    (type) => type === "step" && seen.push(fs.readFileSync(path, "utf8").split("\n").length - 1),
    1,
    LOGS,
  );
  expect(seen.at(-1)).toBeGreaterThan(1);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  const rows = (await files.readFile(path, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(rows[2]).toMatchObject({ reward: expect.any(Number), "eval/sampled_accuracy": expect.any(Number) });
  const metrics = await linesOf("metrics.jsonl");
  expect(rows.slice(1).map(({ reward }) => reward)).toEqual(metrics.map(({ reward }) => reward));
  const table = (await files.readFile(join(folder, "run", "logs", "csv", "metrics.csv"), "utf8")).trim().split("\n");
  expect(table).toHaveLength(7);
  for (const form of LOGS.split(",")) expect((await files.readdir(join(folder, "run", "logs", form))).length, form).toBeGreaterThan(0);
});

it("a log that cannot be written fails the run and says which", async () => {
  folder = await files.mkdtemp(join(tmpdir(), "nolog-"));
  fs.appendFileSync = (target, data, options) => {
    if (String(target).endsWith("events.out.tfevents") || String(target).includes("tensorboard"))
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    return appendFileSync(target, data, options);
  };
  syncBuiltinESMExports();
  await expect(train({ steps: 3 }, () => {}, 1, "tensorboard")).rejects.toThrow(/tfevents.*(no space|full)/);
});

it.each([
  ["tensorbord", /--log.*tensorbord.*tensorboard/],
  ["csv,csv", '--log must name each form once, got "csv,csv"'],
])("refuses --log %s", (text, sentence) => {
  expect(() => readForms(text)).toThrow(sentence);
});
