// Names that nobody has heard: a capital and syllables, thousands of combinations, so that they cannot be
// learnt by heart and must be copied. A syllable is a vowel and a consonant, a capital one that the
// tokenizer never joins with the blank before it; so a name has the same few tokens wherever it stands.
// Made-up words, in lower case, are of single letters: consonants and vowels take turns, so that they can be spoken and
// words of a length agree in the places of their vowels. Tasks that spell, such as reversing and guessing, draw them.
import type { Random } from "../random.ts";

const CAPITALS = [..."BCDFHJKLPRSTVZ"];
const SYLLABLES = ["an", "ar", "as", "at", "ed", "er", "es", "il", "im", "in", "ir", "is", "it", "ol", "om", "on", "or", "um"];

/** A name of two syllables. */
export function makeName(random: Random): string {
  return random.pick(CAPITALS) + random.pick(SYLLABLES) + random.pick(SYLLABLES);
}

/** Different names. */
export function makeNames(count: number, random: Random): readonly string[] {
  const names = new Set<string>();
  while (names.size < count) names.add(makeName(random));
  return [...names];
}

const CONSONANTS = [..."bdfgklmnprstvz"];
const VOWELS = [..."aeiou"];

/** A made-up word that can be spoken, since consonants and vowels take turns, of `length` >= 1 letters, in lower case. */
export function makeWord(length: number, random: Random): string {
  const first = random.below(2);
  return Array.from({ length }, (_, i) => random.pick((first + i) % 2 === 0 ? CONSONANTS : VOWELS)).join("");
}
