// A branch is its run taken again from the start with one more change. That it is the same run up to the
// change is not taken for granted: what both recorded of every step before it is compared.
import { isSameStep, type StepRecord } from "../../protocol/records.ts";

/** "same" so far, up to `step`; "different" from `step` on. */
export interface Replay {
  readonly state: "same" | "different";
  readonly step: number;
}

/** Compares the steps up to the fork that both runs have recorded; null before the first. */
export function replayOf(run: readonly StepRecord[], branch: readonly StepRecord[], forkStep: number): Replay | null {
  const known = new Map(run.map((record) => [record.step, record]));
  let step = 0;
  for (const record of branch) {
    if (record.step > forkStep) break;
    const before = known.get(record.step);
    if (!before) continue;
    if (!isSameStep(before, record)) return { state: "different", step: record.step };
    step = record.step;
  }
  return step === 0 ? null : { state: "same", step };
}
