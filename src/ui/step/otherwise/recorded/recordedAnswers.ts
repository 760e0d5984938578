// A step of another program as what its advantages can be checked by, and the check in sentences.
import { capital, counted, settingNumber } from "../../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { type AdvantageCheck, checkAdvantages, type RecordedAnswer } from "../../../../rl/otherwise/advantageCheck.ts";
import { partsOfStep } from "../../../../rl/otherwise/fileRewards.ts";

/** Whether the advantages of a step come out of its rewards, null where it has none or no rewards; and the names of their parts. */
export function checkOf(groups: readonly GroupRecord[]): { readonly check: AdvantageCheck | null; readonly names: readonly string[] } {
  const parts = partsOfStep(groups);
  const names = parts.map(({ name }) => name);
  const answers = groups.map(({ trajectories }) =>
    trajectories.map(
      ({ rewardParts, reward, advantage }): RecordedAnswer => ({
        parts: names.map((name) => rewardParts.find((part) => part.name === name)?.value ?? null),
        reward,
        advantage,
      }),
    ),
  );
  const weights = parts.map(({ weight }) => weight);
  return { check: checkAdvantages(answers, weights), names };
}

function weightsText(weights: readonly number[], names: readonly string[]): string {
  return weights.map((weight, i) => `${settingNumber(weight)} × ${names[i]}`).join(" + ");
}

/** Of what the advantages come out, and who says so. */
function sourceText({ from, weights }: AdvantageCheck, names: readonly string[]): string {
  if (from === "totals" || !weights) return "the total rewards";
  const sum = weightsText(weights, names);
  return from === "fitted" ? `${sum}, weights that were read off the advantages themselves` : sum;
}

/** What a check found, a sentence each. */
export function checkSentences(check: AdvantageCheck, names: readonly string[], groups: number): readonly string[] {
  const { rule, answers, differ, tied } = check;
  const agree = answers.length - differ;
  const rest =
    tied === 0
      ? []
      : [`In ${tied} of ${counted(groups, "group")} all rewards are equal: nothing is learnt from ${tied === 1 ? "it" : "them"}.`];
  if (agree === 0)
    return [`None of the ${answers.length} advantages comes out of the rewards, by any rule or weights known here.`, ...rest];
  return [
    `${differ === 0 ? `All ${answers.length}` : `${agree} of ${answers.length}`} advantages come out of ${sourceText(check, names)}.`,
    `${capital(rule.title)}, as in ${rule.usedBy}.`,
    ...rest,
  ];
}
