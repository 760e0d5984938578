// The comparison of algorithms on recorded rollouts, against what the trainer itself recorded.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { algorithms } from "../../../src/rl/algorithms/index.ts";
import { switchDifferences, underAlgorithm } from "../../../src/rl/otherwise/algorithmSwitches.ts";
import { otherwise, recordedDifference, underAlgorithms } from "../../../src/rl/otherwise/otherwise.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import { CUT_OFF, recordedStep, SMALL_TRANSFORMER as transformer } from "../recordedStep.ts";

const offered = { algorithms, tasks: tasks.map(({ entry }) => entry) };

const withAlgorithm = (id: string) => algorithms.find((algorithm) => algorithm.id === id)!;
const cases: readonly (readonly [string, RunConfigInput])[] = [
  ["grpo", { klCoef: 0.1, innerEpochs: 3 }],
  ["dr-grpo", {}],
  ["dapo", { dynamicSampling: false, overlongBuffer: 2 }],
  ["gspo", {}],
  ["cispo", {}],
  ["sapo", {}],
  ["luspo", {}],
  ["vespo", {}],
  ["rloo", {}],
  ["reinforce-plus-plus", {}],
  ["opo", {}],
  ["builtin", {}],
];

describe("a step under the run's own configuration", () => {
  it.each(cases)("has the weights the trainer recorded: %s", async (algorithm, extra) => {
    const { groups, config } = await recordedStep({ algorithm, learningRate: 0.5, maxGradNorm: 0, ...extra });
    expect(groups.flatMap(({ trajectories }) => trajectories.flatMap(({ channels }) => channels.lossWeights)).some((w) => w !== 0)).toBe(
      true,
    );
    expect(recordedDifference(groups, otherwise(groups, config))).toBeLessThan(1e-6);
  });

  it("has them on a transformer with a critic", async () => {
    const { groups, config } = await recordedStep({ ...transformer, algorithm: "ppo" }, 2);
    const own = otherwise(groups, config);
    expect(own.assumptions).toEqual([]);
    expect(recordedDifference(groups, own)).toBeLessThan(1e-5);
  });

  it("has them where a critic's value follows conversations that were cut off", async () => {
    const { groups, config } = await recordedStep({ ...CUT_OFF, bootstrapTruncated: true, learningRate: 0.002 }, 4);
    expect(recordedDifference(groups, otherwise(groups, config))).toBeLessThan(1e-5);
    const without = otherwise(groups, { ...config, bootstrapTruncated: false });
    expect(recordedDifference(groups, without)).toBeGreaterThan(1e-3);
  });

  it("is not matched by another configuration, so that the comparison can fail", async () => {
    const { groups, config } = await recordedStep({ algorithm: "grpo", learningRate: 0.5, maxGradNorm: 0 });
    expect(recordedDifference(groups, otherwise(groups, { ...config, advantageScale: "none" }))).toBeGreaterThan(0.01);
  });
});

describe("a step under every algorithm", () => {
  it("is finite, names what differs and what is assumed", async () => {
    const { groups, config } = await recordedStep({ algorithm: "dr-grpo", innerEpochs: 2, learningRate: 0.5, maxGradNorm: 0 });
    const rows = underAlgorithms(groups, config, offered);
    expect(rows.map(({ id }) => id)).toEqual(algorithms.map(({ id }) => id));
    for (const { weights_P_G_T } of rows) expect(weights_P_G_T.flat().every((weights_T) => weights_T.every(Number.isFinite))).toBe(true);
    const row = (id: string) => rows.find((each) => each.id === id)!;
    expect(row("dr-grpo")).toMatchObject({ isOwn: true, differences: [], assumptions: [] });
    expect(row("bnpo").differences.map(({ key }) => key)).toEqual(["advantageScale", "aggregation"]);
    expect(row("ppo").assumptions.join(" ")).toMatch(/no critic/);
    expect(row("grpo").assumptions.join(" ")).toMatch(/no reference/);
    expect(row("builtin").assumptions.join(" ")).toMatch(/exact KL/);
  });

  it("has the same advantages without log-probs, and says what is taken in their place", async () => {
    const { groups, config } = await recordedStep({ algorithm: "grpo", innerEpochs: 2, learningRate: 0.5, maxGradNorm: 0, klCoef: 0.1 });
    const lacking = groups.map((group) => ({
      ...group,
      trajectories: group.trajectories.map((each) => ({ ...each, channels: { ...each.channels, oldLogprobs: null, trainLogprobs: null } })),
    }));
    const [whole, without] = [otherwise(groups, config), otherwise(lacking, config)];
    expect(without.advantages_P_G_T).toEqual(whole.advantages_P_G_T);
    expect(new Set(without.objective.ratio_K)).toEqual(new Set([1]));
    expect(without.assumptions).toEqual([
      "This step has no log-probs of its tokens, so every ratio counts as 1.",
      "This step recorded no reference log-probs, so its KL term is left out.",
    ]);
  });

  it("gives a group of equal rewards no weight where only its own group counts and there is no KL", async () => {
    const { groups, config } = await recordedStep({ algorithm: "dr-grpo", learningRate: 0.5, maxGradNorm: 0 });
    const flat = groups.map((group, p) =>
      p > 0 ? group : { ...group, trajectories: group.trajectories.map((trajectory) => ({ ...trajectory, reward: 0.25 })) },
    );
    const relative = [
      "grpo",
      "dr-grpo",
      "dapo",
      "gspo",
      "cispo",
      "sapo",
      "luspo",
      "vespo",
      "bnpo",
      "rloo",
      "opo",
      "two-sided-clip",
      "dual-clip",
    ];
    for (const { id, weights_P_G_T } of underAlgorithms(flat, config, offered)) {
      if (!relative.includes(id)) continue;
      // DAPO's length punishment is part of the reward, and here all completions have one length.
      expect([id, weights_P_G_T[0]!.every((weights_T) => weights_T.every((weight) => weight === 0))]).toEqual([id, true]);
      expect([
        id,
        weights_P_G_T
          .slice(1)
          .flat()
          .some((weights_T) => weights_T.some((weight) => weight !== 0)),
      ]).toEqual([id, true]);
    }
  });

  it("lets a KL in the loss still move a group of equal rewards", async () => {
    const { groups, config } = await recordedStep({ algorithm: "grpo", klCoef: 0.5, learningRate: 0.5, maxGradNorm: 0 });
    const flat = groups.map((group) => ({
      ...group,
      trajectories: group.trajectories.map((trajectory) => ({ ...trajectory, reward: 0.25 })),
    }));
    expect(
      otherwise(flat, config)
        .weights_P_G_T.flat()
        .some((weights_T) => weights_T.some((weight) => weight !== 0)),
    ).toBe(true);
    expect(
      otherwise(flat, { ...config, klCoef: 0 })
        .weights_P_G_T.flat()
        .every((weights_T) => weights_T.every((weight) => weight === 0)),
    ).toBe(true);
  });
});

describe("exchanging a run's algorithm", () => {
  it("takes back what the run's own algorithm brought, and keeps what the user set", async () => {
    const { config } = await recordedStep({ algorithm: "reinforce-plus-plus", topEntropyQuantile: 0.5 }, 1);
    const other = underAlgorithm(config, withAlgorithm("grpo"), algorithms);
    expect(other).toMatchObject({ algorithm: "grpo", whitenAdvantages: false, klEstimator: "k3", topEntropyQuantile: 0.5 });
    expect(underAlgorithm(config, withAlgorithm("reinforce-plus-plus"), algorithms)).toBe(config);
  });

  it("leaves out switches that act in neither", async () => {
    const { config } = await recordedStep({ algorithm: "grpo" }, 1);
    // With one optimizer step per batch the ratio stays 1: a wider clip changes nothing.
    const once = { ...config, klCoef: 0 };
    expect(switchDifferences(once, { ...once, clipHigh: 0.28 }, offered.tasks)).toEqual([]);
    const twice = { ...once, innerEpochs: 2 };
    expect(switchDifferences(twice, { ...twice, clipHigh: 0.28 }, offered.tasks)).toEqual([{ key: "clipHigh", run: 0.2, other: 0.28 }]);
  });
});
