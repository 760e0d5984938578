// What every registered task promises.
import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { generate } from "../../../src/rl/generator.ts";
import { Random } from "../../../src/rl/random.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import { uniformPolicy } from "../../../src/rl/uniformPolicy.ts";
import { labTokenizer } from "../../model/tokenizerFixture.ts";
import { answered } from "../trajectoryFixture.ts";

const renderers = { digits: digitsRenderer, chat: createChatRenderer(labTokenizer()) };

it("tasks have different ids", () => {
  expect(new Set(tasks.map(({ entry }) => entry.id)).size).toBe(tasks.length);
});

describe.each(tasks.map((task) => [task.entry.id, task] as const))("the task %s", (id, task) => {
  const instance = task.create({}, 7);
  const renderer = renderers[task.rendererKind];
  const rewards = weightedReward(instance, {});
  const best = instance.rewards.reduce((sum, part) => sum + Math.max(0, part.weight), 0);

  it("has a configuration that passes the schema and fields whose defaults pass its own", () => {
    expect(runConfigSchema.parse(task.entry.config).task).toBe(id);
    const defaults = Object.fromEntries(task.entry.fields.map(({ key, preset }) => [key, preset]));
    expect(task.optionsSchema.parse(defaults)).toEqual(task.optionsSchema.parse({}));
    expect(task.entry.rewards.map(({ name }) => name)).toEqual(instance.rewards.map(({ name }) => name));
  });

  it("names an unknown option", () => expect(() => task.create({ bogus: 1 }, 0)).toThrow('unknown field "taskOptions.bogus"'));

  it("rewards its own right answers with the maximum, through tokens and back", () => {
    const random = new Random(1);
    for (const example of [...instance.trainLoader().next(150), ...instance.evaluation(50)]) {
      const completion = renderer.renderCompletion(instance.demonstration(example, random, 0));
      const trajectory = answered(example, renderer.parse(completion).content);
      expect(rewards.score(example, trajectory)).toMatchObject({ total: best, success: true });
      expect(instance.hasForm(example, trajectory)).toBe(true);
      expect(completion.length).toBeLessThanOrEqual(runConfigSchema.parse(task.entry.config).maxCompletionTokens);
      if (instance.fixedLength !== undefined) expect(completion).toHaveLength(instance.fixedLength);
    }
  });

  it("makes mistakes that keep the form and never succeed, in the asked share", () => {
    const random = new Random(2);
    let right = 0;
    for (const example of instance.trainLoader().next(400)) {
      const wrong = answered(example, instance.demonstration(example, random, 1).content);
      expect(instance.isSuccess(example, wrong)).toBe(false);
      expect(instance.hasForm(example, wrong)).toBe(true);
      if (instance.isSuccess(example, answered(example, instance.demonstration(example, random, 0.4).content))) right++;
    }
    expect(right / 400).toBeGreaterThan(0.5);
    expect(right / 400).toBeLessThan(0.7);
  });

  it("gives the same problems for a seed and its environments their prompts", () => {
    const again = task.create({}, 7);
    expect(again.trainLoader().next(20)).toEqual(instance.trainLoader().next(20));
    expect(again.evaluation(20)).toEqual(instance.evaluation(20));
    expect(instance.evaluation(20).slice(0, 5)).toEqual(instance.evaluation(5));
    for (const example of instance.evaluation(5)) expect(instance.envs.build(example, 0).start().messages).toEqual(example.messages);
  });

  it("survives 1,000 random rollouts and repeats them to the bit", async () => {
    const roll = async () => {
      const random = new Random(3);
      const parts = { policy: uniformPolicy(renderer.vocabularySize), envs: instance.envs, renderer };
      const options = { copies: 10, maxNewTokens: 12, maxTurns: instance.maxTurns ?? 1, temperature: 1, topK: 0, topP: 1, minP: 0, random };
      const groups = await generate(parts, instance.trainLoader().next(100), options);
      return groups.map((group) => ({ group, scores: group.trajectories.map((trajectory) => rewards.score(group.example, trajectory)) }));
    };
    const rolled = await roll();
    const scores = rolled.flatMap((each) => each.scores);
    expect(scores).toHaveLength(1000);
    for (const { total } of scores) expect(total === null || (total >= 0 && total <= best)).toBe(true);
    expect(await roll()).toEqual(rolled);
  });
});
