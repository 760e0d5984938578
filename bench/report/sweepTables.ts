// How cost grows, one axis at a time: what was measured at each point, and the power of the axis that it goes with, beside
// that of the operations to be done. A peer whose power is lower than theory's still pays for something that does not grow.
import { figure, table } from "./markdown.ts";
import type { BenchResult, PeerResult, SizeResult } from "./result.ts";
import { growthExponent } from "./statistics.ts";

/** What a peer's own model and activations take, MiB; NaN where its runtime does not tell. */
function ownMiB({ memory: { peakMiB, baseMiB } }: PeerResult): number {
  return peakMiB === null ? Number.NaN : peakMiB - (baseMiB ?? 0);
}

const peerOf = (result: SizeResult, id: string) => result.peers.find(({ peer }) => peer === id);

interface Cost {
  readonly name: string;
  readonly theory: ((result: SizeResult) => number) | null;
  readonly measured: (peer: PeerResult) => number;
}

const COSTS: readonly Cost[] = [
  { name: "update time", theory: ({ trainFlops }) => trainFlops, measured: ({ train }) => train.medianMs },
  { name: "rollout time", theory: ({ decodeFlops }) => decodeFlops, measured: ({ decode }) => decode.medianMs },
  { name: "memory", theory: null, measured: ownMiB },
];

const CONVERSATIONS =
  "Group, turns and context are those of conversations from 4 prompts: of 64 tokens, with groups of 8 that sample 32 tokens in one turn, or 16 in each of several with 16 inserted between two. Operations count a prompt once for its group; PyTorch repeats it in its update, and has one turn.";

/** Both tables; nothing where no sweep was made. */
export function sweepTables({ sweep }: Pick<BenchResult, "sweep">): readonly string[] {
  if (sweep.length === 0) return [];
  const ids = [...new Set(sweep.flatMap(({ result }) => result.peers.map(({ peer }) => peer)))];
  const titles = ids.map((id) => sweep.flatMap(({ result }) => result.peers).find(({ peer }) => peer === id)?.title ?? id);
  const cells = (result: SizeResult, id: string) => {
    const peer = peerOf(result, id);
    return peer ? [peer.train.medianMs, peer.decode.medianMs / result.workload.length, ownMiB(peer)].map(figure).join(" / ") : "";
  };
  const points = sweep.map(({ axis, value, result }) => [
    `${axis} ${value}`,
    figure(result.trainFlops / 1e9),
    ...ids.map((id) => cells(result, id)),
  ]);
  const axes = [...new Set(sweep.map(({ axis }) => axis))];
  const powers = axes.flatMap((axis) => {
    const along = sweep.filter((point) => point.axis === axis);
    const power = (of: (result: SizeResult) => number) => growthExponent(along.map(({ value, result }) => [value, of(result)])).toFixed(2);
    return COSTS.map(({ name, theory, measured }) => [
      `${name} by ${axis}`,
      theory ? power(theory) : "",
      ...ids.map((id) =>
        power((result) => {
          const peer = peerOf(result, id);
          return peer ? measured(peer) : Number.NaN;
        }),
      ),
    ]);
  });
  return [
    ...["**How cost grows** (update ms / decode ms per step / memory MiB above the empty runtime)", ""],
    ...[...table(["", "update GFLOP", ...titles], points), ""],
    ...(sweep.some(({ result }) => result.workload.conversations) ? [CONVERSATIONS, ""] : []),
    ...["**The power of each axis that a cost goes with** (1: twice for twice as much; beside that of the operations)", ""],
    ...[
      ...table(
        ["", "operations", ...titles],
        powers.map((row) => row.map((cell) => (cell === "NaN" ? "-" : cell))),
      ),
      "",
    ],
  ];
}
