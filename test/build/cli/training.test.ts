// Training with the built command line: what is reported, what is written, how a run goes on.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { type Found, facts, linesOf, run, type Summary, TABLE, TRANSFORMER, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
const lines = (...parts: readonly string[]) => linesOf(file(...parts));

beforeAll(async () => {
  writeFileSync(file("table.yaml"), TABLE);
  writeFileSync(file("small.yaml"), TRANSFORMER);
  await run(["train", "table.yaml", "--out", "runs/a"], at);
  await run(["train", "small.yaml", "--out", "runs/small"], at);
});
afterAll(folder.remove);

describe("train", () => {
  it("reports for people what was reached, from what and where the run lies", async () => {
    const { code, stdout, stderr } = await run(["train", "table.yaml", "--out", "runs/told"], alone);
    expect([code, stderr]).toEqual([0, ""]);
    for (const word of [
      /reward +0\.\d+ -> 0\.\d+ {2}[▁-█]+/,
      /accuracy .*sampled \(95 % interval.*random.*start.*lift \+\d.* points \(\d.* to \d.*\)/,
      /greedy .*likeliest answers, lift \+\d.* points/,
      /KL/,
      /verdict/,
      /best +step/,
      /runs\/told/,
    ])
      expect(stdout).toMatch(word);
  });

  it("that was never evaluated reports no accuracy, not that of the start", async () => {
    const at0 = ["train", "table.yaml", "--set", "evalEvery=0", "--out", "runs/unasked"];
    expect(await facts<Summary>(at0, at)).toMatchObject({
      ...{ accuracy: null, accuracyInterval: null, lift: null, liftInterval: null, liftOverRandom: null, evaluation: null, greedy: null },
      baselines: { start: { accuracy: expect.any(Number) } },
    });
    const { runs } = await facts<{ readonly runs: readonly { readonly run: string; readonly accuracy: number | null }[] }>(["list"], at);
    expect(runs.find(({ run: path }) => path === "runs/unasked")).toMatchObject({ accuracy: null });
  });

  it("reports the same as one object", async () => {
    const summary = await facts<Summary>(["train", "table.yaml", "--seed", "3"], at);
    expect(summary).toMatchObject({
      ok: true,
      run: "runs/table",
      task: "digit-sum",
      seed: 3,
      steps: 40,
      interrupted: false,
      evaluation: { step: 40, problems: 1 },
      baselines: { random: { interval: [expect.any(Number), expect.any(Number)] }, start: { meanReward: expect.any(Number) } },
      backend: { id: "table" },
      verdict: expect.any(String),
      last: "runs/table/checkpoints/last.rollout",
    });
    const { accuracy, lift, liftInterval, greedy, baselines, reward, tokensPerSecond, seconds, kl } = summary;
    expect(accuracy).toBeGreaterThan(0.5);
    expect(lift).toBeCloseTo(accuracy - baselines.start.accuracy, 12);
    expect(liftInterval[0]).toBeLessThan(lift);
    expect(liftInterval[1]).toBeGreaterThan(lift);
    expect(greedy.lift).toBeGreaterThan(0.5);
    expect(reward.final).toBeGreaterThan(reward.first + 0.2);
    expect(Math.min(tokensPerSecond, seconds, kl)).toBeGreaterThan(0);
    expect(JSON.parse(readFileSync(file("runs/table/summary.json"), "utf8"))).toMatchObject({ accuracy });
  });

  it("leaves a folder with configuration, metrics, conversations, evaluations and checkpoints", () => {
    expect(lines("runs/a/metrics.jsonl").map(({ step }) => step)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(lines("runs/a/evaluations.jsonl").map(({ type, record }) => [type, record.step ?? record.kind])).toEqual([
      ["baseline", "random"],
      ["evaluation", 0],
      ["baseline", "start"],
      ["evaluation", 20],
      ["evaluation", 40],
    ]);
    const said = lines("runs/a/trajectories.jsonl");
    expect([...new Set(said.map(({ step }) => step))]).toEqual([1, 20, 40]);
    for (const each of said) {
      expect(each).toMatchObject({
        stopReason: "completed",
        rewardParts: [{ name: "sumCloseness" }],
        messages: [{ role: "user" }, { role: "assistant" }],
      });
      for (const key of ["tokens", "mask", "logprobs", "advantages", "entropies"]) expect(each[key]).toHaveLength(4);
    }
    expect(JSON.parse(readFileSync(file("runs/a/config.json"), "utf8"))).toMatchObject({
      task: "digit-sum",
      learningRate: 2,
      groupSize: 24,
    });
    for (const name of ["best", "last"]) expect(statSync(file(`runs/a/checkpoints/${name}.rollout`)).size).toBeGreaterThan(1000);
  });

  it("gives the same numbers from the same seed, also from the configuration it wrote, and never writes over a run", async () => {
    const again = await facts<Summary>(["train", "runs/a/config.json"], alone);
    const timeless = (name: string) =>
      lines("runs", name, "metrics.jsonl").map((line) => Object.entries(line).filter(([key]) => !isTimedMetric(key)));
    expect(again.run).toBe("runs/config");
    expect(timeless("config")).toEqual(timeless("a"));
    const next = await facts<Summary>(["train", "runs/a/config.json", "--set", "steps=1"], at);
    expect(next.run).toBe("runs/config-2");
  });

  it("tells its progress as JSON lines where asked", async () => {
    const { stderr, stdout } = await run(["train", "table.yaml", "--progress", "json", "--json", "--set", "steps=5"], alone);
    const told = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(told.filter(({ type }) => type === "step").map(({ step, of }) => [step, of])).toEqual([1, 2, 3, 4, 5].map((step) => [step, 5]));
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(["baseline", "evaluation", "step"]));
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, steps: 5 });
  });

  it("goes on with a run, to a later step limit, to the numbers of one that was never stopped", async () => {
    await facts(["train", "table.yaml", "--out", "runs/short", "--set", "steps=15"], at);
    const whole = await facts<Summary>(["train", "table.yaml", "--out", "runs/short", "--resume", "--set", "steps=40"], alone);
    expect(whole.steps).toBe(40);
    const rewards = (name: string) => lines("runs", name, "metrics.jsonl").map(({ reward }) => reward);
    expect(rewards("short")).toEqual(rewards("a"));
  });

  it("only plans with --dry-run", async () => {
    const plan = await facts<{ time: { secondsPerStep: number } }>(["train", "small.yaml", "--dry-run", "--out", "runs/planned"], at);
    expect(plan).toMatchObject({
      dryRun: true,
      run: "runs/planned",
      config: { groupSize: 4 },
      memory: { problem: null },
      time: { backend: { id: "wasm" } },
    });
    expect(plan.time.secondsPerStep).toBeGreaterThan(0);
    expect(existsSync(file("runs/planned"))).toBe(false);
    expect((await run(["train", "small.yaml", "--dry-run"], at)).stdout).toMatch(
      /memory .*\ntime .*\ncomputes .*\nrun .*\nnothing was trained/,
    );
  });
});

describe("code of one's own", () => {
  it("init writes a reward that a configuration can name, and train, eval and resume use it", async () => {
    expect((await facts<Found>(["init", "reward", "--out", "rewards/mine.ts"], at)).files).toEqual([{ path: "rewards/mine.ts" }]);
    writeFileSync(file("own.yaml"), `${TABLE}reward: ./rewards/mine.ts:reward\n`);
    const { run: path, reward } = await facts<Summary>(["train", "own.yaml", "--out", "runs/own"], at);
    expect(reward.final).toBeGreaterThan(reward.first);
    const [said] = lines(path, "trajectories.jsonl");
    expect(said.rewardParts.map(({ name, weight }: { name: string; weight: number }) => [name, weight])).toEqual([
      ["sumCloseness", 0],
      ["reward", 1],
    ]);
    expect((await facts<Found>(["eval", "own"], at)).evaluation).toMatchObject({ step: 40 });
    expect(await facts(["train", "own.yaml", "--out", "runs/own", "--resume", "--set", "steps=42"], alone)).toMatchObject({ steps: 42 });
  });
});

describe("weights to start from", () => {
  it("a run begins with those of another, in its shape, and goes on by itself", async () => {
    const words = ["train", "small.yaml", "--out", "runs/heir"];
    const heir = await facts<Found>(
      [
        ...words,
        "--from",
        "small",
        "--set",
        "learningRate=0",
        "--set",
        "klCoef=0",
        "--set",
        "hiddenSize=32",
        "--set",
        "heads=4",
        "--set",
        "kvHeads=4",
      ],
      at,
    );
    expect(heir).toMatchObject({ steps: 3 });
    const [parent, child] = await Promise.all(
      ["small", "heir"].map((name) => facts<Found>(["sample", name, "--n", "4", "--seed", "1"], at)),
    );
    expect(child?.samples).toEqual(parent?.samples);
    expect(await facts([...words, "--resume", "--set", "learningRate=0", "--set", "klCoef=0", "--set", "steps=5"], alone)).toMatchObject({
      steps: 5,
    });
  });
});
