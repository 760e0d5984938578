// Whether the gold answer stands anywhere in the last message. Easily cheated: a policy that says every
// number is always right. Beside trueAnswer it shows what reward hacking looks like.
import { z } from "../../../protocol/zod.ts";
import { normalizedWords } from "../match/textMatch.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** 1 when the words of `example.answer` stand next to each other in the message, else 0; null where it has no words. */
export const contains = defineLibraryRule({
  name: "contains",
  title: "Mentions the answer",
  help: "1 when the words of the gold answer stand in the last message, else 0. A policy that lists every answer gets it too.",
  weight: 1,
  needs: ["answer"],
  settingsSchema: z.strictObject({}),
  score(_, example, trajectory) {
    const gold = normalizedWords(example.answer);
    if (gold.length === 0) return null;
    const said = normalizedWords(finalAnswer(trajectory) ?? "");
    return ` ${said.join(" ")} `.includes(` ${gold.join(" ")} `) ? 1 : 0;
  },
  python: `
def contains(judged):
    gold = words(judged.gold)
    return float(f" {' '.join(gold)} " in f" {' '.join(words(judged.text))} ") if gold else None
`,
});
