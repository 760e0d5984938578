// Guess a number: after each guess the environment says whether the number is higher or lower.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import type { Game } from "../../envs/gameEnv.ts";
import { log } from "../../exactMath.ts";
import { defineGameTask } from "./gameTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    largest: integer(
      7,
      999,
      31,
      "Largest number",
      "The number lies between 1 and a limit that is told, at most this and at least half of it.",
    ),
    spare: integer(0, 10, 1, "Spare guesses", "Guesses beyond those that always suffice when each halves what is left."),
  }),
);

interface Guessing {
  /** The number lies in [low, high]. */
  readonly low: number;
  readonly high: number;
  readonly guesses: readonly number[];
}

/** Guesses that always suffice among `count` numbers. */
const halvings = (count: number) => 32 - Math.clz32(count);

export const guessNumber = defineGameTask({
  id: "guess-number",
  title: "Guess a number",
  summary: "Find a number by guesses that are answered with higher or lower.",
  optionsSchema,
  checkpoint: "numbers",
  maxCompletionTokens: 6,
  // The limit varies: a number that is held out with one has been the secret with others.
  draw(options, random) {
    const largest = options.largest - random.below(Math.floor(options.largest / 2) + 1);
    return { largest, secret: 1 + random.below(largest) };
  },
  ask: ({ largest }) => `Guess a number from 1 to ${largest}.`,
  read(prompt, random) {
    const largest = Number(/^Guess a number from 1 to (\d{1,3})\.$/.exec(prompt)?.[1]);
    return largest > 1 ? { largest, secret: 1 + random.below(largest) } : null;
  },
  answer: ({ secret }) => String(secret),
  maxTurns: ({ largest, spare }) => halvings(largest) + spare,
  game: ({ largest, secret }): Game<Guessing> => ({
    opening: { low: 1, high: largest, guesses: [] },
    play({ low, high, guesses }, move) {
      if (!/^\d{1,6}$/.test(move)) return null;
      const guess = Number(move);
      const all = [...guesses, guess];
      if (guess === secret) return { state: { low: guess, high: guess, guesses: all }, observation: null };
      const isHigher = secret > guess;
      const state = isHigher ? { low: Math.max(low, guess + 1), high } : { low, high: Math.min(high, guess - 1) };
      return { state: { ...state, guesses: all }, observation: isHigher ? "higher" : "lower" };
    },
    score: ({ guesses }) => (guesses.at(-1) === secret ? 1 : 0),
    // Numbers still possible, in bits: each halving earns the same, and the last guess the rest.
    progress({ low, high, guesses }) {
      if (guesses.at(-1) === secret) return 1;
      return 1 - log(high - low + 2) / log(largest + 1);
    },
    draw: ({ low, high, guesses }) => ({
      kind: "board",
      caption: `The number is ${secret}; ${low} to ${high} are possible.`,
      rows: [guesses.map(String)],
    }),
  }),
  best: (_, { low, high }) => String(Math.floor((low + high) / 2)),
  careless({ largest, secret }, _, random) {
    const guess = 1 + random.below(largest - 1);
    return String(guess < secret ? guess : guess + 1);
  },
});
