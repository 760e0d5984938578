// What moved a token: shares that are measured on a copy and add up to what the update did.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import "../../support/kernels.ts";

const transformer: RunConfigInput = {
  ...{ task: "digit-sum", model: "transformer", startFrom: "random", threads: 1, backend: "wasm", optimizer: "adamw" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 32, learningRate: 0.01, klCoef: 0 },
  ...{ promptsPerStep: 2, groupSize: 4, steps: 3, evalEvery: 0, evalProblems: 4, evalSamples: 2 },
};
const cases: readonly (readonly [string, RunConfigInput])[] = [
  ["GRPO", { ...transformer, algorithm: "grpo" }],
  [
    "GRPO in minibatches, with a KL and weight decay",
    { ...transformer, algorithm: "grpo", klCoef: 0.1, innerEpochs: 2, minibatches: 2, weightDecay: 0.1 },
  ],
  ["plain gradient descent", { ...transformer, algorithm: "grpo", optimizer: "sgd", learningRate: 0.3 }],
  ["an entropy bonus", { ...transformer, algorithm: "grpo", entropyCoef: 0.05 }],
  ["PPO with a shared critic", { ...transformer, algorithm: "ppo", criticTrunk: "shared" }],
  [
    "a logits table",
    { task: "digit-sum", algorithm: "grpo", model: "tabular", groupSize: 8, steps: 3, evalEvery: 0, klCoef: 0, learningRate: 0.05 },
  ],
  [
    "a calculator",
    {
      task: "calculator",
      taskOptions: { operations: 1 },
      algorithm: "grpo",
      klCoef: 0,
      promptsPerStep: 2,
      groupSize: 4,
      steps: 3,
      evalEvery: 0,
      evalProblems: 1,
      evalSamples: 1,
      threads: 1,
      backend: "wasm",
    },
  ],
];

async function begun(config: RunConfigInput): Promise<DrivenSession> {
  const session = await driveSession();
  await session.send({ type: "start", runId: "a", config, paused: true });
  return session;
}

/** Takes two steps, of which the second is watched: its weights before are kept, and there is a momentum. */
async function stepped(config: RunConfigInput): Promise<DrivenSession> {
  const session = await begun(config);
  for (let step = 0; step < 2; step++) await session.send({ type: "advance", unit: "step" });
  return session;
}

/** A token that the second step trains, where possible of a group that teaches. */
async function trainedToken(session: DrivenSession) {
  const { groups } = await session.send({ type: "inspect", step: 2 });
  const all = groups.flatMap(({ promptIndex, trajectories }) =>
    trajectories.flatMap(({ sampled, channels }, trajectoryIndex) =>
      sampled.flatMap((isSampled, tokenIndex) =>
        isSampled
          ? [
              {
                promptIndex,
                trajectoryIndex,
                tokenIndex,
                advantage: channels.advantages![tokenIndex]!,
                old: channels.oldLogprobs![tokenIndex]!,
                now: channels.newLogprobs?.[tokenIndex],
              },
            ]
          : [],
      ),
    ),
  );
  return all.toSorted((a, b) => Math.abs(b.advantage) * -Math.expm1(b.old) - Math.abs(a.advantage) * -Math.expm1(a.old))[0]!;
}

describe.each(cases)("what moved a token of %s", (_, config) => {
  it("is told in shares that add up to the change that is measured", async () => {
    const session = await stepped(config);
    const { promptIndex, trajectoryIndex, tokenIndex, old, now } = await trainedToken(session);
    const found = await session.send({ type: "attribution", step: 2, promptIndex, trajectoryIndex, tokenIndex });
    const { own, sameAnswer, sameGroup, otherGroups, momentum, decay, others, rest, change } = found;
    expect(found.from).toBe("before");
    expect(own + sameAnswer + sameGroup + otherGroups + momentum + decay + others + rest).toBeCloseTo(change, 8);
    // The rest is rounding: what is named makes the change.
    expect(Math.abs(rest)).toBeLessThan(0.02 * Math.abs(change) + 2e-4);
    if ((config.minibatches ?? 1) === 1) {
      expect(found.old).toBeCloseTo(old, 4);
      if (now !== undefined) expect(change).toBeCloseTo(now - old, 3);
    }
    // Without an entropy bonus or a critic's head all of the gradient is tokens' pushes.
    const pushes = Math.abs(own) + Math.abs(sameAnswer) + Math.abs(sameGroup) + Math.abs(otherGroups);
    if (config.entropyCoef === undefined && config.algorithm === "grpo" && config.model !== "tabular")
      expect(Math.abs(others)).toBeLessThan(0.02 * pushes + 1e-4);
    expect(momentum === 0).toBe(config.optimizer === "sgd");
    expect(found.tokens.length).toBeGreaterThan(0);
    expect(session.all("asking").at(-1)).toMatchObject({ done: session.all("asking")[0]!.total });
  });

  it("leaves the run as it was, to the bit", async () => {
    const [plain, asked] = [await stepped(config), await stepped(config)];
    const { promptIndex, trajectoryIndex, tokenIndex } = await trainedToken(asked);
    const before = await asked.send({ type: "inspect", step: 2 });
    await asked.send({ type: "attribution", step: 2, promptIndex, trajectoryIndex, tokenIndex });
    expect(await asked.send({ type: "inspect", step: 2 })).toEqual(before);
    for (const session of [plain, asked]) await session.send({ type: "advance", unit: "step" });
    const metrics = (session: DrivenSession) =>
      session
        .all("steps")
        .flatMap(({ records }) => records)
        .at(-1)!.metrics;
    for (const name of ["reward", "loss", "grad_norm", "entropy"]) expect(metrics(asked)[name]).toBe(metrics(plain)[name]);
  });
});

describe("what moved a token", () => {
  it("is, in a table, what pushes the same place: others share no weight with it", async () => {
    const config: RunConfigInput = { ...cases[5]![1], optimizer: "sgd", learningRate: 0.5, maxGradNorm: 0 };
    const session = await stepped(config);
    const { advantage, ...place } = await trainedToken(session);
    const { promptIndex, trajectoryIndex, tokenIndex } = place;
    const found = await session.send({ type: "attribution", step: 2, promptIndex, trajectoryIndex, tokenIndex });
    expect(found.tokens.filter(({ nats }) => Math.abs(nats) > 1e-6).map((each) => each.tokenIndex)).toSatisfy((places: readonly number[]) =>
      places.every((each) => each === tokenIndex),
    );
    expect(Math.abs(found.sameAnswer)).toBeLessThan(1e-6);
    // Its own push is along its own gradient, so it moves it the way it is pushed.
    expect(Math.sign(found.own)).toBe(Math.sign(advantage));
    expect(found.tokens.every(({ nats }, i, all) => i === 0 || Math.abs(nats) <= Math.abs(all[i - 1]!.nats))).toBe(true);
  });

  it("has its own push where the copy begins with the weights of now, however far these are from the ones that sampled", async () => {
    const config: RunConfigInput = { ...transformer, algorithm: "grpo", learningRate: 0.05 };
    const session = await begun(config);
    const paused = session.next("state", ({ state }) => state === "paused");
    await session.send({ type: "resume", until: 2 });
    await paused;
    const { advantage, old: _, now: __, ...place } = await trainedToken(session);
    const found = await session.send({ type: "attribution", step: 2, ...place });
    if (found.from === "now") expect(Math.sign(found.own)).toBe(Math.sign(advantage));
    const before = await session.send({ type: "attribution", step: 1, ...place });
    expect(before.from).toBe("now");
    expect(before.own).not.toBe(0);
  });

  it("is refused with a reason where there is nothing to tell", async () => {
    const session = await begun(cases[0]![1]);
    const ask = (step: number, tokenIndex = 0, promptIndex = 0) =>
      session.send({ type: "attribution", step, promptIndex, trajectoryIndex: 0, tokenIndex });
    await session.send({ type: "advance", unit: "phase" });
    await expect(ask(1)).rejects.toThrow("step 1 has no advantages yet: take it one phase further");
    await expect(ask(7)).rejects.toThrow("step 7 is no longer kept for inspection");
    await session.send({ type: "advance", unit: "step" });
    await expect(ask(1, 0, 9)).rejects.toThrow("promptIndex must be < 2, got 9");
    await expect(ask(1, 99)).rejects.toThrow("the policy did not say this token");
    const shown = await begun({ ...transformer, kind: "supervised" });
    await shown.send({ type: "advance", unit: "step" });
    await expect(shown.send({ type: "attribution", step: 1, promptIndex: 0, trajectoryIndex: 0, tokenIndex: 0 })).rejects.toThrow(
      "a supervised step has no answers to compare",
    );
  });
});
