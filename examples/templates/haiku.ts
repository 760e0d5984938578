// Haiku form: three lines of 5, 7 and 5 syllables. Each line earns its part, and the nearer its count, the more, so that
// there is something to climb before the first whole haiku.

const FORM = [5, 7, 5];

/** Syllables of an English word by its spelling: groups of vowels, less the letters that are written and not spoken. */
export function syllables(word: string): number {
  const letters = word.toLowerCase().replace(/[^a-z]/g, "");
  if (letters === "") return 0;
  const spoken = letters
    // "made", "rides", "walked": an e near the end is silent, but not in "table", "boxes", "waited".
    .replace(/([^aeiouylr])es?$/, (end, before) => (/(s|x|z|ch|sh|c|g)es$/.test(letters) ? end : before))
    .replace(/([^aeiouy])([lr])es$/, "$1$2e")
    .replace(/([aeiouy][lr])es?$/, "$1")
    .replace(/([^aeiouytd])ed$/, "$1")
    // Two vowels that are spoken one by one: "quiet", "science", "lion", "idea", "being", "poem", "cruel", "january".
    .replace(/i(?=a|et|en(?!d)|o)|(?<=[aeiou][a-z])e(?=a$)|e(?=ing)|o(?=e[mt])|u(?=e[lt])|(?<![gqs])u(?=ar)/g, "$&-")
    // "nation", "special", "ocean", "patient" are spoken as one all the same.
    .replace(/(?<!s)([tcs])i-(?=[ao]|en)/g, "$1i");
  return Math.max(1, spoken.match(/[aeiouy]+/g)?.length ?? 0);
}

/** How near a line comes to its count: 1 where it has it, 0 from three too many or too few. */
function nearness(line: string, wanted: number): number {
  const counted = line.split(/\s+/).reduce((sum, word) => sum + syllables(word), 0);
  return Math.max(0, 1 - Math.abs(counted - wanted) / 3);
}

// Called with each finished conversation; `text` is what the model said.
export function reward({ text }: { text: string }): number {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const near = FORM.reduce((sum, wanted, i) => sum + nearness(lines[i] ?? "", wanted), 0) / FORM.length;
  // A fourth line costs a third, and so on: otherwise the best three of many would do.
  return Math.max(0, near - Math.max(0, lines.length - FORM.length) / FORM.length);
}
