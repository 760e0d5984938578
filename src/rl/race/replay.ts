// A branch is its run taken again from the start with one more change. That it is the same run up to the
// change is not taken for granted: what both recorded of every step before it is compared.
import type { StepRecord } from "../../protocol/records.ts";

/** "same" so far, up to `step`; "different" from `step` on. */
export interface Replay {
  readonly state: "same" | "different";
  readonly step: number;
}

/** Metrics that measure time are never the same. */
const OF_TIME = /time|per_second/;

/** Compares the steps up to the fork that both runs have recorded; null before the first. */
export function replayOf(run: readonly StepRecord[], branch: readonly StepRecord[], forkStep: number): Replay | null {
  const known = new Map(run.map((record) => [record.step, record]));
  let step = 0;
  for (const record of branch) {
    if (record.step > forkStep) break;
    const before = known.get(record.step);
    if (!before) continue;
    if (!isSame(before, record)) return { state: "different", step: record.step };
    step = record.step;
  }
  return step === 0 ? null : { state: "same", step };
}

function isSame({ metrics: a }: StepRecord, { metrics: b }: StepRecord): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => OF_TIME.test(key) || Object.is(a[key], b[key]));
}
