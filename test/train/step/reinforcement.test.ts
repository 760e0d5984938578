// What a step records of itself, on a table whose sampler can be made to differ from its trainer.
import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { TabularModel } from "../../../src/model/tabularModel.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { algorithms } from "../../../src/rl/algorithms/index.ts";
import type { Policy } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import type { EnvBuilder } from "../../../src/rl/types.ts";
import { ReinforcementTrainer } from "../../../src/train/step/reinforcement.ts";
import type { SampledStep } from "../../../src/train/step/sampledStep.ts";
import { groupRecord } from "../../../src/train/step/stepRecords.ts";
import { toolEnvs } from "../../rl/twoTurns.ts";
import { resolveConfig } from "../../support/resolveConfig.ts";

const LENGTH = 4;

/** A table whose sampler reports each log-prob off by a constant: it is not the trainer's. */
class OffTable extends TabularModel {
  readonly #gap: number;

  constructor(positions: number, gap: number) {
    super(positions, 10);
    this.#gap = gap;
  }

  override policy(): Policy {
    const policy = super.policy();
    return {
      maxPositions: policy.maxPositions,
      open: (request) => {
        const sequences = policy.open(request);
        const sample: typeof sequences.sample = async (turn) => {
          const result = await sequences.sample(turn);
          return { ...result, logprobs_BT: result.logprobs_BT.map((logprob) => logprob - this.#gap) };
        };
        return { ...sequences, sample };
      },
    };
  }
}

interface Setting {
  readonly config?: RunConfigInput;
  readonly gap?: number;
  readonly envs?: EnvBuilder;
  readonly maxTurns?: number;
}

function trainer({ config: over = {}, gap = 0, envs, maxTurns }: Setting = {}) {
  const entries = tasks.map(({ entry }) => entry);
  const input: RunConfigInput = { task: "digit-sum", algorithm: "grpo", model: "tabular", promptsPerStep: 2, groupSize: 8, ...over };
  const config = resolveConfig(input, entries, algorithms);
  const instance = tasks.find(({ entry }) => entry.id === "digit-sum")!.create({}, config.seed);
  const task = { ...instance, ...(envs ? { envs } : {}), ...(maxTurns ? { maxTurns } : {}) };
  const table = new OffTable(LENGTH * (maxTurns ?? 1), gap);
  const parts = {
    config,
    model: table,
    critic: null,
    task,
    rewards: weightedReward(task, {}),
    renderer: digitsRenderer,
    loader: task.trainLoader(),
    random: new Random(config.seed),
    now: () => 0,
  };
  const made = new ReinforcementTrainer(parts);
  const step = async () => {
    let last: SampledStep | null = null;
    const phases = made.takeStep(() => {});
    for (;;) {
      const next = await phases.next();
      if (next.done) return { record: next.value, sampled: last! };
      last = next.value.sampled;
    }
  };
  return { made, step, table, task };
}

describe("entropies", () => {
  it("as sampled stay what they were while the update goes on", async () => {
    const { step } = trainer({ config: { innerEpochs: 4, learningRate: 2, optimizer: "sgd" } });
    const { sampled } = await step();
    // All logits start at 0: every token was drawn evenly from ten.
    for (const entropy of sampled.sampledEntropies_K!) expect(entropy).toBeCloseTo(Math.log(10), 5);
    expect(sampled.trainEntropies_K!.some((entropy) => entropy < Math.log(10) - 1e-3)).toBe(true);
  });
});

describe("the gap between sampler and trainer", () => {
  it.each([1, 2, 4])("is the one there is, over what was compared, with %d minibatches", async (minibatches) => {
    const { step } = trainer({ gap: 0.25, config: { minibatches } });
    const { metrics } = (await step()).record;
    expect(metrics["sampling/sampling_logp_difference/mean"]).toBeCloseTo(0.25, 5);
    expect(metrics["sampling/sampling_logp_difference/max"]).toBeCloseTo(0.25, 5);
    expect(metrics["sampling/importance_sampling_ratio/min"]).toBeCloseTo(Math.exp(0.25), 5);
  });
});

describe("the reference", () => {
  it("is made when a KL needs it and freed when none does any more", async () => {
    const { made, step, table } = trainer({ config: { klCoef: 0.1 } });
    await step();
    expect(table.hasReference()).toBe(true);
    made.set({ klCoef: 0 });
    await step();
    expect(table.hasReference()).toBe(false);
    made.set({ klCoef: 0.1 });
    // Frozen anew: the divergence from itself is 0.
    expect((await step()).record.metrics.kl).toBeCloseTo(0, 6);
  });

  it("is refreshed every so many steps to the mixture asked for", async () => {
    const { step, table } = trainer({
      config: { klCoef: 0.1, referenceSyncEvery: 2, referenceMix: 0.5, learningRate: 1, optimizer: "sgd" },
    });
    await step();
    const start = (await table.save()).reference!;
    await step();
    expect((await table.save()).reference).toEqual(start);
    const policy = (await table.save()).policy.values;
    await step();
    const mixed = (await table.save()).reference!.values;
    for (const [i, value] of mixed.entries()) expect(value).toBeCloseTo(0.5 * policy[i]! + 0.5 * start.values[i]!, 12);
  });
});

describe("a conversation of two turns", () => {
  const envs = toolEnvs(2, () => 3);

  it("trains the tokens of both turns and none of the tool's", async () => {
    const { step, task } = trainer({ envs, maxTurns: 2 });
    const { sampled, record } = await step();
    const trained = 2 * 8 * 2 * LENGTH;
    expect(sampled.batch.scoreTarget_K).toHaveLength(trained);
    expect(record.metrics["completions/mean_length"]).toBe(2 * LENGTH);
    const { trajectories } = groupRecord(sampled, 1, task, digitsRenderer);
    for (const { tokens, sampled: mask, channels } of trajectories) {
      expect(tokens).toHaveLength(2 * LENGTH + 4);
      expect(mask).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
      expect(channels.mask).toEqual(mask);
      expect(channels.lossWeights!.every((weight, t) => mask[t] === 1 || weight === 0)).toBe(true);
      expect(channels.oldLogprobs!.every((logprob, t) => mask[t] === 0 || Math.abs(logprob + Math.log(10)) < 1e-5)).toBe(true);
    }
  });

  it("discounts from turn to turn as if nothing stood between", async () => {
    const config = {
      algorithm: "reinforce-plus-plus",
      discount: 0.5,
      klCoef: 0,
      whitenAdvantages: false,
      advantageBaseline: "none",
      advantageScale: "none",
    } as const;
    const { step } = trainer({ envs, maxTurns: 2, config });
    const { sampled } = await step();
    const reward = sampled.rewards_P_G[0]![0]!.total!;
    const own = Array.from(sampled.advantages_K.subarray(0, 2 * LENGTH));
    for (const [i, advantage] of own.entries()) expect(advantage).toBeCloseTo(reward * 0.5 ** (2 * LENGTH - 1 - i), 6);
  });
});
