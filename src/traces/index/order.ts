// Rollouts by their steps, groups and members, in the order in which they are shown: steps ascend, groups and members stand as they were met.
import type { TraceIndex } from "./traceIndex.ts";

/** A step's rollouts: places in the index, group after group. */
export interface OrderedStep {
  readonly step: number;
  readonly groups: readonly (readonly number[])[];
}

/** All steps, ascending. */
export function orderedSteps(index: TraceIndex): readonly OrderedStep[] {
  const steps = new Map<number, Map<number, number[]>>();
  for (const [i, step] of index.step.entries()) {
    const groups = steps.get(step) ?? new Map<number, number[]>();
    steps.set(step, groups);
    const members = groups.get(index.group[i]!);
    if (members) members.push(i);
    else groups.set(index.group[i]!, [i]);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([step, groups]) => ({ step, groups: [...groups.values()] }));
}
