// A policy whose turns are written down.
import type { OpenRequest, Policy, TurnRequest } from "../../src/rl/policy.ts";

/** Says the rows it is given, turn by turn and sequence by sequence; notes what it was asked. */
export function scripted(rows: readonly (readonly number[])[], maxPositions = 1000) {
  const opened: OpenRequest[] = [];
  const turns: TurnRequest[] = [];
  const inserted: [number, readonly number[]][] = [];
  let next = 0;
  let closed = 0;
  const policy: Policy = {
    maxPositions,
    open(request) {
      opened.push(request);
      return {
        extend: (sequence, tokens) => void inserted.push([sequence, tokens]),
        async sample(turn) {
          turns.push(turn);
          const T = turn.maxNewTokens;
          const B = turn.sequences_B.length;
          const said = Array.from({ length: B }, () => rows[next++]!);
          const tokens_BT = new Int32Array(B * T).fill(-1);
          for (const [b, row] of said.entries()) tokens_BT.set(row, b * T);
          return {
            tokens_BT,
            lengths_B: Int32Array.from(said, (row) => row.length),
            // Count down so that each is told apart.
            logprobs_BT: Float32Array.from(tokens_BT, (_, i) => 0 - i),
            entropies_BT: new Float32Array(B * T).fill(0.5),
            stopped_B: Uint8Array.from(said, (row) => (turn.stopTokens.includes(row.at(-1)!) ? 1 : 0)),
          };
        },
        close: () => void closed++,
      };
    },
  };
  return { policy, opened, turns, inserted, closed: () => closed };
}
