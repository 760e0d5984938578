// The same steps with code of somebody's own and built in, in turns, so that both meet the same machine.
import type { TrainedRun } from "../src/library/trainRun.ts";
import { median } from "./report/statistics.ts";

export interface Timed {
  /** Of each step after the first one. */
  readonly seconds: readonly number[];
  readonly rewards: readonly number[];
}

export interface InTurns {
  readonly what: string;
  /** What a step is of. */
  readonly unit: string;
  /** Trains a few steps. @param isOwn with the code as text, in the sandbox */
  readonly timed: (isOwn: boolean) => Promise<Timed>;
}

export const told = ({ steps }: TrainedRun): Timed => ({
  seconds: steps.slice(1).map(({ metrics }) => metrics.step_time ?? Number.NaN),
  rewards: steps.map(({ metrics }) => metrics.reward ?? Number.NaN),
});

/** Measures in turns; a line for people, with the ratio of the medians. Throws where both do not give the same rewards. */
export async function measureInTurns({ what, unit, timed }: InTurns, rounds: number): Promise<string> {
  const seconds: { readonly own: number[]; readonly builtIn: number[] } = { own: [], builtIn: [] };
  for (let round = 0; round < rounds; round++) {
    // Whoever comes first in a round meets the machine as the other has left it.
    const order = round % 2 === 0 ? [true, false] : [false, true];
    const [first, second] = [await timed(order[0]!), await timed(order[1]!)];
    if (first.rewards.join() !== second.rewards.join()) throw new Error(`internal: ${what} as text and built in gave other rewards`);
    seconds[order[0] ? "own" : "builtIn"].push(...first.seconds);
    seconds[order[1] ? "own" : "builtIn"].push(...second.seconds);
  }
  const [own, builtIn] = [median(seconds.own), median(seconds.builtIn)];
  const times = `${(own * 1000).toFixed(1)} ms a step with ${what} as text, ${(builtIn * 1000).toFixed(1)} ms built in`;
  return `${times}: ${(own / builtIn).toFixed(3)} times as long (medians of ${seconds.own.length} steps of ${unit}, in turns)`;
}
