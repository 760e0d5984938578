// Made-up words that can be spoken: consonants and vowels take turns.
import type { Random } from "../../random.ts";

const CONSONANTS = [..."bdfgklmnprstvz"];
const VOWELS = [..."aeiou"];

/** A word of `length` >= 1 letters, in lower case. */
export function makeWord(length: number, random: Random): string {
  const first = random.below(2);
  return Array.from({ length }, (_, i) => random.pick((first + i) % 2 === 0 ? CONSONANTS : VOWELS)).join("");
}
