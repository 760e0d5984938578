import { describe, expect, it } from "vitest";
import type { AlgorithmEntry, TaskEntry } from "../../src/protocol/catalog.ts";
import { InputError } from "../../src/protocol/problems.ts";
import { resolveConfig } from "../support/resolveConfig.ts";

const tasks: readonly TaskEntry[] = [
  {
    id: "sums",
    title: "Sums",
    summary: "",
    facts: { fixedLength: false, severalTurns: false, severalAgents: false },
    fields: [],
    rewards: [{ name: "exact", title: "Exact", weight: 1, help: "" }],
    config: { algorithm: "slow", groupSize: 6, learningRate: 0.5, taskOptions: { digits: 2, hard: true } },
  },
  {
    id: "words",
    title: "Words",
    summary: "",
    facts: { fixedLength: false, severalTurns: false, severalAgents: false },
    fields: [],
    rewards: [],
    config: {},
  },
];
const algorithms: readonly AlgorithmEntry[] = [
  { id: "grpo", title: "", summary: "", paper: "", config: { clipHigh: 0.25 } },
  { id: "slow", title: "", summary: "", paper: "", config: { learningRate: 0.1, clipHigh: 0.3 } },
];
const resolve = (input: unknown) => resolveConfig(input, tasks, algorithms);
const problemsOf = (input: unknown): readonly string[] => {
  try {
    resolve(input);
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.problems.map((problem) => problem.message);
  }
};
const base = { task: "words", algorithm: "grpo" };
const scratch = { ...base, startFrom: "random" };

describe("a run's configuration", () => {
  it("puts the task over the defaults, the algorithm over the task, the user over all", () => {
    const config = resolve({ task: "sums", clipHigh: 0.9, taskOptions: { digits: 3 } });
    expect(config).toMatchObject({ algorithm: "slow", groupSize: 6, learningRate: 0.1, clipHigh: 0.9, clipLow: 0.2 });
    expect(config.taskOptions).toEqual({ digits: 3, hard: true });
  });
  it("lets the user choose another algorithm than the task's", () => {
    expect(resolve({ task: "sums", algorithm: "grpo" })).toMatchObject({ algorithm: "grpo", learningRate: 0.5, clipHigh: 0.25 });
  });
  it("resolves to itself", () => {
    const config = resolve({ task: "sums" });
    expect(resolve(config)).toEqual(config);
  });

  it.each([
    [{ task: "poems" }, ['task must be one of "sums", "words", got "poems"']],
    [{ ...base, algorithm: "sgd" }, ['algorithm must be one of "grpo", "slow", got "sgd"']],
    [null, ["configuration must be an object, got null"]],
    [[1], ["configuration must be an object, got [1]"]],
    [{ ...base, task: 3 }, ["task must be a string, got 3"]],
    [{ ...base, groupSize: 1, learningRate: -1 }, ["groupSize must be >= 2, got 1", "learningRate must be >= 0, got -1"]],
    [{ ...base, colour: 1 }, ['unknown field "colour"']],
    [{ ...scratch, hiddenSize: 64, heads: 5, kvHeads: 5 }, ["heads must divide hiddenSize 64, got 5"]],
    [
      { ...scratch, hiddenSize: 12, heads: 4, kvHeads: 4 },
      ["heads must leave an even head size (hiddenSize 12 / heads), got 4, a head size of 3"],
    ],
    [
      { ...scratch, heads: 4, kvHeads: 3, clipLow: 2 },
      ["kvHeads must divide heads 4, got 3", "clipLow must be <= 1 (the ratio is never negative), got 2"],
    ],
    [{ ...base, clipDelta: 1.1 }, ["clipDelta must be 0 or > 1 + clipHigh = 1.25, got 1.1"]],
    [{ ...base, dualClip: 0.5 }, ["dualClip must be 0 or > 1, got 0.5"]],
    [
      { ...base, klCoef: 0.1, klEstimator: "exact" },
      ['klEstimator must be one of "k1", "k2", "k3", "k3+" with model "transformer", got exact'],
    ],
    [{ ...base, klTarget: 0.1 }, ["klCoef must be > 0 with klTarget (the controller multiplies it), got 0"]],
    [
      { ...base, model: "tabular", advantageBaseline: "critic" },
      ['advantageBaseline must not be "critic" with model "tabular", got critic'],
    ],
    [{ ...base, steps: 5, warmupSteps: 9 }, ["warmupSteps must be < steps 5, got 9"]],
    [{ ...base, task: "sums", rewardWeights: { style: 1 } }, ['rewardWeights must name rewards of the task sums (exact), got "style"']],
  ])("refuses %j", (input, messages) => expect(problemsOf(input)).toEqual(messages));

  it("does not ask a checkpoint's model for a shape", () => expect(problemsOf({ ...base, heads: 5 })).toEqual([]));
});

describe("names that nobody meant", () => {
  const resolve = (json: string) => resolveConfig(JSON.parse(json), tasks, algorithms);

  it.each([
    ['{"__proto__": {"groupSize": 4}}', 'unknown field "__proto__"'],
    ['{"rewardWeights": {"__proto__": 2}}', 'unknown field "rewardWeights.__proto__"'],
    ['{"changes": [{"afterStep": 1, "settings": {"__proto__": 1}}]}', 'unknown field "changes.0.settings.__proto__"'],
  ])("refuses %s by its name", (json, sentence) => {
    expect(() => resolve(json)).toThrow(sentence);
  });

  it("refuses twenty thousand unknown fields in less than a second", () => {
    const many = JSON.stringify({
      task: "sums",
      ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`learningRatio${i}`, i])),
    });
    const begun = performance.now();
    expect(() => resolve(many)).toThrow("and 19997 more");
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
