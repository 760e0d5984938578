// What every registered task promises.

import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { InputError } from "../../../src/protocol/problems.ts";
import { isOwnPrompt, problemAsked } from "../../../src/rl/data/ownPrompt.ts";
import { Random } from "../../../src/rl/random.ts";
import { scoreGroups, weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { workOut } from "../../../src/rl/rollout/demonstration.ts";
import { generate } from "../../../src/rl/rollout/generator.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import type { TaskInstance } from "../../../src/rl/tasks/task.ts";
import type { Example } from "../../../src/rl/types.ts";
import { labTokenizer } from "../../model/renderers/tokenizerFixture.ts";
import { tries } from "../../support/long.ts";
import { scoreOne } from "../../support/scoring.ts";
import { babblingPolicy } from "../babblingPolicy.ts";

const renderers = { digits: digitsRenderer, chat: createChatRenderer(labTokenizer()) };

it("tasks have different ids", () => {
  expect(new Set(tasks.map(({ entry }) => entry.id)).size).toBe(tasks.length);
});

it.each(tasks.map((task) => [task.entry.id, task] as const))("%s has problems on both sides at the bounds of its options", (_id, task) => {
  const bounds = task.entry.fields.flatMap(({ key, kind, min, max, choices }): readonly Record<string, unknown>[] => {
    const values =
      kind === "flag" ? [true, false] : kind === "choice" ? (choices ?? []) : kind === "integer" ? [min, min! + 1, max] : [min, max];
    return values.map((value) => ({ [key]: value }));
  });
  const pairs = bounds.flatMap((one, i) => bounds.slice(i + 1).map((other) => ({ ...one, ...other })));
  for (const options of [{}, ...bounds, ...pairs]) {
    let instance: TaskInstance;
    try {
      instance = task.create(options, 1);
    } catch (error) {
      // Some options rule others out, and say so.
      if (error instanceof InputError) continue;
      throw error;
    }
    expect(instance.evaluation(2).length, JSON.stringify(options)).toBeGreaterThan(0);
    expect(instance.trainLoader().next(2), JSON.stringify(options)).toHaveLength(2);
  }
});

describe.each(tasks.map((task) => [task.entry.id, task] as const))("the task %s", (id, task) => {
  const instance = task.create({}, 7);
  const renderer = renderers[task.rendererKind];
  const rewards = weightedReward(instance, {});
  const best = instance.rewards.reduce((sum, part) => sum + Math.max(0, part.weight), 0);
  const { maxCompletionTokens: maxNewTokens } = runConfigSchema.parse(task.entry.config);
  const maxTurns = instance.maxTurns ?? 1;
  /** A worked conversation with the task's own environment, through tokens and back. */
  const worked = (example: Example, random: Random, noise: number) =>
    workOut({ envs: instance.envs, renderer }, example, instance.demonstration(example, random, noise), random.bits(), {
      maxTurns,
      maxPositions: 512,
    });

  it("has a configuration that passes the schema and fields whose defaults pass its own", () => {
    expect(runConfigSchema.parse(task.entry.config).task).toBe(id);
    const defaults = Object.fromEntries(task.entry.fields.map(({ key, preset }) => [key, preset]));
    expect(task.optionsSchema.parse(defaults)).toEqual(task.optionsSchema.parse({}));
    expect(task.entry.rewards.map(({ name }) => name)).toEqual(instance.rewards.map(({ name }) => name));
  });

  it("names an unknown option", () => expect(() => task.create({ bogus: 1 }, 0)).toThrow('unknown field "taskOptions.bogus"'));

  it("rewards its own right conversations with the maximum, through tokens and back", async () => {
    const random = new Random(1);
    for (const example of [...instance.trainLoader().next(tries(60, 150)), ...instance.evaluation(tries(20, 50))]) {
      const trajectory = worked(example, random, 0);
      expect(trajectory.stopReason).toBe("completed");
      const { total, success } = await scoreOne(rewards, example, trajectory);
      expect(success).toBe(true);
      expect(total).toBeCloseTo(best, 9);
      expect(instance.hasForm(example, trajectory)).toBe(true);
      expect(trajectory.promptTokens.length).toBeLessThanOrEqual(120);
      for (const turn of turnLengths(trajectory.mask)) expect(turn).toBeLessThanOrEqual(maxNewTokens);
      if (instance.fixedLength !== undefined) expect(trajectory.tokens).toHaveLength(instance.fixedLength);
      if (task.rendererKind !== "chat") continue;
      // Turn by turn is what the whole conversation, opened again, is rendered as; that is the chat template's form.
      const ids = [...trajectory.promptTokens, ...trajectory.tokens];
      expect(renderer.renderPrompt({ messages: trajectory.messages }).slice(0, ids.length)).toEqual(ids);
    }
  });

  it("makes mistakes that keep the form and never succeed, in the asked share", () => {
    const random = new Random(2);
    let right = 0;
    for (const example of instance.trainLoader().next(400)) {
      const wrong = worked(example, random, 1);
      expect(instance.isSuccess(example, wrong)).toBe(false);
      expect(instance.hasForm(example, wrong)).toBe(true);
      if (instance.isSuccess(example, worked(example, random, 0.4))) right++;
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

  it("survives random rollouts within its limits and repeats them to the bit", async () => {
    const copies = tries(2, 10);
    const roll = async () => {
      const random = new Random(3);
      const examples = instance.trainLoader().next(100);
      const policy = babblingPolicy(renderer, (g) => worked(examples[g % examples.length]!, new Random(g), 0.5).tokens);
      const parts = { policy, envs: instance.envs, renderer };
      const options = { copies, maxNewTokens, maxTurns, temperature: 1, topK: 0, topP: 1, minP: 0, random };
      const groups = await generate(parts, examples, options);
      const scores_P_G = await scoreGroups(groups, rewards, { maxCompletionTokens: maxNewTokens, overlongBuffer: 0 });
      return groups.map((group, p) => ({ group, scores: scores_P_G[p]! }));
    };
    const rolled = await roll();
    const trajectories = rolled.flatMap(({ group }) => group.trajectories);
    const scores = rolled.flatMap((each) => each.scores);
    expect(scores).toHaveLength(100 * copies);
    for (const { total } of scores) expect(total === null || total <= best + 1e-9).toBe(true);
    for (const { mask, report } of trajectories) {
      expect(turnLengths(mask).length).toBeLessThanOrEqual(maxTurns);
      if (report) expect(report.turns).toHaveLength(turnLengths(mask).length);
    }
    expect(await roll()).toEqual(rolled);
  });
});

/** Lengths of the runs of sampled tokens. */
function turnLengths(mask: readonly number[]): readonly number[] {
  return mask
    .join("")
    .split(/0+/)
    .filter((run) => run !== "")
    .map((run) => run.length);
}

describe.each(tasks.map((task) => [task.entry.id, task] as const))("a custom prompt to the task %s", (_id, task) => {
  const instance = task.create({}, 7);
  const renderer = renderers[task.rendererKind];
  const examples = instance.evaluation(4);
  const form = examples[0]!.messages.at(-1)!.content;

  it("opens a conversation that runs to its end, or is refused with the form that it must have", async () => {
    const open = () => problemAsked(instance, "What is the colour of 7?", examples);
    if (instance.asks?.("What is the colour of 7?") === null)
      return expect(open).toThrow(`prompt must have the form ${JSON.stringify(form)} for this task`);
    const example = open();
    expect(isOwnPrompt(example)).toBe(true);
    const speak = instance.demonstration(examples[0]!, new Random(1), 0);
    const words = renderer.renderCompletion(speak({ messages: examples[0]!.messages }));
    const parts = { policy: babblingPolicy(renderer, () => words), envs: instance.envs, renderer, startAgents: [] };
    const limits = { copies: 2, maxNewTokens: 12, maxTurns: instance.maxTurns ?? 1, topK: 0, topP: 1, minP: 0, temperature: 1 };
    const [group] = await generate(parts, [example], { ...limits, random: new Random(3) });
    expect(group?.trajectories[0]?.messages.find(({ role }) => role === "user")?.content).toBe("What is the colour of 7?");
  });

  it("that reads like one of its own is that problem, with its answer", () => {
    expect(problemAsked(instance, form, examples)).toBe(examples[0]);
    const posed = instance.trainLoader().next(1)[0]!.messages.at(-1)!.content;
    if (instance.asks && posed !== form) expect(problemAsked(instance, posed, examples)).toMatchObject({ messages: [{ content: posed }] });
  });
});

describe.each(["boxed-arithmetic", "calculator", "checked-arithmetic"])("a sum in the form that %s trains on", (id) => {
  const instance = tasks.find(({ entry }) => entry.id === id)!.create({}, 7);

  it("is that problem, with its answer, whether it is drawn or anybody's", () => {
    for (const example of [...instance.trainLoader().next(50), ...instance.evaluation(20)])
      expect(instance.asks?.(example.messages.at(-1)!.content)).toEqual(example);
    expect(instance.asks?.("What is 17 + 25?")?.answer).toBe("42");
    expect(instance.asks?.("What is 120 - 21?")?.answer).toBe("99");
  });

  it("is none where the text is of another form", () => {
    for (const text of ["17 + 25", "What is 017 + 25?", "What is 17 + 25? And 3 + 4?", "What is 17 / 5?", "what is 17 + 25?", ""])
      expect(instance.asks?.(text)).toBeUndefined();
  });
});
