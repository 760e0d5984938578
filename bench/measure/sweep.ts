// How cost grows: one axis at a time away from the size "small". Width, layers, batch and length are those of sequences that
// begin with one token; group, turns and context are of conversations, whose prompts groups share.
import { type Conversations, type Workload, workloadOf } from "./workload.ts";

export interface SweepStep {
  readonly axis: "width" | "layers" | "batch" | "length" | "group" | "turns" | "context";
  readonly value: number;
  readonly workload: Workload;
}

const AXES: Readonly<Record<SweepStep["axis"], readonly number[]>> = {
  width: [64, 128, 256, 512],
  layers: [1, 2, 4, 8],
  batch: [8, 16, 32, 64],
  length: [16, 32, 64, 128, 256],
  group: [4, 16, 64],
  turns: [1, 2, 4],
  context: [16, 64, 256],
};

const PROMPTS = 4;
/** Tokens that a turn samples, and as many come back. */
const TURN = 16;
const TALK: Conversations = { promptTokens: 64, group: 8, turns: 1, inserted: TURN };

function conversing(base: Workload, talk: Partial<Conversations>): Workload {
  const conversations = { ...TALK, ...talk };
  return { ...base, batch: PROMPTS * conversations.group, length: 2 * TURN, conversations };
}

function moved(base: Workload, axis: SweepStep["axis"], value: number): Workload {
  if (axis === "layers") return { ...base, layers: value };
  if (axis === "batch") return { ...base, batch: value };
  if (axis === "length") return { ...base, length: value };
  if (axis === "group") return conversing(base, { group: value });
  if (axis === "turns") return { ...conversing(base, { turns: value }), length: value * TURN };
  if (axis === "context") return conversing(base, { promptTokens: value });
  // Heads of 32, and a feed-forward about 8/3 as wide in steps of 8, as in the named sizes.
  return { ...base, hiddenSize: value, heads: value / 32, intermediateSize: Math.ceil((value * 8) / 3 / 8) * 8 };
}

/** All points of the sweep, cheapest first on each axis. */
export function sweepSteps(quick: boolean): readonly SweepStep[] {
  const base = workloadOf("small");
  return (Object.keys(AXES) as SweepStep["axis"][]).flatMap((axis) =>
    (quick ? AXES[axis].slice(0, 2) : AXES[axis]).map((value) => ({ axis, value, workload: moved(base, axis, value) })),
  );
}
