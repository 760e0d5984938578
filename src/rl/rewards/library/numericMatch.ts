// Whether the answer that a text comes to is the right number, for policies that were asked for no form: the last box, else the
// last <answer>, else what follows the last "####" (as in GSM8K), else what "the answer is", else the last number.
import { z } from "../../../protocol/zod.ts";
import { isNumeric } from "../match/semanticMatch.ts";
import { statesNumber } from "../match/statement.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** 1 when the answer means the same number as `example.answer`, else 0; null where that is no number. */
export const numericMatch = defineLibraryRule({
  name: "numericMatch",
  title: "Right number",
  help: "1 when the number that the text comes to equals the gold answer (0.5, 1/2 and 50% agree), else 0; not scored where the gold answer is no number.",
  weight: 1,
  paysAnswers: true,
  needs: ["answer"],
  settingsSchema: z.strictObject({}),
  score(_, { answer }, trajectory) {
    if (!isNumeric(answer)) return null;
    return statesNumber(finalAnswer(trajectory) ?? "", answer) ? 1 : 0;
  },
  python: `
def numeric_match(judged):
    return float(states_number(judged.text, judged.gold)) if is_numeric(judged.gold) else None
`,
});
