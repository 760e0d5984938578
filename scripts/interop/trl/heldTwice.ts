// Conversations held twice: by the lab in one piece, and by its server, whose turns another program samples. What is sampled
// follows from what stands before, by a rule that both know, so that the two must come to the same.

import { createNodeHost } from "../../../src/cli/nodeHost.ts";
import type { TurnOrder } from "../../../src/cli/rollouts/elsewherePolicy.ts";
import { HeldRollouts, type RolloutParts } from "../../../src/cli/rollouts/heldRollouts.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { turnRuns } from "../../../src/rl/advantage/turnSpans.ts";
import { Random } from "../../../src/rl/random.ts";
import { workOut } from "../../../src/rl/rollout/demonstration.ts";
import { prepareTask } from "../../../src/rl/tasks/custom/world.ts";
import { rendererOf } from "../../../src/train/backend/loadRenderer.ts";
import type { Additions } from "../../../src/train/host.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { runRewards } from "../../../src/train/start/runRewards.ts";

const POSITIONS = 512;
const PROBLEMS = 64;
/** Worked conversations whose turns may be said again anywhere. */
const WORKED = 40;

/** What conversations of a configuration are held with. */
export async function partsOf(config: RunConfigInput, additions?: Additions): Promise<RolloutParts> {
  const host = createNodeHost(additions ? { additions } : {});
  const plan = planRun({ config: { seed: 7, ...config } }, additions);
  await prepareTask(plan, host);
  return {
    ...{ config: plan.config, task: plan.instance, renderer: await rendererOf(plan.config, plan.task.rendererKind, host) },
    ...{ rewards: runRewards(plan, host), maxPositions: POSITIONS, problems: plan.instance.trainLoader().next(PROBLEMS) },
    onProblem() {},
  };
}

/** What may be said: right where it is known what a context wants, anything else anywhere. */
export interface Sayings {
  /** Turns of worked conversations by their contexts' sums. */
  readonly known: Readonly<Record<string, readonly number[]>>;
  readonly turns: readonly (readonly number[])[];
}

const sumOf = (context: readonly number[]): number => context.reduce((total, id, place) => (total + id * (place + 1)) % 1_000_003, 0);

/** Turns as a policy might sample them: those of worked conversations, some with a mistake, some cut off. */
export function sayingsOf({ task, renderer, problems }: RolloutParts): Sayings {
  const random = new Random(5);
  const known: Record<string, readonly number[]> = {};
  const turns: (readonly number[])[] = [];
  for (const [i, example] of problems.slice(0, WORKED).entries()) {
    const speaker = task.demonstration(example, random.fork(`worked ${i}`), i % 3 === 2 ? 1 : 0);
    const limits = { maxTurns: task.maxTurns ?? 1, maxPositions: POSITIONS };
    const { promptTokens, tokens, mask } = workOut({ envs: task.envs, renderer }, example, speaker, i, limits);
    for (const { start, end } of turnRuns(mask)) {
      const turn = tokens.slice(start, end);
      known[sumOf([...promptTokens, ...tokens.slice(0, start)])] = turn;
      turns.push(i % 8 === 7 ? turn.slice(0, Math.max(1, turn.length - 1)) : turn);
    }
  }
  return { known, turns };
}

/** The turns that an order comes to: conversations of odd places say what is known, the others what their context and place add up to. */
export function saidIn({ contexts, sequences }: TurnOrder, { known, turns }: Sayings): readonly (readonly number[])[] {
  return contexts.map((context, b) => {
    const [sum, place] = [sumOf(context), sequences[b]!];
    return (place % 2 === 1 ? known[sum] : undefined) ?? turns[(sum + place) % turns.length]!;
  });
}

/** Conversations about so many problems, a group of four to each, and the places of the problems. */
export function placesOf(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(i / 4) % PROBLEMS);
}

/** The same held in one piece. */
export function heldHere(parts: RolloutParts, places: readonly number[], sayings: Sayings) {
  return new HeldRollouts(parts).rollouts(places, async (order) => saidIn(order, sayings));
}
