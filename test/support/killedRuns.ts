// What is ended at random moments to see whether it goes on to the bit: every task once, and each way of training
// that carries something from one step to the next. Small, so that a whole run takes a second or three.
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { tasks } from "../../src/rl/tasks/index.ts";

/** The smallest transformer, which knows nothing. */
const RANDOM: RunConfigInput = {
  ...{ startFrom: "random", hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16 },
};
const SHORT: RunConfigInput = {
  ...{
    model: "transformer",
    algorithm: "grpo",
    backend: "wasm",
    threads: 1,
    promptsPerStep: 1,
    groupSize: 3,
    learningRate: 1e-3,
    klCoef: 0.02,
  },
  ...{ steps: 8, evalEvery: 3, evalProblems: 2, evalSamples: 2 },
};
/** Digit sums, of which a step takes a millisecond or two. */
const SUMS: RunConfigInput = {
  ...SHORT,
  ...RANDOM,
  task: "digit-sum",
  groupSize: 6,
  promptsPerStep: 2,
  steps: 400,
  evalEvery: 100,
  evalProblems: 8,
};

/** Tasks of one turn, whose steps are quick. */
const QUICK: RunConfigInput = { steps: 24, evalEvery: 8 };

/** What makes a task's run as long as the others', and its conversations short. */
const OWN: Readonly<Record<string, RunConfigInput>> = {
  "boxed-arithmetic": QUICK,
  "repeat-names": QUICK,
  "reverse-word": QUICK,
  "sort-numbers": QUICK,
  "count-letters": QUICK,
  gcd: QUICK,
  "digit-sum": SUMS,
  "guess-word": { ...RANDOM, steps: 5 },
  "grid-world": { taskOptions: { size: 2, walls: 0 }, credit: "turn", steps: 5 },
  "guess-number": { taskOptions: { largest: 7, spare: 0 }, credit: "turn" },
  search: { steps: 4, evalEvery: 2, evalSamples: 1 },
  calculator: { taskOptions: { operations: 1 } },
  router: { taskOptions: { costCoefficient: 0.5 }, steps: 5 },
  // Adapters beside a base that stands still, of which a save holds nothing.
  prompts: { checkpoint: "base", loraRank: 2, measureUpdate: true },
  "checked-arithmetic": { taskOptions: { frozenStart: "checker", largestOperand: 20 }, steps: 5 },
};

const WAYS: Readonly<Record<string, RunConfigInput>> = {
  "the digit-sum table": { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 1500, evalEvery: 100, klCoef: 0.05 },
  "a critic with its own trunk": { ...SUMS, algorithm: "ppo", criticTrunk: "own", steps: 120, evalEvery: 40 },
  "a critic on the policy": { ...SUMS, algorithm: "ppo", criticTrunk: "shared", steps: 200, evalEvery: 50 },
  "inner epochs and minibatches": { ...SUMS, innerEpochs: 2, minibatches: 3, promptsPerStep: 3, steps: 200 },
  "adaptive KL and entropy": { ...SUMS, klTarget: 0.05, klHorizon: 100, entropyTarget: 2, entropyDelta: 0.01, steps: 300 },
  "dynamic sampling": { ...SUMS, dynamicSampling: true, steps: 200 },
  "a reference that follows": { ...SUMS, referenceSyncEvery: 7, steps: 300 },
  "worked examples": { ...SUMS, kind: "supervised", demonstrationsPerStep: 8, schedule: "cosine", warmupSteps: 10 },
  "plain gradient descent, two turns": {
    ...SHORT,
    task: "calculator",
    optimizer: "sgd",
    learningRate: 0.05,
    measureUpdate: false,
    steps: 6,
  },
  "changes on the way": {
    ...{ ...SUMS, steps: 300 },
    changes: [
      { afterStep: 7, settings: { learningRate: 0.01 } },
      { afterStep: 30, settings: { temperature: 1.3, klCoef: 0.1 } },
      { afterStep: 31, settings: { temperature: 0.8 } },
      { afterStep: 90, settings: { learningRate: 0.001 } },
    ],
  },
  "changes of a conversation": {
    ...{ ...SHORT, task: "countdown", klCoef: 0 },
    changes: [
      { afterStep: 2, settings: { temperature: 0.7 } },
      { afterStep: 5, settings: { learningRate: 1e-4 } },
    ],
  },
};

/** A pretrained model of models/, where KILL_MODEL names one: then nothing else is ended. A step takes seconds. */
export const KILLED_MODEL = process.env.KILL_MODEL ?? "";
const PRETRAINED: RunConfigInput = {
  ...{ ...SHORT, task: "prompts", checkpoint: KILLED_MODEL, threads: 2, loraRank: 8, loraAlpha: 32, klCoef: 0, learningRate: 3e-4 },
  taskOptions: { prompts: "What is the capital of {country}? => {capital}", wanted: "named" },
  ...{ steps: 6, promptsPerStep: 2, groupSize: 2, maxCompletionTokens: 12, evalEvery: 3, evalProblems: 2, measureUpdate: true },
};

const EVERY_RUN: readonly (readonly [name: string, config: RunConfigInput])[] = KILLED_MODEL
  ? [["a pretrained model", PRETRAINED]]
  : [...tasks.map(({ entry: { id } }) => [id, { ...SHORT, task: id, ...OWN[id] }] as const), ...Object.entries(WAYS)];

/** Each with its name; one alone where somebody asks for it. */
export const KILLED_RUNS = EVERY_RUN.filter(([name]) => (process.env.KILL_ONLY || name) === name);
if (KILLED_RUNS.length === 0)
  throw new Error(`there is no run ${process.env.KILL_ONLY} to kill: ${EVERY_RUN.map(([name]) => name).join(", ")}`);

/** Two threads of kernels, adapters beside a base that stands still, a few steps to be told of. */
const BUSY: RunConfigInput = { ...PRETRAINED, checkpoint: KILLED_MODEL || "base", steps: 200, evalEvery: 0 };
/** Conversations of three turns. */
const TOOLS: RunConfigInput = {
  ...{ ...SHORT, threads: 2, steps: 200, promptsPerStep: 2, groupSize: 4, maxTurns: 3, evalEvery: 0, measureUpdate: true },
};

/** What is ended on cores that are held busy, and how long after its first step at most. */
export const BUSY_RUNS: readonly (readonly [name: string, config: RunConfigInput, mostMs: number])[] = KILLED_MODEL
  ? [["a pretrained model", BUSY, 60_000]]
  : [
      ["adapters", BUSY, 8_000],
      ["calculator, three turns", { ...TOOLS, task: "calculator" }, 15_000],
      ["search, three turns", { ...TOOLS, task: "search" }, 15_000],
    ];

/** Whole numbers below a limit, the same for the same seed (mulberry32). */
export function dice(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

/** Lines of cells below each other, as a report ends with them. */
export function asTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => String(cell).padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
