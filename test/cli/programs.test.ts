// The command-line programs, run as a user runs them, in a folder of their own.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { experiments } from "../../src/cli/experiments.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { readModelFolder } from "../../src/model/folder/checkpoint.ts";
import { presets } from "../../src/train/catalog.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import "../support/kernels.ts";

const run = join(import.meta.dirname, "..", "..", "scripts", "run.mjs");
const execute = promisify(execFile);
let folder = "";

/** Runs a program of src/cli; rejects with its error text where it fails. */
const program = (name: string, ...args: string[]) => execute(process.execPath, [run, `src/cli/${name}.ts`, ...args], { cwd: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollout-lab-"));
});

afterAll(() => rm(folder, { recursive: true }));

describe("trainRun", () => {
  const config = { task: "digit-sum", steps: 3, evalEvery: 2 } as const;

  it("returns every step and evaluation, and tells each step as it comes", async () => {
    const told: number[] = [];
    const { steps, evaluations, baselines, backend } = await trainRun(config, createNodeHost(), { onStep: ({ step }) => told.push(step) });
    expect(steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(told).toEqual([1, 2, 3]);
    expect(evaluations.map(({ step }) => step)).toEqual([0, 2, 3]);
    expect(baselines.map(({ kind }) => kind).sort()).toEqual(["random", "start"]);
    expect(backend.id).toBe("table");
  });

  it("rejects with the sentence of what is wrong", async () => {
    await expect(trainRun({ ...config, groupSize: 1 }, createNodeHost())).rejects.toThrow(/^groupSize must be >= 2, got 1$/);
  });
});

/** Results of other experiments that lie there already, with their accuracy by seed. */
const COMMITTED = { "digit-sum/grpo": [0.899, 0.9], "arithmetic/grpo": [0.899, 0.9, 0.3] } as const;

describe("npm run results", () => {
  let said: readonly string[] = [];
  let table: readonly string[] = [];
  beforeAll(async () => {
    for (const [experiment, accuracies] of Object.entries(COMMITTED))
      for (const [seed, sampledAccuracy] of accuracies.entries()) {
        const evaluation = { greedyAccuracy: 0.5, greedyInterval: [0, 1], sampledAccuracy, sampledInterval: [0, 1] };
        const result = { experiment, seed, columns: ["step"], rows: [[1]], baselines: [], evaluations: [evaluation] };
        await mkdir(join(folder, "results", experiment), { recursive: true });
        await writeFile(join(folder, "results", experiment, `seed-${seed}.json`), JSON.stringify(result));
      }
    said = (await program("results", "digit-sum-table")).stdout.trim().split("\n");
    table = (await readFile(join(folder, "results", "README.md"), "utf8")).split("\n");
  });

  it("writes each run of an experiment as trainRun has it, and a table with a row for each", async () => {
    expect(said.slice(5)).toEqual(["5 of 5 runs moved:", ...[0, 1, 2, 3, 4].map((seed) => `  digit-sum-table seed ${seed}: new`)]);
    expect((await readdir(join(folder, "results"))).sort()).toEqual(["README.md", "arithmetic", "digit-sum", "digit-sum-table"]);
    for (const seed of [0, 1, 2, 3, 4]) {
      const result = JSON.parse(await readFile(join(folder, "results", "digit-sum-table", `seed-${seed}.json`), "utf8"));
      const { evaluations } = result;
      expect(result).toMatchObject({ experiment: "digit-sum-table", seed, backend: "table" });
      expect(result.rows).toHaveLength(300);
      for (const row of result.rows) expect(row).toHaveLength(result.columns.length);
      const rows = table.filter((line) => line.startsWith(`| [digit-sum-table](digit-sum-table/seed-${seed}.json) | ${seed} | `));
      expect(rows).toHaveLength(1);
      expect(rows[0]).toContain(` | ${(100 * evaluations.at(-1).sampledAccuracy).toFixed(1)} (`);
      if (seed !== 3) continue;
      const preset = presets.find(({ id }) => id === "digit-sum-table")!;
      const again = await trainRun({ ...preset.config, seed }, createNodeHost());
      expect(evaluations).toEqual(again.evaluations);
      const reward = result.columns.indexOf("reward");
      expect(result.rows.map((row: number[]) => row[reward])).toEqual(
        again.steps.map(({ metrics }) => Number(metrics.reward!.toPrecision(6))),
      );
    }
  });

  it("explains each row below 90 %, or says that nothing does", () => {
    const noteOf = (experiment: string, seed: number) =>
      table.find((line) => line.startsWith(`| [${experiment}](${experiment}/seed-${seed}.json)`))?.split(" | ")[7];
    expect([0, 1].map((seed) => noteOf("digit-sum/grpo", seed))).toEqual(["[1](#below-90-)", ""]);
    expect([0, 1, 2].map((seed) => noteOf("arithmetic/grpo", seed))).toEqual(["[2](#below-90-)", "", "[2](#below-90-)"]);
    const reason = experiments.find(({ id }) => id === "arithmetic/grpo")?.whyBelow90;
    const heading = table.indexOf("## Below 90 %");
    expect(table.slice(heading + 2, heading + 5)).toEqual(["1. No reason is known.", `2. ${reason}`, ""]);
  });

  it("refuses an experiment it does not know, before it trains any", async () => {
    await expect(program("results", "digit-sum-table", "digit-product")).rejects.toThrow(
      /unknown experiment digit-product, choose from .*digit-sum-table/,
    );
  });
});

describe("npm run pretrain", () => {
  it("writes a model folder, the loss curve and a recipe with the accuracy it prints", async () => {
    const { stdout } = await program("pretrain", "--steps", "10", "--seed", "4", "--out", "base");
    const read = (name: string) => readFile(join(folder, "base", name));
    const { config, weights_N } = await readModelFolder(async (name) => new Uint8Array(await read(name)));
    const recipe = JSON.parse((await read("recipe.json")).toString());
    expect(recipe.recipe).toMatchObject({ task: "boxed-arithmetic", steps: 10, seed: 4 });
    expect(recipe.parameters).toBe(weights_N.length);
    expect(config).toMatchObject({ hiddenSize: 96, layers: 4, heads: 4 });
    expect(weights_N.every(Number.isFinite)).toBe(true);
    expect(recipe.evaluation).toEqual(JSON.parse(stdout));
    expect(recipe.evaluation).toMatchObject({ step: 10, problems: 256, samplesPerProblem: 8 });
    const [head, first, ...rest] = (await read("loss.csv")).toString().trim().split("\n");
    expect(head).toBe("step,loss,learning_rate");
    expect(first).toMatch(/^10,\d\.\d{5},0\.0002700$/);
    expect(rest).toEqual([]);
    for (const name of ["tokenizer.json", "tokenizer_config.json"]) expect((await read(name)).length).toBeGreaterThan(1000);
  });

  it("refuses a checkpoint it does not know", async () => {
    await expect(program("pretrain", "--name", "poems")).rejects.toThrow(
      /unknown checkpoint poems, choose from base, tools, search, reading, puzzles, numbers, words, games, agents/,
    );
  });
});
