// What a good answer to a prompt is: one rule of the library for each kind, which judges and rewards it.
import type { Random } from "../../random.ts";
import { answerAlone } from "../../rewards/library/answerAlone.ts";
import { ending } from "../../rewards/library/ending.ts";
import { oneNumber } from "../../rewards/library/oneNumber.ts";
import { sentences } from "../../rewards/library/sentences.ts";
import type { RulePart } from "../../types.ts";
import type { Prompt } from "./fillings.ts";
import { NEEDED } from "./promptLines.ts";

/** A kind of good answers. */
interface Wanted {
  readonly title: string;
  /** Judges an answer: 1 where it is good, less where it is not. */
  readonly part: RulePart;
  /** Where each prompt needs an answer, and of what kind. */
  readonly needs?: "answer" | "number";
  /** A good answer, and one that is none. */
  say(prompt: Prompt): string;
  slip(prompt: Prompt, random: Random): string;
}

/** Another answer than the right one. */
function otherNumber({ answer }: Prompt, random: Random): string {
  return String(Number(answer) + 1 + random.below(9));
}

export const WANTED = {
  question: {
    title: "A question",
    part: ending.part({ text: "?" }),
    say: () => "What do you think of it?",
    slip: () => "I like it.",
  },
  sentence: {
    title: "One sentence",
    part: sentences.part({ most: 1 }),
    say: () => "It is as you know it.",
    slip: () => "It is so. You know it well.",
  },
  named: {
    title: "Names the answer",
    part: answerAlone.part({ named: 1 }),
    needs: NEEDED.named,
    say: ({ answer }) => `It is ${answer}.`,
    slip: () => "It is not known.",
  },
  alone: {
    title: "The answer alone",
    part: answerAlone.part({}),
    needs: NEEDED.alone,
    say: ({ answer }) => answer,
    slip: () => "It is not known.",
  },
  number: {
    title: "The right number",
    part: oneNumber.part({ wrong: 0.2 }),
    needs: NEEDED.number,
    say: ({ answer }) => answer,
    slip: otherNumber,
  },
} as const satisfies Readonly<Record<string, Wanted>>;

/** Name of a kind. */
export type WantedKind = keyof typeof WANTED;
/** Names of all kinds. */
export const WANTED_KINDS = Object.keys(WANTED) as [WantedKind, ...WantedKind[]];

/** A kind by its name. */
export function wantedOf(kind: WantedKind): Wanted {
  return WANTED[kind];
}
