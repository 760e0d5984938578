// What repeating oneself costs: the share of n-grams that were said before (Yeo et al. 2025, "Demystifying Long
// Chain-of-Thought Reasoning", arXiv 2502.03373; TRL's get_repetition_penalty_reward), over the words of all
// turns of the policy.
import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** 1 - distinct n-grams / n-grams, 0 where there is none. */
function repeatedShare(words: readonly string[], n: number): number {
  const total = words.length - n + 1;
  if (total <= 0) return 0;
  const distinct = new Set(Array.from({ length: total }, (_, i) => words.slice(i, i + n).join(" ")));
  return 1 - distinct.size / total;
}

/** Minus the share of repeated n-grams, in (-1, 0]; n-grams do not reach from one turn into the next. */
export const repetition = defineLibraryRule({
  name: "repetition",
  title: "Repetition",
  help: "Minus the share of word sequences that were said before; the weight says how much that costs.",
  weight: 1,
  settingsSchema: z.strictObject(section("task", { n: integer(1, 10, 3, "Words", "Length of the word sequences that are compared.") })),
  score({ n }, example, { messages }) {
    const said = messages.slice(example.messages.length).filter(({ role }) => role === "assistant");
    const words = said.map(({ content }) => content.toLowerCase().split(/\s+/).filter(Boolean));
    const ngrams = words.map((turn) => Math.max(0, turn.length - n + 1));
    const total = ngrams.reduce((sum, each) => sum + each, 0);
    if (total === 0) return 0;
    const repeated = words.reduce((sum, turn, i) => sum + repeatedShare(turn, n) * ngrams[i]!, 0);
    return repeated === 0 ? 0 : -repeated / total;
  },
  python: `
def repetition(judged, n):
    turns = [split(text.lower()) for text in judged.said]
    counts = [max(0, len(turn) - n + 1) for turn in turns]
    distinct = [len({" ".join(turn[at : at + n]) for at in range(count)}) for turn, count in zip(turns, counts)]
    shares = [(1 - each / count) * count if count else 0 for each, count in zip(distinct, counts)]
    return -sum(shares) / sum(counts) if sum(shares) else 0.0
`,
});
