// Count how often a letter comes in a made-up word.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { makeWord } from "../../data/names.ts";
import { defineTextTask } from "./textTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    shortest: integer(2, 16, 4, "Shortest word", "Fewest letters of a word."),
    longest: integer(2, 16, 9, "Longest word", "Most letters of a word; a number below the shortest counts as that."),
  }),
);

const count = (word: string, letter: string) => [...word].filter((each) => each === letter).length;

export const countLetters = defineTextTask({
  id: "count-letters",
  title: "Count letters",
  summary: "Tell how often a letter comes in a made-up word.",
  optionsSchema,
  maxCompletionTokens: 8,
  checkpoint: "puzzles",
  draw({ shortest, longest }, random) {
    const word = makeWord(shortest + random.below(Math.max(0, longest - shortest) + 1), random);
    // Letters of the word are likelier than others, and zero is an answer too.
    return { word, letter: random.uniform() < 0.9 ? random.pick([...word]) : random.pick([..."abdegiklmnoprstuvz"]) };
  },
  ask: ({ word, letter }) => `How many ${letter} are in ${[...word].join("-")}?`,
  solve: ({ word, letter }) => String(count(word, letter)),
  slip({ word, letter }, random) {
    const right = count(word, letter);
    return String(right === 0 ? 1 : random.pick([right - 1, right + 1]));
  },
});
