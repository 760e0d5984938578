// Whether an answer commits itself to one number, and whether that is right: a text that names several can always be
// read as having said the right one.
import { number, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { isNumeric } from "../match/semanticMatch.ts";
import { isNumber, numbersIn } from "../match/statement.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/**
 * 1 where the last message, ended by the policy itself, names one number alone and it is the gold answer; `wrong` where
 * it is another; null where the gold answer is no number.
 */
export const oneNumber = defineLibraryRule({
  name: "oneNumber",
  title: "One number",
  help: "1 when the policy ended its answer by itself and the only number in it is the gold answer; not scored where the gold answer is no number.",
  weight: 1,
  needs: ["answer", "stop"],
  settingsSchema: z.strictObject(
    section("task", { wrong: number(0, 1, 0, "Wrong number", "What an answer is worth that names one number alone, but another.") }),
  ),
  score({ wrong }, { answer }, trajectory) {
    if (!isNumeric(answer)) return null;
    if (trajectory.stopReason !== "completed") return 0;
    const runs = numbersIn(finalAnswer(trajectory) ?? "");
    const [only, ...others] = new Set(runs.map((run) => run.text));
    if (only === undefined || others.length > 0 || !isNumeric(only)) return 0;
    return isNumber(runs[0]!, answer) ? 1 : wrong;
  },
  python: `
def one_number(judged, wrong):
    if not is_numeric(judged.gold):
        return None
    runs = numbers_in(judged.text) if judged.completed else []
    if len({run.text for run in runs}) != 1 or not is_numeric(runs[0].text):
        return 0.0
    return 1.0 if is_number(runs[0], judged.gold) else wrong
`,
});
