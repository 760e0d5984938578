// How many words an answer shares with the gold answer (the token F1 of SQuAD).
import { section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { compared, tokenF1 } from "../match/textMatch.ts";
import { answerIn, answerPlace, defineLibraryRule } from "./libraryRule.ts";

/** Token F1 in [0, 1]; an answer that is missing from its place shares nothing. */
export const wordOverlap = defineLibraryRule({
  name: "wordOverlap",
  title: "Shared words",
  help: "How many words the answer and the gold answer share: the harmonic mean of precision and recall.",
  weight: 1,
  paysAnswers: true,
  needs: ["answer"],
  settingsSchema: z.strictObject(section("task", { place: answerPlace })),
  score: ({ place }, example, trajectory) => compared(answerIn(trajectory, place), example, tokenF1),
  python: "lambda judged, place: of_answer(placed(judged, place), judged.gold, f1_of)",
});
