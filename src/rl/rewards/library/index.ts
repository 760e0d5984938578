// The registry of reward rules that any task can be scored with: one line each. A configuration chooses
// them by name (rewardRules) with their settings; weights are given like those of the task's own parts.
import { InputError } from "../../../protocol/problems.ts";
import type { RewardPart } from "../../types.ts";
import { type ChosenRules, ruleProblems } from "../ruleProblems.ts";
import { answerAlone } from "./answerAlone.ts";
import { capitals } from "./capitals.ts";
import { contains } from "./contains.ts";
import { cost } from "./cost.ts";
import { ending } from "./ending.ts";
import { exactMatch } from "./exactMatch.ts";
import { lengthTarget } from "./lengthTarget.ts";
import type { LibraryRule } from "./libraryRule.ts";
import { numericMatch } from "./numericMatch.ts";
import { oneNumber } from "./oneNumber.ts";
import { overlongConversation } from "./overlongConversation.ts";
import { pattern } from "./pattern.ts";
import { repetition } from "./repetition.ts";
import { sentences } from "./sentences.ts";
import { tagForm } from "./tagForm.ts";
import { toolLoop } from "./toolLoop.ts";
import { trueAnswer } from "./trueAnswer.ts";
import { turnRewards } from "./turnRewards.ts";
import { wordOverlap } from "./wordOverlap.ts";

/** Rules that any task can be scored with. */
export const rewardRules: readonly LibraryRule[] = [
  numericMatch,
  exactMatch,
  contains,
  pattern,
  oneNumber,
  answerAlone,
  ending,
  sentences,
  capitals,
  wordOverlap,
  tagForm,
  lengthTarget,
  repetition,
  overlongConversation,
  toolLoop,
  cost,
  turnRewards,
  trueAnswer,
];

/** The parts of the chosen rules, in the registry's order. Throws InputError. */
export function libraryParts(chosen: ChosenRules, rules: readonly LibraryRule[] = rewardRules): readonly RewardPart[] {
  const problems = ruleProblems(chosen, rules);
  if (problems.length > 0) throw new InputError(problems);
  return rules.flatMap((rule) => {
    const settings = chosen[rule.name];
    return settings ? [rule.part(settings)] : [];
  });
}
