// Whether an answer names what is expected, and whether it says nothing else.
import { number, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { normalizedWords } from "../match/textMatch.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/**
 * 1 where the last message, ended by the policy itself, has the words of the gold answer alone; `named` where it has
 * them among others; null where the gold answer has none.
 */
export const answerAlone = defineLibraryRule({
  name: "answerAlone",
  title: "The answer alone",
  help: "1 when the policy ended its answer by itself and it says the gold answer and nothing else; a part of it where other words stand beside.",
  weight: 1,
  needs: ["answer", "stop"],
  settingsSchema: z.strictObject(
    section("task", { named: number(0, 1, 0.5, "Among others", "What an answer is worth that has other words beside the gold answer's.") }),
  ),
  score({ named }, example, trajectory) {
    const gold = normalizedWords(example.answer).join(" ");
    if (gold === "") return null;
    if (trajectory.stopReason !== "completed") return 0;
    const said = normalizedWords(finalAnswer(trajectory) ?? "").join(" ");
    if (said === gold) return 1;
    return ` ${said} `.includes(` ${gold} `) ? named : 0;
  },
  python: `
def answer_alone(judged, named):
    gold, said = " ".join(words(judged.gold)), " ".join(words(judged.text))
    if gold == "":
        return None
    if not judged.completed:
        return 0.0
    return 1.0 if said == gold else named if f" {gold} " in f" {said} " else 0.0
`,
});
