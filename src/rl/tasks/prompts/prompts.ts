// Custom prompts, or the lab's, put to a model that can chat: what they ask and what a good answer is are
// plain settings. For models that know a language; the lab's own small ones only know its other tasks.
import { choice, declare, integer, section } from "../../../protocol/config/field.ts";
import { InputError } from "../../../protocol/problems.ts";
import { z } from "../../../protocol/zod.ts";
import { cutProblems, problemStream } from "../../data/problems.ts";
import { singleTurnEnvs } from "../../envs/dialogue.ts";
import { isNumeric } from "../../rewards/match/semanticMatch.ts";
import { saying } from "../../rollout/demonstration.ts";
import type { Example, Message } from "../../types.ts";
import { defineTask } from "../task.ts";
import type { Prompt } from "./fillings.ts";
import { readPrompts } from "./promptLines.ts";
import { WANTED, WANTED_KINDS, type WantedKind, wantedOf } from "./wanted.ts";

const optionsSchema = z.strictObject(
  section("task", {
    prompts: declare(
      z.string().max(20_000).default("Ask me one short question about {thing}."),
      "Prompts",
      'One a line, with the answer behind "=>" where there is one. {thing} makes a prompt of each of forty things, {country} of each of some thirty countries, whose {capital} an answer may name; {a} and {b} are numbers, with {sum}, {larger} and {smaller}. One in eight is held out, and at least eight of 32 or more.',
      { lines: true },
    ),
    wanted: choice(WANTED_KINDS, "question", "Wanted", "What a good answer is; the policy must end it by itself.", {
      titles: Object.fromEntries(WANTED_KINDS.map((kind) => [kind, WANTED[kind].title])),
    }),
    systemPrompt: declare(
      z.string().max(400).default(""),
      "System prompt",
      "What the conversation opens with; where it is empty, what the model itself opens with.",
    ),
    largest: integer(2, 99, 20, "Largest number", "Up to which {a} and {b} go."),
  }),
);

function wrongPrompts(rule: string): InputError {
  return new InputError([{ field: "taskOptions.prompts", message: `taskOptions.prompts ${rule}` }]);
}

/** The problems of the lines, which have the answers that what is wanted needs. Throws InputError. */
function problemsOf(text: string, largest: number, kind: WantedKind): readonly Prompt[] {
  const read = readPrompts(text, largest);
  if ("rule" in read) throw wrongPrompts(read.rule);
  const { needs } = wantedOf(kind);
  const isMissing = ({ answer }: Prompt) => (needs === "number" ? !isNumeric(answer) : needs === "answer" && !/[\p{L}\p{N}]/u.test(answer));
  const missing = read.find(isMissing);
  if (missing) {
    const what = needs === "number" ? "a number" : "an answer";
    throw wrongPrompts(
      `must have ${what} behind "=>" where taskOptions.wanted is "${kind}", ${JSON.stringify(missing.question.slice(0, 60))} has none`,
    );
  }
  return read;
}

const PART = {
  name: "wanted",
  title: "As wanted",
  weight: 1,
  paysAnswers: true as const,
  help: "1 for a good answer, as the task's setting Wanted has it; less for others.",
};

export const prompts = defineTask({
  id: "prompts",
  title: "Prompts",
  summary: "Put prompts, the lab's or your own, to a model that can chat, and say what a good answer is.",
  rendererKind: "chat",
  optionsSchema,
  rewards: [PART],
  config: {
    model: "transformer",
    startFrom: "checkpoint",
    algorithm: "grpo",
    checkpoint: "HuggingFaceTB/SmolLM2-135M-Instruct",
    loraRank: 8,
    learningRate: 3e-4,
    measureUpdate: false,
    steps: 20,
    promptsPerStep: 4,
    groupSize: 8,
    maxCompletionTokens: 24,
    evalEvery: 10,
    evalProblems: 8,
    evalSamples: 8,
  },
  create({ prompts: text, wanted, systemPrompt, largest }, seed) {
    const problems = problemsOf(text, largest, wanted);
    const { training, heldOut } = cutProblems(problems, ({ question }) => question);
    // The only prompt there is is asked on both sides.
    const trained = training.length > 0 ? training : heldOut;
    const { part, say, slip } = wantedOf(wanted);
    const system: readonly Message[] = systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }];
    const exampleOf = ({ question, answer }: Prompt): Example => ({
      id: `prompts/${question}`,
      messages: [...system, { role: "user", content: question }],
      answer,
    });
    const promptOf = ({ messages, answer }: Example): Prompt => ({ question: messages.at(-1)?.content ?? "", answer });
    return {
      trainLoader: () => problemStream(seed, "prompts", (random) => exampleOf(random.pick(trained))),
      evaluation: (count) => heldOut.slice(0, count).map(exampleOf),
      envs: singleTurnEnvs,
      rewards: [{ ...part, ...PART }],
      isSuccess: (example, trajectory) => part.score(example, trajectory) === 1,
      hasForm: (_, { stopReason }) => stopReason === "completed",
      demonstration: (example, random, noise) => {
        const prompt = promptOf(example);
        return saying(random.uniform() < noise ? slip(prompt, random) : say(prompt));
      },
    };
  },
});
