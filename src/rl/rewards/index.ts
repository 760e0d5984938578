// The registry of reward rules: one line each.
import { boxedAnswer } from "./boxedAnswer.ts";
import { boxedForm } from "./boxedForm.ts";
import type { RewardRule } from "./rewardRule.ts";
import { sumCloseness } from "./sumCloseness.ts";

export const rewardRules: readonly RewardRule[] = [boxedAnswer, boxedForm, sumCloseness];

export { weightedReward } from "./weightedReward.ts";
