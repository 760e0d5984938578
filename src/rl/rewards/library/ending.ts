// Whether an answer ends in given characters, such as a question mark.
import { declare, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** 1 where the policy ended its last message by itself and that ends in the text, blanks at its end aside, else 0. */
export const ending = defineLibraryRule({
  name: "ending",
  title: "Ends with",
  help: "1 when the policy ended its answer by itself and the answer ends in this text, else 0.",
  weight: 1,
  needs: ["stop"],
  settingsSchema: z.strictObject(
    section("task", {
      text: declare(z.string().min(1).max(40).default("?"), "Text", "What the answer must end in, such as a question mark."),
    }),
  ),
  score: ({ text }, _, trajectory) =>
    trajectory.stopReason === "completed" && (finalAnswer(trajectory) ?? "").trimEnd().endsWith(text) ? 1 : 0,
  python: "lambda judged, text: float(judged.completed and judged.text.rstrip(BLANKS).endswith(text))",
});
