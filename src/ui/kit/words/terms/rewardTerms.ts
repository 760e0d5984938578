// What answers earn, who says so, and how that is compared.
import { GAE, type GlossaryTerm, POLICY_GRADIENT } from "./tokenTerms.ts";

export const rewardTerms = [
  {
    id: "reward",
    term: "reward",
    text: "The score that the rules give a completion: a weighted sum of parts. The policy never sees the right answer.",
    lesson: "policy-gradient",
  },
  {
    id: "reward-part",
    term: "part of the reward",
    text: "One rule with its own score, such as the right answer or the right form. Its weight says how much it counts.",
    example: "Weights of 1 and 0.1: a wrong answer in the right form earns 0.1.",
  },
  { id: "gate", term: "gate", text: "A part that must score 1. If it does not, the whole reward is the number set here." },
  { id: "expected", term: "expected", text: "The answer that the rules compare with. The policy never sees it." },
  { id: "right", term: "right", text: "Whether the answer solves the problem, whatever the weights of the reward are." },
  {
    id: "judge",
    term: "judge",
    text: "A second model that reads answers and scores them. It is never trained, and it can be fooled.",
    lesson: "reward-hacking",
  },
  {
    id: "reward-hacking",
    term: "reward hacking",
    text: "The reward rises but the real goal does not: the policy has found a way to be paid without doing the task.",
    example: "Paid for each exclamation mark, a policy says nothing else.",
    source: "Gao et al. 2022, arXiv 2210.10760",
    lesson: "reward-hacking",
  },
  {
    id: "return",
    term: "return",
    text: "All reward from a token on, which the critic learns to predict. With a discount, later rewards count less.",
    source: GAE,
    lesson: "critic",
  },
  {
    id: "baseline",
    term: "baseline",
    text: "The value that a reward is compared with. The policy learns only from the difference.",
    source: POLICY_GRADIENT,
    lesson: "baseline",
  },
  {
    id: "spread",
    term: "spread",
    text: "How much the rewards of a group differ. Without a spread there is no better or worse completion to learn from.",
    lesson: "dead-groups",
  },
  {
    id: "tied-group",
    term: "tied group",
    text: "A group whose answers all earned the same. Comparing them does not show what is better.",
    example: "Eight wrong answers are tied, and so are eight right ones.",
    lesson: "nothing-moves",
  },
  {
    id: "pass-rate",
    term: "pass rate",
    text: "The chance that one sampled answer to a prompt is right. At 0 and at 1 every group is tied.",
    example: "4 right answers of 32 point to a pass rate of about one in eight.",
    lesson: "nothing-moves",
  },
  {
    id: "dynamic-sampling",
    term: "dynamic sampling",
    text: "Tied groups are thrown away and other prompts sampled in their place, so that every group teaches.",
    source: "Yu et al. 2025, DAPO, arXiv 2503.14476",
    lesson: "dapo",
  },
  {
    id: "curriculum",
    term: "curriculum",
    text: "Problems that grow harder as training goes on.",
    lesson: "nothing-moves",
  },
  {
    id: "explained-variance",
    term: "explained variance",
    text: "Share of the differences between returns that the critic predicts: 1 is all of them, 0 is no better than guessing the mean.",
    lesson: "critic",
  },
  {
    id: "discount",
    term: "discount",
    text: "γ: how much a reward counts one token or turn earlier. 1 counts it in full, 0 not at all.",
    source: GAE,
    lesson: "critic",
  },
  {
    id: "whitening",
    term: "whitening",
    text: "Subtracts the mean of all advantages of a batch and divides by their spread, so that their size stays the same.",
  },
] as const satisfies readonly GlossaryTerm[];
