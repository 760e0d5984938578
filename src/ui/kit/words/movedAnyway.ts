// Answers that the update moved although their advantages are all 0: which of the forces that do not ask for their
// reward were at work, with what can be counted of them.
import type { RunConfig } from "../../../protocol/config.ts";
import { signedMeasureText } from "../../../protocol/quantities.ts";
import type { GroupRecord, GroupSummary } from "../../../protocol/records.ts";
import { formatExact } from "../charts/format.ts";
import { STILL_NATS } from "./against.ts";

type Forces = Pick<RunConfig, "klCoef" | "klPlacement" | "entropyCoef"> & Pick<RunConfig, "optimizer" | "beta1" | "weightDecay">;

/** Other groups of the step that push the weights which all groups share. */
function otherGroups({ promptIndex }: GroupRecord, summaries: readonly Pick<GroupSummary, "promptIndex" | "largestAdvantage">[]): string {
  const others = summaries.filter((summary) => summary.promptIndex !== promptIndex);
  const pushing = others.filter(({ largestAdvantage }) => largestAdvantage > 0).length;
  if (pushing === 0) return "";
  const which = others.length === 1 ? "the other group" : `${pushing} of the ${others.length} other groups`;
  return `${which} of the step, whose pushes move the weights that all answers share`;
}

function forcesOf(config: Forces, step: number): readonly string[] {
  const { klCoef, klPlacement, entropyCoef, optimizer, beta1, weightDecay } = config;
  const number = (value: number) => formatExact("number", value);
  const isAdam = optimizer === "adamw";
  return [
    isAdam && beta1 > 0 && step > 1 ? `the optimizer's momentum (β1 ${number(beta1)}), which goes on with earlier steps' pushes` : "",
    klCoef > 0 && klPlacement === "loss" ? `the pull towards the reference (KL of weight ${number(klCoef)})` : "",
    entropyCoef === 0 ? "" : `the entropy bonus (weight ${number(entropyCoef)})`,
    isAdam && weightDecay > 0 ? `weight decay (${number(weightDecay)})` : "",
  ];
}

/**
 * Why log-probs of a group moved whose advantages are all 0; null where one is not, or none moved.
 * @param changes change of each completion's log-prob (nats), null where it was not measured.
 * @param summaries all groups of the step.
 */
export function movedAnywaySentence(
  group: GroupRecord,
  changes: readonly (number | null)[],
  summaries: readonly Pick<GroupSummary, "promptIndex" | "largestAdvantage">[],
  config: Forces,
): string | null {
  if (group.trajectories.some(({ advantage }) => advantage !== 0)) return null;
  const sizes = changes.map((change) => Math.abs(change ?? 0));
  const most = sizes.indexOf(Math.max(...sizes));
  if (most < 0 || sizes[most]! <= STILL_NATS) return null;
  const reasons = [otherGroups(group, summaries), ...forcesOf(config, group.step)].filter((reason) => reason !== "");
  const moved = `No answer here is pushed for its reward, and still #${most + 1} moved by ${signedMeasureText(changes[most] ?? 0)}`;
  return reasons.length === 0 ? `${moved}.` : `${moved}. What moved it: ${reasons.join("; ")}.`;
}
