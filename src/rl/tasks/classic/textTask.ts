// What the classic text tasks share: one question, one answer between <answer> and </answer>. Each task
// is left with what it asks, what is right, and what is plausibly wrong.

import type { RunConfigInput } from "../../../protocol/config.ts";
import type { z } from "../../../protocol/zod.ts";
import { askedProblems } from "../../data/splitProblems.ts";
import { singleTurnEnvs } from "../../envs/dialogue.ts";
import type { Random } from "../../random.ts";
import { judgedByTag, taggedAnswer, taggedForm } from "../../rewards/taggedAnswer.ts";
import { saying } from "../../rollout/demonstration.ts";
import { defineTask, type Task } from "../task.ts";

/** Settings for short answers to short questions. */
export const SHORT_ANSWERS = {
  model: "transformer",
  startFrom: "checkpoint",
  steps: 100,
  promptsPerStep: 32,
  groupSize: 8,
  maxCompletionTokens: 24,
  learningRate: 2e-4,
  evalProblems: 128,
} as const satisfies RunConfigInput;

interface TextTaskDefinition<Options extends z.ZodObject, Problem> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly optionsSchema: Options;
  readonly maxCompletionTokens: number;
  /** The shipped checkpoint that knows the form. */
  readonly checkpoint: string;
  draw(options: z.output<Options>, random: Random): Problem;
  /** The same for problems that ask the same. */
  key?(problem: Problem): string;
  ask(problem: Problem): string;
  solve(problem: Problem): string;
  /** A wrong answer that somebody might give. */
  slip(problem: Problem, random: Random): string;
}

/** A task of one turn from its definition. */
export function defineTextTask<
  Options extends z.ZodObject,
  Problem extends Readonly<Record<string, string | number | readonly string[] | readonly number[]>>,
>(definition: TextTaskDefinition<Options, Problem>): Task {
  const { id, title, summary, optionsSchema, maxCompletionTokens, checkpoint, solve, slip } = definition;
  return defineTask({
    id,
    title,
    summary,
    optionsSchema,
    rendererKind: "chat",
    rewards: [taggedAnswer, taggedForm],
    config: { ...SHORT_ANSWERS, checkpoint, maxCompletionTokens },
    create(options, seed) {
      const { trainLoader, evaluation, problemOf } = askedProblems<z.output<Options>, Problem>(definition, solve, options, seed);
      return {
        trainLoader,
        evaluation,
        envs: singleTurnEnvs,
        rewards: [taggedAnswer.part(), taggedForm.part()],
        ...judgedByTag,
        demonstration(example, random, noise) {
          const answer = random.uniform() < noise ? slip(problemOf(example), random) : example.answer;
          return saying(`<answer>${answer}</answer>`);
        },
      };
    },
  });
}
