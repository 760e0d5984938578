// Each verb of the built command line, for people and for programs.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { experimentPlanSchema } from "../../../src/protocol/run/experimentPlan.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";
import { type Found, facts, linesOf, PROGRAM, run, start, TABLE, TRANSFORMER, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
const lines = (...parts: readonly string[]) => linesOf(file(...parts));

interface Lifted {
  readonly lift: number | null;
  readonly liftInterval: readonly number[] | null;
  readonly liftPaired: boolean;
}

beforeAll(async () => {
  writeFileSync(file("table.yaml"), TABLE);
  writeFileSync(file("small.yaml"), TRANSFORMER);
  await run(["train", "table.yaml", "--out", "runs/a"], at);
  await run(["train", "small.yaml", "--out", "runs/small"], at);
});
afterAll(folder.remove);

describe("verbs that look at a run", () => {
  it("eval asks the held-out problems again", async () => {
    const found = await facts<Found>(["eval", "a"], alone);
    const [last] = lines("runs/a/evaluations.jsonl").slice(-1);
    expect(found.evaluation).toEqual(last.record);
    expect(await facts(["eval", "runs/a", "--samples", "1", "--checkpoint", "best"], at)).toMatchObject({
      evaluation: { samplesPerProblem: 64 },
    });
    expect((await run(["eval", "runs/a/checkpoints/last.rollout"], at)).stdout).toMatch(
      /sampled +\d.*\n +greedy.*\n +pass@k.*\n +random.*\n +start/,
    );
  });

  it("eval tells the lift over the start problem by problem, as train did", async () => {
    const set = ["taskOptions.varied=true", "steps=3", "evalEvery=3", "learningRate=0.01"].flatMap((each) => ["--set", each]);
    const told = ({ lift, liftInterval, liftPaired }: Lifted) => ({ lift, liftInterval, liftPaired });
    const trained = told(await facts<Lifted>(["train", "small.yaml", ...set, "--out", "runs/paired"], at));
    expect(trained).toMatchObject({ lift: expect.any(Number), liftPaired: true });
    expect(told(await facts<Lifted>(["eval", "paired"], at))).toEqual(trained);
    expect((await run(["eval", "paired"], at)).stdout).toMatch(/sampled .*lift .* points \(.*, problem by problem\)/);
    // With other problems than the start was asked there are no pairs.
    expect((await facts<Lifted>(["eval", "paired", "--n", "3"], at)).liftPaired).toBe(false);
  });

  it("sample shows conversations with their rewards, the same for a seed", async () => {
    const ask = (seed: string, where = at) => facts<Found>(["sample", "small", "--n", "3", "--seed", seed], where);
    const [one, two, other] = await Promise.all([ask("1"), ask("1", alone), ask("2")]);
    expect(one).toEqual(two);
    expect(one).not.toEqual(other);
    expect(one.samples).toHaveLength(3);
    expect((await run(["sample", "a", "--n", "1"], at)).stdout).toMatch(
      /user: Emit 4 digits whose sum is 18\.\n +assistant: \d{4}\n +\((right|wrong), reward /,
    );
    expect((await run(["sample", "a", "--n", "1", "--prompt", "Digits?"], at)).stdout).toMatch(
      /user: Digits\?\n +assistant: \d{4}\n +\(completed\)/,
    );
  });

  it("sample and eval ask a pretrained model in a run's place, and a configuration at its start", async () => {
    writeFileSync(file("tiny.gguf"), ggufFile({ config: foreignConfig, weights_N: sharpWeights(foreignConfig, 2) }, foreignTexts, "Q8_0"));
    const ask = ["sample", "--model", "./tiny.gguf", "--prompt", "Hello?", "--n", "2", "--max-tokens", "5"];
    const asked = await facts<Found>(ask, at);
    expect(asked).toEqual(await facts<Found>(ask, at));
    expect(asked).toMatchObject({ run: "./tiny.gguf", step: 0, task: "prompts" });
    expect(asked.samples).toHaveLength(2);
    writeFileSync(
      file("own.yaml"),
      "task: prompts\ntaskOptions: { prompts: 'Say {thing}.' }\nmaxCompletionTokens: 4\nevalProblems: 2\nevalSamples: 2\n",
    );
    const evaluated = await facts<Found>(["eval", "own.yaml", "--model", "./tiny.gguf"], at);
    expect(evaluated).toMatchObject({ run: "./tiny.gguf", task: "prompts", evaluation: { step: 0, problems: 2, samplesPerProblem: 2 } });
    // A run's own settings with another model, and a configuration that trains a model of the lab's.
    expect(await facts(["sample", "small", "--model", "base", "--n", "1"], at)).toMatchObject({ run: "base", step: 0 });
    expect(await facts(["sample", "small.yaml", "--n", "1"], at)).toMatchObject({ run: "small.yaml", step: 0 });
    expect((await run(["sample"], at)).stderr).toContain("sample needs RUN, or --model MODEL with --prompt TEXT");
    const gone = await run(["eval", "own.yaml", "--model", "./gone.gguf"], at);
    expect(gone.stderr).toContain("checkpoint must be a folder or a GGUF file, got ./gone.gguf: there is none");
  });

  it("list shows every run", async () => {
    const { runs } = await facts<Found>(["list"], at);
    expect(runs.find(({ run: path }) => path === "runs/a")).toMatchObject({
      training: false,
      task: "digit-sum",
      step: 40,
      verdict: expect.any(String),
    });
    expect((await run(["list"], alone)).stdout).toMatch(/runs\/a +digit-sum +builtin +seed 0 +40\/40 /);
  });

  it("list tells the loss of supervised training as a loss, and no reward", async () => {
    const small = ["model=transformer", "startFrom=random", "hiddenSize=16", "layers=1", "heads=2", "kvHeads=2", "intermediateSize=32"];
    const set = ["kind=supervised", "steps=1", "evalEvery=0", ...small].flatMap((each) => ["--set", each]);
    await run(["train", "table.yaml", "--out", "worked/a", ...set], at);
    const { runs } = await facts<Found>(["list", "worked"], at);
    expect(runs).toMatchObject([{ algorithm: "supervised", reward: null, loss: expect.any(Number) }]);
    expect((await run(["list", "worked"], at)).stdout).toMatch(/worked\/a +digit-sum +supervised +seed 0 +1\/1 +\S+ loss \d/);
  });

  it("list tells a run that is only being prepared, and one that never began", async () => {
    for (const [name, pid] of [
      ["new", process.pid],
      ["never", 0],
    ] as const) {
      mkdirSync(file("young", name), { recursive: true });
      writeFileSync(file("young", name, "run.json"), JSON.stringify({ runId: name }));
      writeFileSync(file("young", name, ".pid"), String(pid));
    }
    const { runs } = await facts<Found>(["list", "young"], alone);
    expect(runs).toHaveLength(2);
    expect(runs).toEqual(
      expect.arrayContaining([
        { run: "young/new", training: true, pinned: false, tags: [], problem: "is being prepared" },
        { run: "young/never", training: false, pinned: false, tags: [], problem: expect.stringMatching(/^ended before its first step/) },
      ]),
    );
  });

  it("compare says how far two runs are apart", async () => {
    await run(["train", "table.yaml", "--out", "runs/slow", "--set", "learningRate=0.01"], at);
    expect(await facts(["compare", "runs/a", "slow"], at)).toMatchObject({
      shows: "two runs differ",
      differing: [{ field: "learningRate", values: [2, 0.01] }],
      runs: [{ id: "A" }, { id: "B", toFirst: { value: expect.any(Number) } }],
    });
    expect((await run(["compare", "a", "slow"], alone)).stdout).toMatch(/one seed each[\s\S]*learningRate/);
  });

  it("compare says where a run that went on for longer ended, and takes no two tasks", async () => {
    await run(["train", "table.yaml", "--out", "runs/long", "--set", "steps=80"], at);
    const { ends, after } = await facts<Found & { ends: unknown; after: string }>(["compare", "runs/a", "long"], at);
    expect(ends).toMatchObject([
      { id: "A", step: 40 },
      { id: "B", step: 80 },
    ]);
    expect(after).toMatch(
      /^They did not end at one step: A at step 40 with .* right, B at step 80 with .* right\. They differ in their steps alone/,
    );
    await run(["train", "small.yaml", "--out", "runs/sorts", "--set", "task=sort-numbers", "--set", "steps=1"], at);
    expect(await run(["compare", "small", "sorts"], at)).toMatchObject({
      code: 1,
      stderr: "rollout-lab: runs are compared on one task, got digit-sum and sort-numbers\n",
    });
  });

  it.each([
    ["csv", "metrics.csv", /^step,loss,/],
    ["jsonl", "trajectories.jsonl", /^\{"step":1,/],
    ["report", "report.html", /^<!doctype html>[\s\S]*<svg[\s\S]*Emit 4 digits/],
  ])("export --to %s writes %s", async (to, name, contents) => {
    const { files } = await facts<Found>(["export", "a", "--to", to, "--out", `out-${to}`], at);
    expect(files[0]?.path).toBe(join(`out-${to}`, name));
    expect(readFileSync(file(`out-${to}`, name), "utf8")).toMatch(contents);
  });

  it("export --to tensorboard and hf write what those read", async () => {
    const events = await facts<Found>(["export", "a", "--to", "tensorboard"], at);
    expect(readFileSync(file(events.files[0]!.path)).includes("brain.Event:2")).toBe(true);
    const { files } = await facts<Found>(["export", "small", "--to", "hf"], alone);
    expect(files.map(({ path }) => path.split("/").at(-1))).toEqual(expect.arrayContaining(["config.json", "model.safetensors"]));
  });
});

describe("the other verbs", () => {
  it("version and help answer", async () => {
    expect((await run(["version"], alone)).stdout).toMatch(/^rollout-lab \d+\.\d+\.\d+ \(Node \d+/);
    expect(await facts(["version"], at)).toMatchObject({ name: "rollout-lab", version: expect.any(String) });
    for (const words of [[], ["help"], ["--help"]]) expect((await run(words, alone)).stdout).toMatch(/train CONFIG +Train/);
    expect((await run(["train", "--help"], at)).stdout).toMatch(/--dry-run/);
  });

  it("eval tells how far the policy lies over chance", async () => {
    interface OverRandom extends Found {
      readonly accuracy: number;
      readonly liftOverRandom: number;
      readonly liftOverRandomInterval: readonly [number, number];
      readonly baselines: { readonly random: { readonly accuracy: number } };
    }
    const { accuracy, baselines, liftOverRandom, liftOverRandomInterval } = await facts<OverRandom>(["eval", "a"], at);
    expect(liftOverRandom).toBeCloseTo(accuracy - baselines.random.accuracy, 12);
    expect(liftOverRandomInterval[0]).toBeLessThan(liftOverRandom);
    expect(liftOverRandomInterval[1]).toBeGreaterThan(liftOverRandom);
    expect((await run(["eval", "a"], at)).stdout).toMatch(/over random +[+-][\d.]+ points \(/);
  });

  it("doctor tells of the Python that trains with TRL what it has and what it lacks", async () => {
    const python = file("python-that-has-half");
    writeFileSync(
      python,
      `#!/bin/sh\necho '{"version": "3.11.2", "packages": {"trl": "1.16.0", "accelerate": null, "datasets": "4.0.0", "transformers": "5.0.0", "torch": "2.13.0"}}'\n`,
      { mode: 0o755 },
    );
    const { stdout, code } = await run(["doctor"], { ...alone, env: { ...process.env, ROLLOUT_LAB_PYTHON: python } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/no +TRL +.*python-that-has-half \(Python 3\.11\.2\) has no accelerate: needed by train --backend trl alone/);
    const none = await run(["doctor"], { ...alone, env: { ...process.env, ROLLOUT_LAB_PYTHON: file("nowhere") } });
    expect(none.stdout).toMatch(/no +TRL +.*nowhere cannot be run/);
  });

  it("train refuses an amount of conversations that is none", async () => {
    const { code, stderr } = await run(["train", "table.yaml", "--trajectories", "some"], at);
    expect(code).toBe(1);
    expect(stderr).toMatch(/--trajectories must be a whole number >= 0 or "all", got "some"/);
  });

  it("doctor finds what training needs", async () => {
    const { checks, ready } = await facts<Found>(["doctor"], alone);
    expect(ready).toBe(true);
    expect(checks.filter(({ needed }) => needed).every(({ ok }) => ok)).toBe(true);
    expect((await run(["doctor"], at)).stdout).toMatch(/ok +Node[\s\S]*ready to train\n$/);
  });

  it("schema prints every field, task, algorithm and reward, or one of them", async () => {
    const all = await facts<Found>(["schema"], alone);
    expect(all.configuration.properties.groupSize).toMatchObject({ minimum: 2, default: 8 });
    for (const key of ["fields", "tasks", "algorithms", "presets", "rewardRules"]) expect(all[key]).toHaveProperty("length");
    expect((await run(["schema"], at)).stdout).toMatch(/groupSize +8 +2 \.\. 128 /);
    expect((await run(["schema", "digit-sum"], at)).stdout).toMatch(/length[\s\S]*rewards:[\s\S]*sumCloseness/);
    expect(await facts(["schema", "groupSize"], at)).toMatchObject({ field: { min: 2 } });
  });

  it.each(["reward", "rewards", "tools", "data", "preset", "callSeconds", "taskOptions", "rewardWeights"])(
    "schema knows %s",
    async (name) => {
      expect((await run(["schema", name], at)).stdout).toMatch(/.{30}/);
      await facts(["schema", name], at);
    },
  );

  it("hints are commands as they are typed in a clone", async () => {
    const lab = { ...process.env, npm_lifecycle_event: "lab" };
    const asked = spawnSync(process.execPath, [PROGRAM, "sample", "nowhere"], { ...alone, env: lab, encoding: "utf8" });
    expect(asked.stderr).toBe("rollout-lab: there is no run at nowhere: npm run lab -- list shows those there are\n");
  });

  it("sweep trains every value from every seed and judges them", async () => {
    const found = await facts<Found>(["sweep", "table.yaml", "--over", "learningRate=0.01,2", "--seeds", "2"], at);
    expect(found.runs.map(({ value, seed }) => [value, seed])).toEqual([
      [0.01, 0],
      [0.01, 1],
      [2, 0],
      [2, 1],
    ]);
    expect(found.comparison).toMatchObject({ shows: expect.any(String), seeds: 2 });
    expect(existsSync(file(found.out, "2-seed-1", "summary.json"))).toBe(true);
  });

  it("sweep trains all combinations of two settings and keeps the plan of it", async () => {
    const over = ["--over", "learningRate=0.01,2", "--over", "groupSize=4,8"];
    const found = await facts<Found>(["sweep", "table.yaml", ...over, "--seeds", "1"], at);
    expect(found.runs.map(({ value }) => value)).toEqual([
      { learningRate: 0.01, groupSize: 4 },
      { learningRate: 0.01, groupSize: 8 },
      { learningRate: 2, groupSize: 4 },
      { learningRate: 2, groupSize: 8 },
    ]);
    const { plan } = JSON.parse(readFileSync(file(found.out, "sweep.json"), "utf8"));
    expect(experimentPlanSchema.parse(plan).runs).toEqual(
      [0, 1, 2, 3].map((combination) => ({ runId: expect.stringMatching(/-seed-0$/), combination, seed: 0 })),
    );
    expect(plan.combinations[1].settings).toEqual({ learningRate: 0.01, groupSize: 8 });
  });

  it("bench times steps", async () => {
    const { results } = await facts<Found>(["bench", "--steps", "2"], alone);
    expect(results.map(({ preset }) => preset)).toEqual(expect.arrayContaining(["digit-sum-table", "boxed-arithmetic"]));
    for (const { secondsPerStep } of results) expect(secondsPerStep).toBeGreaterThan(0);
  });

  it("serve gives the page, opened on a run, until it is interrupted", async () => {
    const server = start(["serve", "a", "--port", "4390", "--json"], alone);
    await server.says("#/train");
    const { url } = JSON.parse(server.said());
    expect(await (await fetch(new URL("/run/files.json", url))).json()).toContain("a/save/save.json");
    server.signal("SIGINT");
    const { code, stdout } = await server.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ url: expect.stringMatching(/^http:\/\/localhost:\d+\/\?run#\/train$/), opens: "run" });
    const rollouts = start(["serve", join(import.meta.dirname, "../../reference/traces/verl"), "--port", "4390", "--json"], alone);
    await rollouts.says("#/open");
    const served = JSON.parse(rollouts.said());
    expect(served).toMatchObject({ opens: "rollouts" });
    expect(await (await fetch(new URL("/run/files.json", served.url))).json()).toEqual(["verl/12.jsonl", "verl/13.jsonl"]);
    rollouts.signal("SIGINT");
    expect((await rollouts.ended).code).toBe(0);
  });
});
