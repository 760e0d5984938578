// Whether an answer has exactly the words of the gold answer (the exact match of SQuAD).
import { section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { compared, exactMatch as sameWords } from "../match/textMatch.ts";
import { answerIn, answerPlace, defineLibraryRule } from "./libraryRule.ts";

/** 1 or 0; an answer that is missing from its place is wrong. */
export const exactMatch = defineLibraryRule({
  name: "exactMatch",
  title: "Same words",
  help: "1 when the answer has exactly the words of the gold answer, case, punctuation and articles aside, else 0.",
  weight: 1,
  paysAnswers: true,
  needs: ["answer"],
  settingsSchema: z.strictObject(section("task", { place: answerPlace })),
  score: ({ place }, example, trajectory) => compared(answerIn(trajectory, place), example, sameWords),
  python: "lambda judged, place: of_answer(placed(judged, place), judged.gold, same_words)",
});
