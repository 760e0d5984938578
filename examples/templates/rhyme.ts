// Rhyme: what a word sounds like from its last vowel but one, in a language that is spelled as it is spoken.

const VOWELS = "aeiou";

/** What two words must share to rhyme: "Baned" and "Daned" share "aned". */
function ending(word: string): string {
  const letters = [...word.toLowerCase()].filter((letter) => letter >= "a" && letter <= "z");
  const vowels = letters.flatMap((letter, i) => (VOWELS.includes(letter) ? [i] : []));
  return letters.slice(vowels.at(-2) ?? vowels.at(-1) ?? 0).join("");
}

// Called with each finished conversation. `question` is what was asked, `text` is what the model said.
export function reward({ question, text }: { question: string; text: string }): number {
  const asked = /\w+(?=\W*$)/.exec(question)?.[0] ?? "";
  const said = text.replace(/<\/?answer>/g, "").trim();
  // One word and no more: otherwise a whole list would surely hold a rhyme.
  if (!/^\w+$/.test(said)) return 0;
  // The word itself rhymes with itself. Without this line the model says it again for ever.
  if (said.toLowerCase() === asked.toLowerCase()) return 0.2;
  return ending(said) === ending(asked) ? 1 : 0;
}
