// The diagnoses, likeliest cause first: one line each.

import type { RunHistory } from "../verdict/history.ts";
import type { Verdict } from "../verdict.ts";
import type { Diagnosis, Finding } from "./diagnosis.ts";
import { entropyCollapse } from "./entropyCollapse.ts";
import { klRunaway } from "./klRunaway.ts";
import { learningRateTooHigh } from "./learningRateTooHigh.ts";
import { memorising } from "./memorising.ts";
import { nearMisses } from "./nearMisses.ts";
import { neverRight } from "./neverRight.ts";
import { noSpread } from "./noSpread.ts";
import { rewardHacking } from "./rewardHacking.ts";
import { staleVariance } from "./staleVariance.ts";

export const diagnoses: readonly Diagnosis[] = [
  rewardHacking,
  neverRight,
  memorising,
  staleVariance,
  learningRateTooHigh,
  noSpread,
  nearMisses,
  klRunaway,
  entropyCollapse,
];

export interface Diagnosed extends Finding {
  readonly diagnosis: Diagnosis;
}

/** What may be wrong with a run of that verdict, what its settings themselves name first and then the likeliest; nothing where it is solved, little where it improves. What is trained on worked examples has no rewards to go wrong by. */
export function diagnose(history: RunHistory, verdict: Verdict): readonly Diagnosed[] {
  if (verdict === "solved" || history.config.kind === "supervised") return [];
  const found = diagnoses.flatMap((diagnosis) => {
    const finding = verdict === "improving" && !diagnosis.hidesInProgress ? null : diagnosis.find(history);
    return finding ? [{ ...finding, diagnosis }] : [];
  });
  return found.sort((a, b) => Number(b.isCause ?? false) - Number(a.isCause ?? false));
}
