// What the last steps of a run come to, in counts: how many answers and groups they were, and how surely a share of
// them lies above or below something.
import { counted } from "../../protocol/quantities.ts";
import { wilsonInterval } from "../accuracy.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import type { RunEvidence } from "./diagnosis.ts";

/** Steps from which a diagnosis may speak at all, and answers. */
const [FEWEST_STEPS, FEWEST_ANSWERS] = [2, 32] as const;

export interface Recent {
  /** Of the steps, groups and answers that count as the present. */
  readonly steps: number;
  readonly groups: number;
  readonly answers: number;
  /** "In the last 20 steps", "In all 3 steps". */
  readonly when: string;
  /** The mean of a metric over them; NaN where it is not recorded. */
  readonly mean: (key: string) => number;
}

/** The present of a run; null where it is too short, or where its sizes are not known. */
export function recentOf(run: RunEvidence): Recent | null {
  const all = run.metric("reward").values.length;
  const steps = Math.min(all, RECENT_STEPS);
  const { promptsPerStep = 0, groupSize = 0 } = run.config;
  const groups = steps * promptsPerStep;
  if (steps < FEWEST_STEPS || groups * groupSize < FEWEST_ANSWERS) return null;
  const when = steps === all ? `In all ${counted(steps, "step")}` : `In the last ${steps} steps`;
  return { steps, groups, answers: groups * groupSize, when, mean: (key) => meanOf(latest(run, key)) };
}

/** The 95 % interval of a share of so many; answers of a group are alike, so that they count half. [0, 1] where it is not known. */
export const ofAnswers = (share: number, { answers }: Recent) => between(share, answers / 2);
export const ofGroups = (share: number, { groups }: Recent) => between(share, groups);

function between(share: number, of: number): readonly [number, number] {
  return Number.isFinite(share) ? wilsonInterval(share * of, of) : [0, 1];
}
