// The conversations that the command line wrote beside a run's save (trajectories.jsonl), as the groups of their steps.
// A line that lacks what the view needs, as older folders have them, is left out, and that is said.

import type { StepGroups } from "../../../protocol/messages.ts";
import { orElse } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";
import { groupSummary } from "../../../rl/metrics/rewardMetrics.ts";
import { groupOf, isWhole, type RecordedLine } from "../../../rl/rollout/recordedLine.ts";

/** A line's value; none where the beginning is cut off, or the process was killed in the middle of it. */
const parsed = (text: string): readonly unknown[] => orElse<unknown[], readonly []>(() => [JSON.parse(text)], []);

/** Values by what they share, in the order of their first. */
function grouped(lines: readonly RecordedLine[], key: "step" | "prompt"): Map<number, RecordedLine[]> {
  const groups = new Map<number, RecordedLine[]>();
  for (const line of lines) groups.set(Number(line[key]), [...(groups.get(Number(line[key])) ?? []), line]);
  return groups;
}

interface Recorded {
  readonly steps: readonly StepGroups[];
  /** Which conversations cannot be shown, and why; null where all can. */
  readonly lack: string | null;
}

function lackOf(count: number, shown: number): string | null {
  if (shown === count) return null;
  const which = shown === 0 ? `The ${counted(count, "conversation")}` : `${count - shown} of the ${counted(count, "conversation")}`;
  return `${which} in the run's folder lack what Rollouts needs, such as the text of each token. An earlier version may have written them.`;
}

/**
 * The steps of which a file, or its end, has whole conversations; ascending.
 * @param config the run's, since lines have none of their step.
 * @param isCut whether the bytes begin somewhere in the file.
 */
export function recordedSteps(bytes: Uint8Array, config: StepGroups["config"], isCut: boolean): Recorded {
  const all = new TextDecoder().decode(bytes).split("\n").flatMap(parsed);
  const lines = all.filter(isWhole);
  const steps = grouped(lines, "step");
  // Of a file that was cut the first step may lack conversations.
  if (isCut) steps.delete(Number(lines[0]?.step));
  const whole = [...steps]
    .sort(([a], [b]) => a - b)
    .flatMap(([step, own]) => {
      const groups = [...grouped(own, "prompt").values()].flatMap((members) => groupOf(members) ?? []);
      if (groups.length === 0) return [];
      return [{ step, phase: "evaluate" as const, config, summaries: groups.map(groupSummary), groups, oldestStep: step }];
    });
  return { steps: whole, lack: lackOf(all.length, lines.length) };
}
