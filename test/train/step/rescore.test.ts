// Kept rollouts under other rewards are those of a run that had these rewards from the start.
import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { TabularModel } from "../../../src/model/tabularModel.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { rescore } from "../../../src/rl/otherwise/rescore.ts";
import { Random } from "../../../src/rl/random.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { ReinforcementTrainer } from "../../../src/train/step/reinforcement.ts";
import type { SampledStep } from "../../../src/train/step/sampledStep.ts";
import { groupRecord } from "../../../src/train/step/stepRecords.ts";
import { driveSession } from "../../support/driveSession.ts";

/** The records of a run's first step, and what it was scored by. */
async function firstStep(over: RunConfigInput) {
  const { config, instance } = planRun({
    config: { task: "digit-sum", model: "tabular", promptsPerStep: 2, groupSize: 8, klCoef: 0, ...over },
  });
  const rewards = weightedReward(instance, config.rewardWeights, { gates: config.rewardGates, clip: config.rewardClip });
  const trainer = new ReinforcementTrainer({
    config,
    model: new TabularModel(instance.fixedLength!, 10),
    critic: null,
    task: instance,
    rewards,
    renderer: digitsRenderer,
    loader: instance.trainLoader(),
    random: new Random(config.seed),
    now: () => 0,
  });
  let sampled: SampledStep | null = null;
  const phases = trainer.takeStep(() => {});
  for (let next = await phases.next(); !next.done; next = await phases.next()) sampled = next.value.sampled;
  const groups = sampled!.groups.map((_, promptIndex) => groupRecord(sampled!, promptIndex, instance, digitsRenderer));
  return { config, rewards, groups };
}

describe("kept rollouts", () => {
  it.each<[string, RunConfigInput]>([
    ["other weights", { rewardWeights: { sumCloseness: -2 } }],
    ["more rules", { rewardRules: { pattern: { pattern: "^[0-4]" }, repetition: { n: 1 } }, rewardWeights: { pattern: 0.5 } }],
    ["a gate and a clip", { rewardRules: { pattern: { pattern: "^[0-6]" } }, rewardGates: { pattern: -1 }, rewardClip: 0.5 }],
    ["parts that cannot score", { rewardRules: { cost: {} }, rewardWeights: { sumCloseness: 0 } }],
    ["normalised parts", { rewardRules: { pattern: {} }, rewardAggregation: "normalize-then-sum" }],
  ])("score under %s as in a run that had them from the start", async (_, over) => {
    const kept = await firstStep({});
    const other = await firstStep(over);
    const { rewards_P_G, advantages, assumptions } = await rescore(kept.groups, other.rewards, other.config);
    let q = 0;
    const advantages_P_G = kept.groups.map(({ trajectories }) => trajectories.map(() => advantages.advantages_Q[q++]));
    const recorded = other.groups.map(({ trajectories }) => trajectories);
    expect(kept.groups.map(({ trajectories }) => trajectories.map(({ tokens }) => tokens))).toEqual(
      recorded.map((group) => group.map(({ tokens }) => tokens)),
    );
    expect(rewards_P_G.map((group) => group.map(({ total, parts }) => [total, parts]))).toEqual(
      recorded.map((group) => group.map(({ reward, rewardParts }) => [reward, rewardParts])),
    );
    expect(advantages_P_G).toEqual(recorded.map((group) => group.map(({ advantage }) => advantage)));
    expect(advantages_P_G).not.toEqual(kept.groups.map(({ trajectories }) => trajectories.map(({ advantage }) => advantage)));
    expect(assumptions).toEqual([]);
  });

  it("say what was said to whom", async () => {
    const { groups } = await firstStep({});
    const [first] = groups[0]!.trajectories;
    expect(first!.messages).toEqual([{ role: "assistant", content: first!.text }]);
  });
});

describe("the command", () => {
  const config: RunConfigInput = {
    task: "digit-sum",
    model: "tabular",
    promptsPerStep: 2,
    groupSize: 8,
    klCoef: 0,
    steps: 3,
    evalEvery: 0,
  };
  const firstOf = async (over: RunConfigInput) => {
    const session = await driveSession();
    await session.send({ type: "start", runId: "run", config: { ...config, ...over }, paused: true });
    await session.send({ type: "advance", unit: "step" });
    return session;
  };

  it("gives a kept step's groups as a run would have them that had these rewards, and leaves the run as it is", async () => {
    const other = { rewardRules: { pattern: { pattern: "^[0-6]" } }, rewardWeights: { pattern: 0.5, sumCloseness: 2 }, rewardClip: 1.5 };
    const session = await firstOf({});
    const before = await session.send({ type: "inspect", step: 1 });
    const rescored = await session.send({ type: "otherwise", step: 1, settings: other });
    const expected = await (await firstOf(other)).send({ type: "inspect", step: 1 });
    expect(rescored).toMatchObject({
      step: 1,
      assumptions: [],
      config: { rewardClip: 1.5, rewardWeights: { pattern: 0.5, sumCloseness: 2 } },
    });
    const judged = ({ groups }: Pick<typeof before, "groups">) =>
      groups.map(({ zeroSpread, trajectories }) => [
        zeroSpread,
        trajectories.map(({ tokens, reward, rewardParts, advantage, success, arithmetic }) => [
          tokens,
          reward,
          rewardParts,
          advantage,
          success,
          arithmetic,
        ]),
      ]);
    expect(judged(rescored)).toEqual(judged(expected));
    expect(judged(rescored)).not.toEqual(judged(before));
    expect(await session.send({ type: "inspect", step: 1 })).toEqual(before);
    // What is left out is as it was.
    expect(judged(await session.send({ type: "otherwise", step: 1 }))).toEqual(judged(before));
  });

  it("refuses rewards that no configuration could have, and steps that are gone", async () => {
    const session = await firstOf({});
    await expect(session.send({ type: "otherwise", step: 1, settings: { rewardWeights: { bogus: 1 } } })).rejects.toThrow(
      'rewardWeights must name rewards of the task digit-sum (sumCloseness), got "bogus"',
    );
    await expect(session.send({ type: "otherwise", step: 7 })).rejects.toThrow("step 7 is no longer kept for inspection");
  });
});
