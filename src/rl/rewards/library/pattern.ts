// Whether the last message matches a regular expression of the user's own.
import { declare, section } from "../../../protocol/config/field.ts";
import { isExpression } from "../../../protocol/config/fields.ts";
import { z } from "../../../protocol/zod.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

const source = z.string().min(1).max(200).refine(isExpression, "must be a regular expression").default("\\d");

const MATCHES = `let expression = null;
export function matches(text, { options }) {
  expression ??= new RegExp(options.pattern, "su");
  return expression.test(text) ? 1 : 0;
}`;

/** 1 where the expression matches (s and u are on: a dot matches line ends, too), else 0. */
export const pattern = defineLibraryRule({
  name: "pattern",
  title: "Matches a pattern",
  help: "1 when the last message matches the regular expression, else 0.",
  weight: 1,
  settingsSchema: z.strictObject(
    section("task", {
      pattern: declare(source, "Pattern", "A regular expression of JavaScript; it may match anywhere in the message.", {
        isExpression: true,
      }),
    }),
  ),
  // It may backtrack for ever.
  sandboxed: ({ pattern }) => ({
    job: { source: MATCHES, entry: "matches", options: { pattern }, workMs: 50 },
    input: ({ trajectory }) => ({ value: JSON.stringify(finalAnswer(trajectory) ?? ""), seed: 0 }),
  }),
  score: ({ pattern }, _, trajectory) => (new RegExp(pattern, "su").test(finalAnswer(trajectory) ?? "") ? 1 : 0),
  python: "lambda judged, pattern: float(re.search(pattern, judged.text, re.DOTALL | re.ASCII) is not None)",
});
