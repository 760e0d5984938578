// A loop over parts of one's own, held to the trainer: with its algorithm it gives its numbers, and each part is the one that is used.
import { describe, expect, it } from "vitest";
import { configuredAlgorithm } from "../../src/library/configuredAlgorithm.ts";
import { messageTokens } from "../../src/library/messageTokens.ts";
import { type Algorithm, type TrainedStep, type TrainingParts, trainParts } from "../../src/library/trainParts.ts";
import { modelHere } from "../../src/model/model.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { StepRecord } from "../../src/protocol/records.ts";
import { Random } from "../../src/rl/random.ts";
import { generate } from "../../src/rl/rollout/generator.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { prepareRun } from "../../src/train/start/start.ts";
import { optimizerStep } from "../../src/train/step/trainer.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const quiet = { onPreparing: () => {}, pause: async () => {}, onLost: () => {} };
const fresh = (config: RunConfigInput) => prepareRun("run", planRun({ config }), createNodeHost(), quiet);
const small = { backend: "wasm", evalEvery: 0, seed: 5, groupSize: 3, promptsPerStep: 2, threads: 1 } as const;

async function byTrainer(config: RunConfigInput, steps: number) {
  const { trainer, model } = await fresh(config);
  const records: StepRecord[] = [];
  for (let step = 0; step < steps; step++) {
    const phases = trainer.takeStep(() => {});
    let next = await phases.next();
    while (!next.done) next = await phases.next();
    records.push(next.value);
  }
  const { policy } = await modelHere(model).save();
  model.dispose();
  return { figures: records.map(({ metrics: { reward, loss } }) => ({ reward, loss })), policy };
}

async function byParts(input: RunConfigInput, steps: number, own: Partial<TrainingParts> = {}) {
  const { trainer, model: made, task, renderer, rewards } = await fresh(input);
  const model = modelHere(made);
  const { config } = trainer;
  const algorithm = configuredAlgorithm(input);
  const parts = {
    model,
    loader: task.trainLoader(),
    envs: task.envs,
    renderer,
    rewards,
    random: new Random(config.seed),
    algorithm,
    ...own,
  };
  const loop = trainParts(parts, {
    ...{ prompts: config.promptsPerStep, groupSize: config.groupSize, maxNewTokens: config.maxCompletionTokens },
    ...{ maxTurns: task.maxTurns ?? 1, temperature: config.temperature, innerEpochs: config.innerEpochs },
    ...{ optimizer: optimizerStep(config, config.learningRate), microBatchTokens: config.microBatchTokens },
  });
  const taken: TrainedStep[] = [];
  for await (const step of loop) {
    taken.push(step);
    if (taken.length === steps) break;
  }
  const { policy } = await model.save();
  model.dispose();
  return { figures: taken.map(({ meanReward: reward, loss }) => ({ reward, loss })), policy, taken };
}

describe("a loop over parts", () => {
  it.each<[string, RunConfigInput]>([
    ["a calculator over several turns", { ...small, task: "calculator", algorithm: "grpo", innerEpochs: 2, klCoef: 0.05 }],
    ["guesses with credit by turn", { ...small, task: "guess-number", algorithm: "rloo", credit: "turn" }],
    ["two agents", { ...small, task: "checked-arithmetic", algorithm: "dr-grpo", agentRewards: "own", credit: "turn" }],
  ])("gives the trainer's numbers to the bit: %s", async (_, config) => {
    const [trained, looped] = [await byTrainer(config, 3), await byParts(config, 3)];
    expect(looped.figures).toEqual(trained.figures);
    expect(looped.policy).toEqual(trained.policy);
    expect(looped.taken.some(({ judged }) => judged.trajectories_Q.some(({ mask }) => mask.includes(0)))).toBe(true);
  });

  it("takes the generator, the rewards and the algorithm that it is handed", async () => {
    let made = 0;
    const seen: number[] = [];
    const still: Algorithm = {
      advantages: ({ oldLogprobs_K, rewards_P_G }) => {
        seen.push(...rewards_P_G.flat().map(({ total }) => total ?? Number.NaN));
        return new Float64Array(oldLogprobs_K.length);
      },
      objective: (_, advantages_K, { logprobs_K }) => ({
        loss: 7 + advantages_K[0]!,
        gradients: { logprobs_K: new Float32Array(logprobs_K.length), entropies_K: null, values_K: null },
      }),
    };
    const config: RunConfigInput = { ...small, task: "calculator" };
    const rewards: TrainingParts["rewards"] = {
      scoreBatch: (rollouts) => rollouts.map((_, i) => ({ total: i, parts: [], success: false })),
    };
    const found = await byParts(config, 1, {
      algorithm: still,
      rewards,
      generator(parts, examples, options) {
        made += examples.length * options.copies;
        return generate(parts, examples, options);
      },
    });
    expect(made).toBe(6);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
    expect(found.figures[0]).toEqual({ reward: 2.5, loss: 7 });
    // Nothing was pushed, so the weights are those it began with.
    const { model } = await fresh(config);
    expect(found.policy).toEqual((await modelHere(model).save()).policy);
    model.dispose();
  });

  it("says which advantages are missing, and what an algorithm of a configuration has no place for", async () => {
    const few: Algorithm = { ...configuredAlgorithm({ algorithm: "rloo" }), advantages: () => [1, 2] };
    await expect(byParts({ ...small, task: "boxed-arithmetic" }, 1, { algorithm: few })).rejects.toThrow(
      /advantages must be one for each of \d+ sampled tokens, got 2/,
    );
    expect(() => configuredAlgorithm({ algorithm: "ppo" })).toThrow('advantageBaseline must not be "critic"');
    expect(() => configuredAlgorithm({ algorithm: "builtin", klCoef: 0.1, klEstimator: "exact" })).toThrow(
      "klEstimator must be one of sampled tokens",
    );
  });
});

describe("a written conversation as tokens", () => {
  it("has the ids and the mask of a rollout that says the same", async () => {
    const { task, renderer, model, trainer } = await fresh({ ...small, task: "calculator" });
    const policy = model.policy();
    const examples = task.trainLoader().next(6);
    const groups = await generate({ policy, envs: task.envs, renderer }, examples, {
      ...{
        copies: 4,
        maxNewTokens: trainer.config.maxCompletionTokens,
        maxTurns: task.maxTurns ?? 1,
        temperature: 0.05,
        topK: 0,
        topP: 1,
        minP: 0,
        random: new Random(3),
      },
    });
    const finished = groups.flatMap(({ trajectories }) => trajectories).filter(({ stopReason }) => stopReason === "completed");
    expect(finished.some(({ mask }) => mask.includes(0))).toBe(true);
    for (const { messages, promptTokens, tokens, mask } of finished) {
      const found = messageTokens(renderer, messages);
      expect(found).toEqual({ promptTokens, tokens, mask });
    }
    model.dispose();
  });

  it("must end with a turn of the assistant", async () => {
    const { renderer, model } = await fresh({ ...small, task: "calculator" });
    expect(() => messageTokens(renderer, [{ role: "user", content: "?" }])).toThrow("messages must end with a turn of the assistant");
    model.dispose();
  });
});
