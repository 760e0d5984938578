// A step on a copy: the run goes on as one that nobody asked, and the copy does what the run would have done.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import "../../support/kernels.ts";

const transformer: RunConfigInput = {
  ...{ task: "digit-sum", model: "transformer", startFrom: "random", threads: 1, backend: "wasm", optimizer: "adamw" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 32, learningRate: 0.01 },
  ...{ promptsPerStep: 2, groupSize: 4, steps: 3, evalEvery: 0, evalProblems: 4, evalSamples: 2 },
};
const cases: readonly (readonly [string, RunConfigInput])[] = [
  ["GRPO in minibatches", { ...transformer, algorithm: "grpo", klCoef: 0.1, innerEpochs: 2, minibatches: 2 }],
  ["PPO", { ...transformer, algorithm: "ppo", criticTrunk: "shared" }],
  ["PPO with a critic of its own trunk", { ...transformer, algorithm: "ppo", criticTrunk: "own" }],
  ["a logits table", { task: "digit-sum", algorithm: "grpo", model: "tabular", groupSize: 8, steps: 3, evalEvery: 0, klCoef: 0.1 }],
];

async function begun(config: RunConfigInput): Promise<DrivenSession> {
  const session = await driveSession();
  await session.send({ type: "start", runId: "a", config, paused: true });
  return session;
}

/** All that is recorded of a run's steps but the time they took. */
const recorded = (session: DrivenSession) =>
  session
    .all("steps")
    .flatMap(({ records }) => records)
    .map(({ step, metrics }) => [step, metrics.reward, metrics.loss, metrics.grad_norm, metrics.kl, metrics.entropy, metrics.value_loss]);

/** The weights of a model folder, where the run has one; a table has none. */
async function weightsOf(session: DrivenSession, config: RunConfigInput): Promise<Uint8Array | null> {
  if (config.model === "tabular") return null;
  const files = await session.send({ type: "export-model" });
  return files.find(({ name }) => name === "model.safetensors")!.bytes;
}

async function ownRewards(session: DrivenSession, step: number): Promise<number[]> {
  const { groups } = await session.send({ type: "inspect", step, promptIndex: 0 });
  return groups[0]!.trajectories.map(({ reward }) => reward!);
}

async function phases(session: DrivenSession, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await session.send({ type: "advance", unit: "phase" });
}

describe.each(cases)("a step on a copy of %s", (_, config) => {
  it("leaves the run as it was, to the bit, in the middle of a step and after it", async () => {
    const plain = await begun(config);
    for (let step = 0; step < 3; step++) await plain.send({ type: "advance", unit: "step" });
    const asked = await begun(config);
    const count = (await begunGroup(asked)).length;
    const rewards = Array.from({ length: count }, (__, g) => (g === 0 ? 1 : 0));
    await asked.send({ type: "otherwise", step: 1, byHand: { promptIndex: 0, rewards }, copy: { promptIndex: 0, samples: 2 } });
    await asked.send({ type: "advance", unit: "step" });
    await asked.send({ type: "otherwise", step: 1, byHand: { promptIndex: 0, rewards }, copy: { promptIndex: 0, samples: 2 } });
    for (let step = 1; step < 3; step++) await asked.send({ type: "advance", unit: "step" });
    expect(recorded(asked)).toEqual(recorded(plain));
    expect(await weightsOf(asked, config)).toEqual(await weightsOf(plain, config));
  });

  it("does with the run's own rewards what the run then does", async () => {
    const session = await begun(config);
    await phases(session, 3);
    const found = await session.send({
      type: "otherwise",
      step: 1,
      byHand: { promptIndex: 0, rewards: await ownRewards(session, 1) },
      copy: { promptIndex: 0, samples: 1 },
    });
    expect(found.copy!.from).toBe("before");
    await phases(session, 1);
    const { groups } = await session.send({ type: "inspect", step: 1, promptIndex: 0 });
    for (const [g, { channels, advantage, sampled }] of groups[0]!.trajectories.entries()) {
      expect(found.groups[0]!.trajectories[g]!.advantage).toBe(advantage);
      const change = channels.newLogprobs!.reduce((sum, after, t) => sum + (sampled[t] ? after - channels.oldLogprobs![t]! : 0), 0);
      expect(found.copy!.changes_G[g]).toBeCloseTo(change, 4);
    }
  });
});

/** The rewards of the first group, once the first step is scored. */
async function begunGroup(session: DrivenSession): Promise<number[]> {
  await phases(session, 2);
  return ownRewards(session, 1);
}

it("trains a critic of its own trunk on the copy towards rewards by hand, and on no other copy", async () => {
  const session = await begun(cases[2]![1]);
  const own = await begunGroup(session);
  const ask = async (reward: number) =>
    (
      await session.send({
        type: "otherwise",
        step: 1,
        byHand: { promptIndex: 0, rewards: own.map(() => reward) },
        copy: { promptIndex: 0, samples: 1 },
      })
    ).copy;
  const [high, low, again] = [await ask(5), await ask(-5), await ask(5)];
  expect(high!.values!.after).toBeGreaterThan(low!.values!.after);
  expect(low!.values!.before).toBe(high!.values!.before);
  expect(again!.values).toEqual(high!.values);
  const shared = await begun(cases[1]![1]);
  await begunGroup(shared);
  expect(
    (await shared.send({ type: "otherwise", step: 1, byHand: { promptIndex: 0, rewards: own }, copy: { promptIndex: 0, samples: 1 } }))
      .copy!.values,
  ).toBeNull();
});

it("is not seen by who takes the run's model meanwhile", async () => {
  const [, config] = cases[0]!;
  const session = await begun(config);
  const rewards = (await begunGroup(session)).map((_, g) => g % 2);
  const before = await weightsOf(session, config);
  let isOver = false;
  const asked = session
    .send({ type: "otherwise", step: 1, byHand: { promptIndex: 0, rewards }, copy: { promptIndex: 0, samples: 2 } })
    .finally(() => {
      isOver = true;
    });
  while (!isOver) expect(await weightsOf(session, config)).toEqual(before);
  await asked;
});

describe("a step on a copy", () => {
  const config = cases[3]![1];

  it("raises an answer that alone is rewarded and lowers the others", async () => {
    const session = await begun({ ...config, learningRate: 1, klCoef: 0 });
    const own = await begunGroup(session);
    const rewards = own.map((_, g) => (g === 2 ? 1 : 0));
    const { groups, copy } = await session.send({
      type: "otherwise",
      step: 1,
      byHand: { promptIndex: 0, rewards },
      copy: { promptIndex: 0, samples: 1 },
    });
    const { changes_G } = copy!;
    expect(groups[0]!.trajectories.map(({ advantage }) => Math.sign(advantage!))).toEqual(rewards.map((reward) => (reward ? 1 : -1)));
    expect(changes_G[2]).toBe(Math.max(...changes_G));
    expect(changes_G[2]).toBeGreaterThan(0);
  });

  it("does nothing where all rewards are equal and no KL pulls", async () => {
    const session = await begun({ ...config, klCoef: 0, promptsPerStep: 1 });
    const own = await begunGroup(session);
    const found = await session.send({
      type: "otherwise",
      step: 1,
      byHand: { promptIndex: 0, rewards: own.map(() => 0.5) },
      copy: { promptIndex: 0, samples: 2 },
    });
    expect(found.copy!.gradNorm).toBe(0);
    expect(found.copy!.changed).toEqual(found.copy!.original);
  });

  it("says what is wrong with a question", async () => {
    const session = await begun(config);
    await expect(
      session.send({ type: "otherwise", step: 1, byHand: { promptIndex: 0, rewards: [1] }, copy: { promptIndex: 0, samples: 1 } }),
    ).rejects.toThrow("step 1 is no longer kept for inspection");
    await phases(session, 1);
    await expect(
      session.send({ type: "otherwise", step: 1, byHand: { promptIndex: 0, rewards: [1] }, copy: { promptIndex: 0, samples: 1 } }),
    ).rejects.toThrow("step 1 has no rewards yet");
    await phases(session, 1);
    await expect(
      session.send({ type: "otherwise", step: 1, byHand: { promptIndex: 0, rewards: [1] }, copy: { promptIndex: 0, samples: 1 } }),
    ).rejects.toThrow("rewards must have 8 numbers, one for each completion, got 1");
  });

  it("is taken under another algorithm as a run of that algorithm takes it", async () => {
    const common = { ...config, learningRate: 1, klCoef: 0, innerEpochs: 2 };
    const [asked, other] = [await begun({ ...common, algorithm: "grpo" }), await begun({ ...common, algorithm: "rloo" })];
    await begunGroup(asked);
    const { config: settings, copy } = await asked.send({
      ...{ type: "otherwise", step: 1, algorithm: "rloo" },
      copy: { promptIndex: 0, samples: 1 },
    });
    expect(settings).toMatchObject({ algorithm: "rloo", advantageBaseline: "leave-one-out" });
    await phases(other, 4);
    const { groups } = await other.send({ type: "inspect", step: 1, promptIndex: 0 });
    for (const [g, { channels }] of groups[0]!.trajectories.entries()) {
      const change = channels.newLogprobs!.reduce((sum, after, t) => sum + after - channels.oldLogprobs![t]!, 0);
      expect(copy!.changes_G[g]).toBeCloseTo(change, 4);
    }
  });

  it("is taken under other rewards as a run of those rewards takes it", async () => {
    const common = { ...config, learningRate: 1, klCoef: 0 };
    const rewardWeights = { sumCloseness: -1 };
    const [asked, other] = [await begun(common), await begun({ ...common, rewardWeights })];
    await begunGroup(asked);
    const { copy } = await asked.send({ type: "otherwise", step: 1, settings: { rewardWeights }, copy: { promptIndex: 0, samples: 1 } });
    await phases(other, 4);
    const { groups } = await other.send({ type: "inspect", step: 1, promptIndex: 0 });
    for (const [g, { channels }] of groups[0]!.trajectories.entries()) {
      const change = channels.newLogprobs!.reduce((sum, after, t) => sum + after - channels.oldLogprobs![t]!, 0);
      expect(copy!.changes_G[g]).toBeCloseTo(change, 4);
    }
  });

  it("is refused for an algorithm that nobody knows", async () => {
    const session = await begun(config);
    await begunGroup(session);
    await expect(session.send({ type: "otherwise", step: 1, algorithm: "rlo" })).rejects.toThrow("algorithm");
  });
});
