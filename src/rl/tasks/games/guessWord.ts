// Guess a word of a list: each guess is answered with how many of its letters are right and in their
// place. Good play guesses the word that leaves the fewest possible whatever the answer.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { makeWord } from "../../data/names.ts";
import type { Game } from "../../envs/gameEnv.ts";
import { log } from "../../exactMath.ts";
import { defineGameTask } from "./gameTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    words: integer(3, 10, 6, "Words", "How many words the list has."),
    letters: integer(2, 6, 3, "Letters", "Letters of each word."),
    maxGuesses: integer(2, 8, 4, "Most guesses", "Guesses before the game is lost."),
  }),
);

/** Letters that two words of one length have in common, place by place. */
function inPlace(word: string, other: string): number {
  return [...word].filter((letter, i) => letter === other[i]).length;
}

/** Words of a list that agree with every answer so far. */
function possible(words: readonly string[], secret: string, guesses: readonly string[]): readonly string[] {
  return words.filter((word) => guesses.every((guess) => inPlace(guess, word) === inPlace(guess, secret)));
}

/** The possible word whose worst answer leaves the fewest words; the first of equal ones. */
function bestGuess(words: readonly string[]): string {
  const worst = (guess: string) => {
    const counts = new Map<number, number>();
    for (const word of words) counts.set(inPlace(guess, word), (counts.get(inPlace(guess, word)) ?? 0) + 1);
    return Math.max(...counts.values());
  };
  return words.reduce((best, word) => (worst(word) < worst(best) ? word : best));
}

/** Guesses that good play needs. */
function needed(words: readonly string[], secret: string): number {
  const guesses: string[] = [];
  while (guesses.at(-1) !== secret) guesses.push(bestGuess(possible(words, secret, guesses)));
  return guesses.length;
}

export const guessWord = defineGameTask({
  id: "guess-word",
  title: "Guess a word",
  summary: "Find a word of a list by guesses that are answered with the number of letters in place.",
  optionsSchema,
  checkpoint: "words",
  maxCompletionTokens: 12,
  draw({ words, letters, maxGuesses }, random) {
    for (;;) {
      const list = new Set<string>();
      // Vowels and consonants take the same places in all of them, so that letters can agree.
      while (list.size < words) list.add(makeWord(letters + 1, random).slice(0, letters));
      const text = [...list].join(" ");
      const secret = random.pick([...list]);
      if (needed([...list], secret) <= maxGuesses) return { words: text, secret };
    }
  },
  key: ({ words }) => words,
  ask: ({ words }) => `Guess a word: ${words}.`,
  read(prompt, random) {
    const words = /^Guess a word: ([a-z]+(?: [a-z]+)+)\.$/.exec(prompt)?.[1]?.split(" ") ?? [];
    const isList = words.length > 1 && new Set(words).size === words.length && words.every((word) => word.length === words[0]!.length);
    return isList ? { words: words.join(" "), secret: random.pick(words) } : null;
  },
  answer: ({ secret }) => secret,
  maxTurns: ({ maxGuesses }) => maxGuesses,
  game({ words: text, secret }): Game<readonly string[]> {
    const words = text.split(" ");
    const left = (guesses: readonly string[]) => possible(words, secret, guesses).length;
    return {
      opening: [],
      play(guesses, move) {
        if (!words.includes(move)) return null;
        return { state: [...guesses, move], observation: move === secret ? null : `${inPlace(move, secret)} in place` };
      },
      score: (guesses) => (guesses.at(-1) === secret ? 1 : 0),
      progress: (guesses) => (guesses.at(-1) === secret ? 1 : 1 - log(left(guesses) + 1) / log(words.length + 1)),
      draw: (guesses) => ({
        kind: "board",
        caption: `The word is ${secret}; ${left(guesses)} of ${words.length} are possible.`,
        rows: guesses.map((guess) => [...guess, `${inPlace(guess, secret)}`]),
      }),
    };
  },
  best: ({ words, secret }, guesses) => bestGuess(possible(words.split(" "), secret, guesses)),
  careless: ({ words, secret }, _, random) => random.pick(words.split(" ").filter((word) => word !== secret)),
});
