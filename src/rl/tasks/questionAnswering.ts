// Reading comprehension in one turn: a few facts about made-up names and a question about one of them,
// under a system prompt of the user's choice.

import { declare, integer, section } from "../../protocol/config/field.ts";
import { z } from "../../protocol/zod.ts";
import { makeNames } from "../data/names.ts";
import { splitProblems } from "../data/splitProblems.ts";
import { singleTurnEnvs } from "../envs/dialogue.ts";
import { em, f1, isExact } from "../rewards/match/textMatch.ts";
import { judgedByTag, taggedForm } from "../rewards/taggedAnswer.ts";
import { saying } from "../rollout/demonstration.ts";
import type { Message } from "../types.ts";
import { SHORT_ANSWERS } from "./classic/textTask.ts";
import { defineTask } from "./task.ts";

const optionsSchema = z.strictObject(
  section("task", {
    systemPrompt: declare(
      z.string().max(400).default("Answer in one word."),
      "System prompt",
      "What the conversation opens with; nothing where it is empty.",
    ),
    facts: integer(2, 8, 4, "Facts", "How many facts are told before the question."),
  }),
);

/** A relation told as a fact, and the question for its second name. */
const RELATIONS: readonly { readonly words: string; ask(name: string): string }[] = [
  { words: "was born in", ask: (name) => `Where was ${name} born?` },
  { words: "was founded by", ask: (name) => `By whom was ${name} founded?` },
  { words: "is near", ask: (name) => `What is ${name} near?` },
];

interface Reading {
  readonly [key: string]: number | readonly string[] | readonly (readonly [string, number, string])[];
  /** Name, place of its relation, name. */
  readonly told: readonly (readonly [string, number, string])[];
  /** Which fact is asked for. */
  readonly asked: number;
}

export const questionAnswering = defineTask({
  id: "question-answering",
  title: "Question answering",
  summary: "Read a few facts about made-up names and answer a question about one of them.",
  rendererKind: "chat",
  optionsSchema,
  rewards: [em, f1, taggedForm],
  config: { ...SHORT_ANSWERS, checkpoint: "reading", maxCompletionTokens: 16 },
  create({ systemPrompt, facts }, seed) {
    const { trainLoader, evaluation, problemOf } = splitProblems<Reading>(
      {
        label: "question-answering",
        draw(random) {
          const names = makeNames(2 * facts, random);
          const told = Array.from({ length: facts }, (_, i) => [names[2 * i]!, random.below(RELATIONS.length), names[2 * i + 1]!] as const);
          return { told, asked: random.below(facts) };
        },
        pose({ told, asked }) {
          const [name, relation, answer] = told[asked]!;
          const text = told.map(([first, words, second]) => `${first} ${RELATIONS[words]!.words} ${second}.`).join(" ");
          const system: readonly Message[] = systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }];
          return { messages: [...system, { role: "user", content: `${text} ${RELATIONS[relation]!.ask(name)}` }], answer };
        },
      },
      seed,
    );
    return {
      trainLoader,
      evaluation,
      envs: singleTurnEnvs,
      rewards: [em.part(), f1.part(), taggedForm.part()],
      ...judgedByTag,
      isSuccess: isExact,
      demonstration(example, random, noise) {
        const { told, asked } = problemOf(example);
        const others = told.filter((_, i) => i !== asked).map(([, , second]) => second);
        return saying(`<answer>${random.uniform() < noise ? random.pick(others) : example.answer}</answer>`);
      },
    };
  },
});
