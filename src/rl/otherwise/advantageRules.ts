// The rules by which programs make advantages of a step's rewards, so that recorded ones can be made again. Programs do it in single
// precision; where rewards of a group lie close together that is seen in the sixth digit, so these take the same steps: the mean as a
// running sum, the deviation by Welford's recurrence (Welford 1962, Technometrics 4, 419), each result rounded.

/** How a number is rounded after every operation: Math.fround for what single precision has computed, or not at all. */
export type Rounding = (value: number) => number;

export const exactly: Rounding = (value) => value;

export interface AdvantageRule {
  readonly id: string;
  /** "the group's mean, over its deviation plus 0.0001" */
  readonly title: string;
  /** Programs and papers that have it. */
  readonly usedBy: string;
  /** Whether twice the rewards give the same advantages, but for what is added to the deviation. */
  readonly isFreeOfScale: boolean;
  /** Advantages of a step, group after group. @param rewards_P_G at least one group, none empty */
  readonly advantages: (rewards_P_G: readonly (readonly number[])[], round: Rounding) => readonly (readonly number[])[];
}

function meanOf(values: readonly number[], round: Rounding): number {
  return round(values.reduce((sum, value) => round(sum + value), 0) / values.length);
}

/** @param ddof NumPy's word for what is taken from n: 1 divides by n - 1, 0 by n. */
function deviationOf(values: readonly number[], ddof: 0 | 1, round: Rounding): number {
  if (values.length <= ddof) return 0;
  let mean = 0;
  let squares = 0;
  for (const [i, value] of values.entries()) {
    const difference = round(value - mean);
    mean = round(mean + round(difference / (i + 1)));
    squares = round(squares + round(difference * round(value - mean)));
  }
  return round(Math.sqrt(round(squares / (values.length - ddof))));
}

const byGroup =
  (of: (rewards_G: readonly number[], round: Rounding) => readonly number[]): AdvantageRule["advantages"] =>
  (rewards_P_G, round) =>
    rewards_P_G.map((rewards_G) => of(rewards_G, round));

const centred = (values: readonly number[], round: Rounding): readonly number[] => {
  const mean = meanOf(values, round);
  return values.map((value) => round(value - mean));
};

const overDeviation = (ddof: 0 | 1, added: number): AdvantageRule["advantages"] =>
  byGroup((rewards_G, round) => {
    const divisor = round(deviationOf(rewards_G, ddof, round) + round(added));
    return centred(rewards_G, round).map((value) => (divisor === 0 ? 0 : round(value / divisor)));
  });

/** Likeliest first. */
export const advantageRules: readonly AdvantageRule[] = [
  {
    id: "group-std",
    title: "distance to the group's mean, divided by its standard deviation + 0.0001",
    usedBy: "GRPO in TRL",
    isFreeOfScale: true,
    advantages: overDeviation(1, 1e-4),
  },
  {
    id: "group-std-small",
    title: "distance to the group's mean, divided by its standard deviation + 0.000001",
    usedBy: "GRPO in verl",
    isFreeOfScale: true,
    advantages: overDeviation(1, 1e-6),
  },
  {
    id: "group-std-population",
    title: "distance to the group's mean, divided by the standard deviation of the group as a whole population",
    usedBy: "programs that leave NumPy's default",
    isFreeOfScale: true,
    advantages: overDeviation(0, 1e-8),
  },
  {
    id: "distance",
    title: "distance to the group's mean",
    usedBy: "Dr. GRPO, and prime-rl",
    isFreeOfScale: false,
    advantages: byGroup(centred),
  },
  {
    id: "distance-to-others",
    title: "distance to the mean of the group's other members",
    usedBy: "RLOO",
    isFreeOfScale: false,
    advantages: byGroup((rewards_G, round) =>
      rewards_G.length < 2
        ? rewards_G.map(() => 0)
        : centred(rewards_G, round).map((value) => round(round(value * rewards_G.length) / (rewards_G.length - 1))),
    ),
  },
  {
    id: "batch-std",
    title: "distance to the group's mean, divided by the standard deviation of the whole step",
    usedBy: 'TRL with scale_rewards "batch", and Lite PPO',
    isFreeOfScale: true,
    advantages: (rewards_P_G, round) => {
      const divisor = round(deviationOf(rewards_P_G.flat(), 1, round) + round(1e-4));
      return rewards_P_G.map((rewards_G) => centred(rewards_G, round).map((value) => (divisor === 0 ? 0 : round(value / divisor))));
    },
  },
];
