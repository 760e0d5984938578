// The true metric behind a proxy reward: never trained on, so that a curve that falls while the reward rises
// shows reward hacking (Gao et al. 2022, "Scaling Laws for Reward Model Overoptimization", arXiv 2210.10760).
import { z } from "../../../protocol/zod.ts";
import { isNumeric } from "../match/semanticMatch.ts";
import { statesNumber, statesText } from "../match/statement.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** 1 when the conversation ended by itself and its one answer is right, else 0. */
export const trueAnswer = defineLibraryRule({
  name: "trueAnswer",
  title: "Truly right",
  help: "1 when the conversation ended by itself and the answer it comes to is right. A metric only: its weight stays 0.",
  weight: 0,
  needs: ["answer", "stop"],
  settingsSchema: z.strictObject({}),
  score(_, { answer }, trajectory) {
    const text = finalAnswer(trajectory);
    if (text === null || trajectory.stopReason !== "completed") return 0;
    return (isNumeric(answer) ? statesNumber(text, answer) : statesText(text, answer)) ? 1 : 0;
  },
  python: `
def true_answer(judged):
    if not judged.completed:
        return 0.0
    if is_numeric(judged.gold):
        return float(states_number(judged.text, judged.gold))
    return float(states_text(judged.text, judged.gold, same_words))
`,
});
