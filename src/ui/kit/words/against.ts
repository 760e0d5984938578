// Answers that the update moved against their own advantage: one set of weights serves all answers of a
// step, so what pushes one moves others with it.

import { signedMeasureText } from "../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../protocol/records.ts";

/** Changes of log-prob no larger are rounding and count as none (nats). */
export const STILL_NATS = 5e-4;

/** Whether something moved the other way than its advantage pushes it. */
export function isAgainst(advantage: number | null, change: number | null): boolean {
  return advantage !== null && change !== null && Math.abs(change) > STILL_NATS && advantage * change < 0;
}

interface Side {
  readonly sign: 1 | -1;
  readonly name: string;
  readonly moved: string;
}

const SIDES: readonly Side[] = [
  { sign: -1, name: "negative", moved: "became likelier" },
  { sign: 1, name: "positive", moved: "became less likely" },
];

/**
 * How many answers moved against their advantage, and which the furthest; null where none did.
 * @param changes change of each completion's log-prob (nats), null where it was not measured.
 */
export function againstSentence({ trajectories }: GroupRecord, changes: readonly (number | null)[]): string | null {
  const counts = SIDES.flatMap(({ sign, name, moved }) => {
    const side = trajectories.flatMap(({ advantage }, index) =>
      advantage !== null && advantage * sign > 0 ? [{ advantage, index, change: changes[index] ?? null }] : [],
    );
    const against = side
      .filter(({ advantage, change }) => isAgainst(advantage, change))
      .sort((a, b) => sign * ((a.change ?? 0) - (b.change ?? 0)));
    const [most] = against;
    if (!most) return [];
    return [
      `${against.length} of ${side.length} with a ${name} advantage ${moved} (#${most.index + 1} by ${signedMeasureText(most.change ?? 0)})`,
    ];
  });
  if (counts.length === 0) return null;
  return `${counts.join(", ")}: all answers of the step share one set of weights, so pushing the others moves these too.`;
}
