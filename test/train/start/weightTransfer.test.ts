// A run that begins where another stands: the same weights, a training of its own, and a save that goes on
// from them though no configuration gives them.
import { describe, expect, it } from "vitest";
import { parameterCount, parameterLayout } from "../../../src/model/transformerConfig.ts";
import { type RunConfigInput, runConfigSchema } from "../../../src/protocol/config.ts";
import { loadRenderer, tokenizerId } from "../../../src/train/backend/loadRenderer.ts";
import { shapeOf } from "../../../src/train/start/openedPlan.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { prepareRun } from "../../../src/train/start/start.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const supervised: RunConfigInput = {
  ...{ task: "digit-sum", kind: "supervised", model: "transformer", startFrom: "random", backend: "wasm", threads: 1 },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16, demonstrationsPerStep: 12 },
  ...{ steps: 3, evalEvery: 0, evalProblems: 4, learningRate: 0.01, optimizer: "adamw" },
};
const rewards: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", backend: "wasm", threads: 1, groupSize: 4, promptsPerStep: 1 },
  ...{ steps: 4, evalEvery: 0, evalProblems: 4, optimizer: "adamw" },
};

async function taught(store = memoryStore()): Promise<{ readonly session: DrivenSession; readonly store: typeof store }> {
  const session = await driveSession({ store });
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "first", config: supervised });
  await finished;
  return { session, store };
}

const weightsOf = async (session: DrivenSession) =>
  (await session.send({ type: "export-model" })).find(({ name }) => name.endsWith(".safetensors"))!.bytes;

describe("weights to start from", () => {
  it("are those of the run before, in its shape, and the configuration says so", async () => {
    const { session } = await taught();
    const before = await weightsOf(session);
    await session.send({ type: "start", runId: "second", config: rewards, inherit: true, paused: true });
    expect(await weightsOf(session)).toEqual(before);
    const { config, step } = session.all("started").at(-1)!;
    expect(config).toMatchObject({ kind: "reinforcement", startFrom: "run", hiddenSize: 16, layers: 1, intermediateSize: 16 });
    expect(step).toBe(0);
    await session.send({ type: "advance", unit: "step" });
    expect(await weightsOf(session)).not.toEqual(before);
  });

  it("go on from a save that was made before the first step", async () => {
    const { session, store } = await taught();
    const before = await weightsOf(session);
    await session.send({ type: "start", runId: "second", config: rewards, inherit: true, paused: true });
    await session.send({ type: "save" });
    store.crash();
    const other = await driveSession({ store: store.otherTab() });
    await other.send({ type: "continue", runId: "second", paused: true });
    expect(await weightsOf(other)).toEqual(before);
  });

  it("are asked for by name: without a run that stands there is nothing to begin from", async () => {
    const session = await driveSession();
    await expect(session.send({ type: "start", runId: "a", config: rewards, inherit: true })).rejects.toThrow("there is no run");
    await expect(
      session.send({ type: "start", runId: "a", config: { ...rewards, model: "transformer", startFrom: "run" } }),
    ).rejects.toThrow('startFrom must be "checkpoint" or "random" where no run hands its weights on, got "run"');
    const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 1 };
    await session.send({ type: "start", runId: "a", config: table, paused: true });
    await expect(session.send({ type: "start", runId: "b", config: rewards, inherit: true })).rejects.toThrow("only a transformer");
  });
});

describe("weights that do not fit", () => {
  const standing = async (config: RunConfigInput) => {
    const session = await driveSession();
    await session.send({ type: "start", runId: "first", config: { ...small, ...config }, paused: true });
    return session;
  };
  const small: RunConfigInput = {
    ...{ model: "transformer", startFrom: "random", backend: "wasm", threads: 1, hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2 },
    ...{ intermediateSize: 16, klEstimator: "k3", groupSize: 4, promptsPerStep: 1, evalEvery: 0, evalProblems: 4 },
  };

  it.each([
    ["digit-sum", "boxed-arithmetic", "their vocabularySize must be 512, got 11"],
    ["boxed-arithmetic", "digit-sum", "their vocabularySize must be 11, got 512"],
  ])("of %s are refused for %s, and the run before stands as it did", async (from, to, problem) => {
    const session = await standing({ task: from });
    const before = await weightsOf(session);
    await expect(
      session.send({ type: "start", runId: "second", config: { ...small, task: to }, inherit: true, paused: true }),
    ).rejects.toThrow(`the weights to start from do not fit the task ${to}: ${problem}`);
    expect(await weightsOf(session)).toEqual(before);
    await session.send({ type: "advance", unit: "step" });
  });

  it("with ids of another tokenizer of the same size are refused", async () => {
    const readAsset = createNodeHost().readAsset;
    const text = await readAsset("tokenizers/lab/tokenizer.json").then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
    const [a, b] = Object.entries<number>(text.model.vocab).slice(-2);
    const turned = { ...text, model: { ...text.model, vocab: { ...text.model.vocab, [a![0]]: b![1], [b![0]]: a![1] } } };
    const [own, other] = await Promise.all(
      [text, turned].map((json) => loadRenderer("chat", { readAsset: async () => new TextEncoder().encode(JSON.stringify(json)) })),
    );
    expect(tokenizerId(own!)).not.toBe(tokenizerId(other!));
    expect(tokenizerId(own!)).toBe(tokenizerId(await loadRenderer("chat", { readAsset })));
    const config = runConfigSchema.parse({ ...small, task: "boxed-arithmetic" });
    const shape = shapeOf(config, { renderer: own!, stored: null });
    const values = new Float32Array(parameterCount(shape));
    const weights = { config: shape, tokenizer: tokenizerId(other!), weights: { layout: parameterLayout(shape), values } };
    const plan = planRun({ config: { ...config, startFrom: "run" }, weights });
    const signals = { onPreparing() {}, onLost() {}, pause: async () => {} };
    await expect(prepareRun("run", plan, createNodeHost(), signals)).rejects.toThrow(
      `their tokenizer must be ${tokenizerId(own!)}, got ${tokenizerId(other!)}: its ids stand for other texts`,
    );
  });

  it("between tasks that share a tokenizer go on", async () => {
    const session = await standing({ task: "boxed-arithmetic" });
    const before = await weightsOf(session);
    await session.send({ type: "start", runId: "second", config: { ...small, task: "guess-number" }, inherit: true, paused: true });
    expect(await weightsOf(session)).toEqual(before);
  });
});

describe("a supervised step", () => {
  it("shows its first examples with how likely each token was before it", async () => {
    const { session } = await taught();
    const { groups, phase, config } = session.all("groups").at(-1)!;
    expect(phase).toBe("update");
    expect(config.kind).toBe("supervised");
    expect(groups).toHaveLength(8);
    for (const { trajectories, messages } of groups) {
      expect(messages.length).toBeGreaterThan(0);
      const [answer, ...others] = trajectories;
      expect(others).toEqual([]);
      expect(answer!.reward).toBeNull();
      for (const logprob of answer!.channels.oldLogprobs!) expect(logprob).toBeLessThan(0);
    }
    const all = groups.flatMap(({ trajectories }) => trajectories[0]!.channels.oldLogprobs!);
    const mean = -all.reduce((sum, value) => sum + value, 0) / all.length;
    // The loss is the mean over all twelve examples, near that of the eight that are shown.
    expect(Math.abs(mean - session.all("steps").at(-1)!.records.at(-1)!.metrics.loss!)).toBeLessThan(0.5);
  });
});
