// The signatures, faults first and the surest of them before those that follow from others: one line each.
import { allCutOff } from "./allCutOff.ts";
import { allEqual } from "./allEqual.ts";
import { averagesOfNothing } from "./averagesOfNothing.ts";
import { clipRatioZero } from "./clipRatioZero.ts";
import { cutShort } from "./cutShort.ts";
import { entropyAway } from "./entropyAway.ts";
import { entropyGone } from "./entropyGone.ts";
import { equalWithinGroups } from "./equalWithinGroups.ts";
import { gradientOutOfScale } from "./gradientOutOfScale.ts";
import { klMissing } from "./klMissing.ts";
import { klNegative } from "./klNegative.ts";
import { lengthCollapse } from "./lengthCollapse.ts";
import { lengthToCap } from "./lengthToCap.ts";
import { lossStartsAtZero } from "./lossStartsAtZero.ts";
import { lossZeroGradientNot } from "./lossZeroGradientNot.ts";
import { noAdvantage } from "./noAdvantage.ts";
import { noGradient } from "./noGradient.ts";
import { notANumber } from "./notANumber.ts";
import { nothingEarned } from "./nothingEarned.ts";
import { partConstant } from "./partConstant.ts";
import { partForPart } from "./partForPart.ts";
import { policyLost } from "./policyLost.ts";
import { rateIsZero } from "./rateIsZero.ts";
import { referenceApart } from "./referenceApart.ts";
import { rewardFlat } from "./rewardFlat.ts";
import { samplerApart } from "./samplerApart.ts";
import type { Signature } from "./signature.ts";

export const signatures: readonly Signature[] = [
  notANumber,
  gradientOutOfScale,
  allCutOff,
  lengthToCap,
  policyLost,
  referenceApart,
  entropyAway,
  samplerApart,
  klNegative,
  rateIsZero,
  noGradient,
  equalWithinGroups,
  nothingEarned,
  noAdvantage,
  allEqual,
  partForPart,
  partConstant,
  entropyGone,
  lengthCollapse,
  averagesOfNothing,
  cutShort,
  lossStartsAtZero,
  lossZeroGradientNot,
  clipRatioZero,
  klMissing,
  rewardFlat,
];
