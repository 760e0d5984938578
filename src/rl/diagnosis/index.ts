// The diagnoses, likeliest cause first: one line each.

import type { RunConfig } from "../../protocol/config.ts";
import { paysForAnswers } from "../../protocol/run/paidParts.ts";
import { withoutAnswers } from "../verdict/history.ts";
import type { Verdict } from "../verdict.ts";
import { cutOff } from "./cutOff.ts";
import type { Diagnosis, Finding, RunEvidence } from "./diagnosis.ts";
import { entropyCollapse } from "./entropyCollapse.ts";
import { evaluationTooSmall } from "./evaluationTooSmall.ts";
import { klOutweighs } from "./klOutweighs.ts";
import { klRunaway } from "./klRunaway.ts";
import { learningRateTooHigh } from "./learningRateTooHigh.ts";
import { lossRises } from "./lossRises.ts";
import { memorising } from "./memorising.ts";
import { nearMisses } from "./nearMisses.ts";
import { neverRight } from "./neverRight.ts";
import { nothingEarned } from "./nothingEarned.ts";
import { rewardHacking } from "./rewardHacking.ts";
import { rewardParts } from "./rewardParts.ts";
import { sampler } from "./sampler.ts";
import { staleVariance } from "./staleVariance.ts";
import { temperature } from "./temperature.ts";
import { tiedGroups } from "./tiedGroups.ts";

export const diagnoses: readonly Diagnosis[] = [
  temperature,
  sampler,
  rewardHacking,
  rewardParts,
  klOutweighs,
  cutOff,
  neverRight,
  memorising,
  staleVariance,
  learningRateTooHigh,
  lossRises,
  nothingEarned,
  klRunaway,
  entropyCollapse,
  nearMisses,
  tiedGroups,
  evaluationTooSmall,
];

export interface Diagnosed extends Finding {
  readonly diagnosis: Diagnosis;
}

/** A remedy that changes something: what is set already helps nobody. */
function changing(remedy: Finding["remedy"], config: Partial<RunConfig>): Finding["remedy"] {
  const keys = Object.keys(remedy?.settings ?? {}) as (keyof RunConfig)[];
  return remedy && keys.some((key) => JSON.stringify(remedy.settings[key]) !== JSON.stringify(config[key])) ? remedy : null;
}

/**
 * What may be wrong with a run of that verdict, what its settings themselves name first and then the likeliest, without what only
 * follows from another; nothing where it is solved, little where it improves.
 */
export function diagnose(run: RunEvidence, verdict: Verdict): readonly Diagnosed[] {
  if (verdict === "solved") return [];
  const isSupervised = run.config.kind === "supervised";
  const paid = isSupervised || paysForAnswers(run.rewards) ? run : withoutAnswers(run);
  const found = diagnoses.flatMap((diagnosis): readonly Diagnosed[] => {
    if (isSupervised !== (diagnosis.isSupervised ?? false) || (verdict === "improving" && !diagnosis.hidesInProgress)) return [];
    const finding = diagnosis.find(diagnosis.knowsUnpaid ? run : paid);
    return finding ? [{ ...finding, remedy: changing(finding.remedy, run.config), diagnosis }] : [];
  });
  const following = new Set(found.flatMap(({ diagnosis }) => diagnosis.leadsTo ?? []));
  return found
    .filter(({ diagnosis }) => !following.has(diagnosis.id))
    .sort((a, b) => Number(b.isCause ?? false) - Number(a.isCause ?? false));
}
