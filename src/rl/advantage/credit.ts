// Which rewards are compared with which, where conversations have several turns or agents.
//
// Turn-level credit: a turn is credited with its return, what it and later turns earned, discounted by turn
// (Feng et al. 2025, GiGPO, arXiv 2505.10978, the return of a step), and compared with the turns of the same
// place in the other conversations of its group (Zeng et al. 2025, MT-GRPO, arXiv 2505.11821). Departures:
// GiGPO compares steps in equal states and adds the episode's advantage; in free text states are seldom
// equal, and the return has the episode's reward in it already. MT-GRPO has two turns and normalises a
// turn's reward and the outcome apart. DeepSeekMath's process supervision (Shao et al. 2024, arXiv
// 2402.03300, section 4.1.3) normalises the rewards of all steps together and sums them afterwards, so that
// a conversation of more turns is compared with one of fewer; here each place has its own mean.
// With a critic the turns' rewards stand at the turns' ends, and GAE carries them back (turn-level PPO, Zeng et al.).
//
// Several agents are compared each with itself: rewards, statistics and the flow of credit are those of the
// conversations of a group that the agent took part in, over its own tokens.
import { usesCritic } from "../baselines/index.ts";
import { klRewards, sumPerSequence } from "./tokenRewards.ts";
import type { TurnSpan } from "./turnSpans.ts";
import { type AdvantageConfig, type AdvantageInput, creditsTurns } from "./types.ts";

/** Completions or turns whose rewards are compared; A of them, whose tokens lie end to end. */
export interface Spans extends Pick<AdvantageInput, "parts_Q" | "mask_K" | "oldLogprobs_K" | "refLogprobs_K" | "values_K" | "bootstrap_Q"> {
  /** NaN where it is unscorable, or another agent's. Without the KL of its own tokens. */
  readonly rewards_A: Float64Array;
  /** Spans are compared within a group; `groupsPerPrompt` of them belong to a prompt. */
  readonly groupOf_A: Int32Array;
  readonly groupsPerPrompt: number;
  readonly tokenCount_A: ArrayLike<number>;
  readonly start_A: Int32Array;
  /** Rewards where turns end, in place of the spans' own; only with a critic. */
  readonly turnRewards_K: Float64Array | null;
}

/** The agents that have trained tokens; [null] where there are none by name. */
function agentsOf(turns_Q: readonly (readonly TurnSpan[])[], mask_K: ArrayLike<number>): readonly (string | null)[] {
  const agents = new Set<string | null>();
  for (const turns of turns_Q)
    for (const { start, end, agent } of turns) for (let k = start; k < end && !agents.has(agent); k++) if (mask_K[k]) agents.add(agent);
  return agents.size > 0 ? [...agents] : [null];
}

/** Everything that is compared: one set of spans, or one for each agent. @param rewards_Q NaN where unscorable. */
export function comparedSpans(input: AdvantageInput, rewards_Q: Float64Array, config: AdvantageConfig): readonly Spans[] {
  const { turns_Q, mask_K } = input;
  const agents = turns_Q ? agentsOf(turns_Q, mask_K) : [null];
  if (!turns_Q || (agents[0] === null && !creditsTurns(config))) return [completionSpans(input, rewards_Q)];
  return agents.map((agent) => {
    const own_Q = turns_Q.map((turns) => turns.map((turn) => turn.agent === agent));
    const isOwn = agent !== null && config.agentRewards === "own";
    const earned_Q = turns_Q.map((turns, q) => earnings(turns, own_Q[q]!, rewards_Q[q]!, isOwn));
    const mine = { ...input, mask_K: ownMask(turns_Q, own_Q, mask_K) };
    if (creditsTurns(config) && !usesCritic(config)) return { ...mine, ...turnsAsSpans(mine, turns_Q, own_Q, earned_Q, config) };
    const total = (q: number) => (isOwn ? earned_Q[q]!.reduce((sum, each) => sum + each, 0) : rewards_Q[q]!);
    const totals_Q = rewards_Q.map((_, q) => (own_Q[q]!.includes(true) ? total(q) : Number.NaN));
    const spans = { ...completionSpans(mine, totals_Q), tokenCount_A: ownCounts(turns_Q, own_Q) };
    return creditsTurns(config) ? { ...spans, turnRewards_K: rewardsAtEnds(mine, turns_Q, earned_Q) } : spans;
  });
}

function completionSpans(input: AdvantageInput, rewards_Q: Float64Array): Spans {
  const { parts_Q, mask_K, oldLogprobs_K, refLogprobs_K, values_K, bootstrap_Q = null } = input;
  return {
    mask_K,
    oldLogprobs_K,
    refLogprobs_K,
    values_K,
    bootstrap_Q,
    rewards_A: rewards_Q,
    groupOf_A: input.groupOf_Q,
    groupsPerPrompt: 1,
    tokenCount_A: input.tokenCount_Q,
    start_A: input.sequenceStart_Q,
    turnRewards_K: null,
    // A completion that counts nowhere has no part that could score.
    ...(parts_Q ? { parts_Q: parts_Q.map((parts, q) => (Number.isNaN(rewards_Q[q]!) ? [] : parts)) } : {}),
  };
}

/**
 * What an agent earned in each turn. With shared rewards every turn counts, else its own turns alone. The rest of
 * the total, which no turn earned, is added to the last turn that counts. NaN where the total is.
 */
function earnings(turns: readonly TurnSpan[], own: readonly boolean[], total: number, isOwn: boolean): readonly number[] {
  if (Number.isNaN(total)) return turns.map(() => Number.NaN);
  const rest = turns.reduce((left, { reward }) => left - reward, total);
  const last = isOwn ? own.lastIndexOf(true) : turns.length - 1;
  return turns.map(({ reward }, i) => (isOwn && !own[i] ? 0 : reward) + (i === last ? rest : 0));
}

function ownMask(turns_Q: readonly (readonly TurnSpan[])[], own_Q: readonly (readonly boolean[])[], mask_K: ArrayLike<number>): Uint8Array {
  const own_K = new Uint8Array(mask_K.length);
  turns_Q.forEach((turns, q) => {
    turns.forEach(({ start, end }, i) => {
      for (let k = start; k < end; k++) own_K[k] = own_Q[q]![i] && mask_K[k] ? 1 : 0;
    });
  });
  return own_K;
}

function ownCounts(turns_Q: readonly (readonly TurnSpan[])[], own_Q: readonly (readonly boolean[])[]): readonly number[] {
  return turns_Q.map((turns, q) => turns.reduce((count, { start, end }, i) => count + (own_Q[q]![i] ? end - start : 0), 0));
}

/** Turns as spans: the reward of one is what it earned and, discounted, the return of the next that counts. */
function turnsAsSpans(
  input: AdvantageInput,
  turns_Q: readonly (readonly TurnSpan[])[],
  own_Q: readonly (readonly boolean[])[],
  earned_Q: readonly (readonly number[])[],
  config: AdvantageConfig,
) {
  const spans_A = turns_Q.flat();
  const start_A = Int32Array.from([...spans_A.map(({ start }) => start), input.mask_K.length]);
  const kl_K = klRewards(input, config);
  const kl_A = kl_K && sumPerSequence(kl_K, start_A);
  const groupsPerPrompt = turns_Q.reduce((most, { length }) => Math.max(most, length), 1);
  const rewards_A = new Float64Array(spans_A.length).fill(Number.NaN);
  const groupOf_A = new Int32Array(spans_A.length);
  let first = 0;
  turns_Q.forEach((turns, q) => {
    const isOwn = own_Q[q]!;
    // With rewards of their own an agent's turns follow one another; what others do in between takes no time.
    const counts = (i: number) => config.agentRewards === "shared" || isOwn[i];
    let after = 0;
    for (let i = turns.length - 1; i >= 0; i--) {
      if (!counts(i)) continue;
      const reward = earned_Q[q]![i]! + config.turnDiscount * after;
      if (isOwn[i]) rewards_A[first + i] = reward;
      after = reward + (kl_A?.[first + i] ?? 0);
    }
    let place = 0;
    turns.forEach((_, i) => {
      groupOf_A[first + i] = input.groupOf_Q[q]! * groupsPerPrompt + (isOwn[i] ? place++ : 0);
    });
    first += turns.length;
  });
  return {
    rewards_A,
    groupOf_A,
    groupsPerPrompt,
    tokenCount_A: spans_A.map(({ start, end }) => end - start),
    start_A,
    turnRewards_K: null,
  };
}

/** Each turn's earnings at the last trained token up to its end; what is earned before any token is trained is left out. */
function rewardsAtEnds(
  { mask_K, sequenceStart_Q }: AdvantageInput,
  turns_Q: readonly (readonly TurnSpan[])[],
  earned_Q: readonly (readonly number[])[],
): Float64Array {
  const rewards_K = new Float64Array(mask_K.length);
  turns_Q.forEach((turns, q) => {
    turns.forEach(({ end }, i) => {
      const earned = earned_Q[q]![i]!;
      let k = end - 1;
      while (k >= sequenceStart_Q[q]! && !mask_K[k]) k -= 1;
      if (k >= sequenceStart_Q[q]! && !Number.isNaN(earned)) rewards_K[k]! += earned;
    });
  });
  return rewards_K;
}
