// Verdicts on 500 pairs beside those of math-verify, which many trainings are rewarded by.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isNumeric } from "../../../../src/rl/rewards/match/semanticMatch.ts";
import { statesNumber, statesText } from "../../../../src/rl/rewards/match/statement.ts";
import { differences } from "./mathVerifyDifferences.ts";

interface Pair {
  readonly kind: string;
  readonly text: string;
  readonly gold: string;
  readonly right: boolean;
}
const file = new URL("../../../reference/math-verify-answers.json", import.meta.url);
const { pairs } = JSON.parse(readFileSync(file, "utf8")) as { readonly pairs: readonly Pair[] };

it("the lab and math-verify agree on 500 pairs but for those that are listed with who is right", () => {
  expect(new Set(pairs.map(({ text, gold }) => JSON.stringify([text, gold]))).size).toBe(500);
  const differing = pairs.filter(({ text, gold, right }) => (isNumeric(gold) ? statesNumber : statesText)(text, gold) !== right);
  const listed = differences.flatMap((each) => each.pairs.map(([text, gold]) => ({ kind: each.kind, text, gold })));
  expect(differing.map(({ kind, text, gold }) => ({ kind, text, gold })).sort(byText)).toEqual(listed.sort(byText));
});

const byText = (a: { readonly text: string; readonly gold: string }, b: { readonly text: string; readonly gold: string }) =>
  `${a.text} ${a.gold}` < `${b.text} ${b.gold}` ? -1 : 1;
