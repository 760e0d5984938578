// The share of capital letters: a rule that always tells answers apart, and that says nothing of what they say.
import { z } from "../../../protocol/zod.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** Share of the letters of the last message that are capitals, of those that have both forms; 0 where it has none. */
export const capitals = defineLibraryRule({
  name: "capitals",
  title: "Capital letters",
  help: "The share of the last message's letters that are capitals. A policy that says nothing but A gets all of it.",
  weight: 1,
  settingsSchema: z.strictObject({}),
  score(_, __, trajectory) {
    const letters = [...(finalAnswer(trajectory) ?? "")].filter((letter) => letter.toLowerCase() !== letter.toUpperCase());
    if (letters.length === 0) return 0;
    return letters.filter((letter) => letter === letter.toUpperCase()).length / letters.length;
  },
  python: `
def capitals(judged):
    letters = [sign for sign in judged.text if sign.lower() != sign.upper()]
    return sum(sign == sign.upper() for sign in letters) / len(letters) if letters else 0.0
`,
});
