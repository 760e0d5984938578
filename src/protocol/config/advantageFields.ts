// How rewards become advantages, and the critic that may take part: two sections of the run
// configuration (config.ts).
import type { Baseline } from "../../rl/baselines/baseline.ts";
import { type BaselineId, baselines } from "../../rl/baselines/index.ts";
import { choice, flag, integer, number, section } from "./field.ts";
import { type NoEffect, WITH_CRITIC, WITHOUT_CRITIC } from "./noEffect.ts";

const PARTS_NORMALIZED: NoEffect = {
  when: { rewardAggregation: "normalize-then-sum", ...WITHOUT_CRITIC.when },
  why: "each reward part is normalised by its own group's mean and deviation",
};
const NOTHING_DIVIDED = "nothing is divided by a standard deviation";
const UNSCALED: readonly NoEffect[] = [
  { when: WITH_CRITIC, why: NOTHING_DIVIDED },
  { when: { advantageScale: "none", rewardAggregation: { not: "normalize-then-sum" } }, why: NOTHING_DIVIDED },
];
const SHARED_TRUNK: NoEffect = { when: { criticTrunk: "shared" }, why: "the critic shares the policy's trunk and optimizer" };

const ONE_TURN: NoEffect = { when: { "task.severalTurns": false }, why: "a conversation of this task has one turn" };

const ids = baselines.map(({ id }) => id) as unknown as readonly [BaselineId, ...BaselineId[]];
const titles = Object.fromEntries(baselines.flatMap(({ id, title }: Baseline) => (title ? [[id, title]] : [])));

/** All of these decide a token's advantage. */
const weighs = { inAdvantages: true, weighsTokens: true } as const;

export const advantageFields = section("advantage", {
  credit: choice(
    ["trajectory", "turn"],
    "trajectory",
    "Credit",
    "Which reward a token gets: that of the whole conversation, or what its turn and later turns earned, compared with the same turn in the group's other conversations.",
    { ...weighs, noEffect: [ONE_TURN, PARTS_NORMALIZED] },
  ),
  turnDiscount: number(0, 1, 1, "Turn discount", "Discount of what later turns earned, per turn.", {
    advanced: true,
    ...weighs,
    noEffect: [
      ONE_TURN,
      { when: { credit: "trajectory" }, why: "credit is that of the whole conversation" },
      { when: WITH_CRITIC, why: "the critic's credit is discounted per token" },
      PARTS_NORMALIZED,
    ],
  }),
  agentRewards: choice(
    ["shared", "own"],
    "shared",
    "Agents' rewards",
    "Shared: every agent gets the reward of the conversation. Own: each agent gets what its turns earned, plus the reward that belongs to no turn. Either way an agent is compared with itself in the group's other conversations.",
    { ...weighs, noEffect: [{ when: { "task.severalAgents": false }, why: "one agent speaks in this task" }, PARTS_NORMALIZED] },
  ),
  trainTurns: choice(
    ["all", "last", "calls", "answers"],
    "all",
    "Turns trained",
    "Which turns of the policy are trained: all, the last of each conversation, those that call a tool, or those that call none. The others are sampled and shown, and have weight 0 in the loss.",
    {
      advanced: true,
      fixed: true,
      titles: { last: "The last one", calls: "Calls of tools", answers: "Turns without a call" },
      noEffect: [ONE_TURN],
    },
  ),
  advantageBaseline: choice(ids, ids[0], "Baseline", "What is subtracted from a completion's reward.", {
    ...weighs,
    noEffect: [PARTS_NORMALIZED],
    titles,
  }),
  advantageScale: choice(["none", "group-std", "batch-std"], "group-std", "Scale", "What the centred reward is divided by.", {
    ...weighs,
    titles: { "group-std": "Standard deviation of the group", "batch-std": "Standard deviation of the batch" },
    noEffect: [{ when: WITH_CRITIC, why: "advantages come from the critic" }, PARTS_NORMALIZED],
  }),
  advantageStd: choice(["sample", "population"], "sample", "Standard deviation", "Sample (n - 1) as TRL and verl, or population (n).", {
    advanced: true,
    ...weighs,
    titles: { sample: "Sample (n − 1)", population: "Population (n)" },
    noEffect: UNSCALED,
  }),
  advantageEps: number(0, 1, 1e-4, "Epsilon", "Added to the standard deviation before dividing.", {
    advanced: true,
    ...weighs,
    noEffect: UNSCALED,
  }),
  rewardAggregation: choice(
    ["sum-then-normalize", "normalize-then-sum"],
    "sum-then-normalize",
    "Several rewards",
    "Weighted sum first, or normalise each part per group first (GDPO).",
    {
      advanced: true,
      ...weighs,
      titles: { "sum-then-normalize": "Sum, then normalise", "normalize-then-sum": "Normalise, then sum" },
      noEffect: [{ when: WITH_CRITIC, why: "the critic learns the weighted sum" }],
    },
  ),
  rewardClip: number(0, 1000, 0, "Reward clip", "Largest size of a completion's total reward, up or down; 0 turns it off.", {
    advanced: true,
    inReward: true,
    live: true,
    noEffect: [PARTS_NORMALIZED],
  }),
  whitenAdvantages: flag(false, "Whiten", "Shift and scale token advantages to mean 0 and standard deviation 1 over the batch.", {
    advanced: true,
    ...weighs,
  }),
  discount: number(0, 1, 1, "Discount γ", "Discount of later rewards, per token.", { advanced: true, ...weighs }),
  gaeLambda: number(0, 1, 1, "GAE λ", "Trades bias for variance in generalised advantage estimation; used with a critic.", {
    advanced: true,
    ...weighs,
    noEffect: [WITHOUT_CRITIC],
  }),
  bootstrapTruncated: flag(
    false,
    "Bootstrap where cut off",
    "If a limit of tokens, turns or context cuts a conversation off, its last value counts for the missing rest. If this is off, the rest counts as 0.",
    { advanced: true, ...weighs, noEffect: [WITHOUT_CRITIC] },
  ),
});

/** Read only where a critic is the baseline. */
export const criticFields = section("critic", {
  criticTrunk: choice(["shared", "own"], "shared", "Critic trunk", "A value head on the policy, or on a copy of it.", {
    advanced: true,
    fixed: true,
    titles: { shared: "Shared with the policy", own: "Its own" },
    noEffect: [WITHOUT_CRITIC],
  }),
  valueCoef: number(0, 10, 0.5, "Value weight", "Weight of the value loss.", {
    advanced: true,
    inObjective: true,
    noEffect: [WITHOUT_CRITIC, { when: { criticTrunk: "own" }, why: "a critic with its own trunk has its own optimizer" }],
  }),
  valueClip: number(0, 10, 0.2, "Value clip", "Values may move at most this far from their old values; 0 turns this off.", {
    advanced: true,
    inObjective: true,
    noEffect: [WITHOUT_CRITIC],
  }),
  valueEpochs: integer(1, 16, 1, "Value epochs", "Inner epochs for the critic alone, when it has its own trunk.", {
    advanced: true,
    noEffect: [WITHOUT_CRITIC, SHARED_TRUNK],
  }),
  valueLearningRate: number(0, 10, 1e-3, "Value learning rate", "Learning rate of a critic with its own trunk.", {
    advanced: true,
    noEffect: [WITHOUT_CRITIC, SHARED_TRUNK],
  }),
});
