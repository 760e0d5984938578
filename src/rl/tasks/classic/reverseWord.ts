// Spell a word backwards. Words are made of syllables, so that none is known by heart, and spelled with
// hyphens, so that every letter is a token of its own.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { makeWord } from "../../data/names.ts";
import { defineTextTask } from "./textTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    shortest: integer(2, 12, 3, "Shortest word", "Fewest letters of a word."),
    longest: integer(2, 12, 6, "Longest word", "Most letters of a word; a number below the shortest counts as that."),
  }),
);

const spell = (letters: readonly string[]) => letters.join("-");

export const reverseWord = defineTextTask({
  id: "reverse-word",
  title: "Reverse a word",
  summary: "Spell a made-up word backwards.",
  optionsSchema,
  maxCompletionTokens: 32,
  checkpoint: "puzzles",
  draw({ shortest, longest }, random) {
    for (;;) {
      const length = shortest + random.below(Math.max(0, longest - shortest) + 1);
      const word = makeWord(length, random);
      // A palindrome asks nothing.
      if (word !== [...word].reverse().join("")) return { word };
    }
  },
  ask: ({ word }) => `Reverse ${spell([...word])}.`,
  solve: ({ word }) => spell([...word].reverse()),
  slip({ word }, random) {
    const letters = [...word].reverse();
    const right = letters.join("");
    // Two neighbours change places, or the word comes back as it was.
    const places = letters.flatMap((letter, i) => (i > 0 && letters[i - 1] !== letter ? [i] : []));
    if (random.uniform() < 0.3) return spell([...word]);
    const at = random.pick(places);
    [letters[at - 1], letters[at]] = [letters[at]!, letters[at - 1]!];
    return letters.join("") === right ? spell([...word]) : spell(letters);
  },
});
