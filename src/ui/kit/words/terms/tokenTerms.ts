// What is noted about one token, and the marks around messages: the words that stand on the first screen, so they load with it.

export interface GlossaryTerm {
  readonly id: string;
  /** The word as it is shown, or a sign. */
  readonly term: string;
  /** One or two short sentences, true for every algorithm: what only a run's settings decide is said in method.ts. */
  readonly text: string;
  /** One sentence that shows it, where that helps. */
  readonly example?: string;
  /** Where the word comes from, where it has such a place. */
  readonly source?: string;
  /** The lesson that is about it, by its id. */
  readonly lesson?: string;
}

export const POLICY_GRADIENT = "Williams 1992; Sutton and Barto, chapter 13";
export const PPO = "Schulman et al. 2017, arXiv 1707.06347";
export const GAE = "Schulman et al. 2016, arXiv 1506.02438";

export const tokenTerms = [
  {
    id: "advantage",
    term: "advantage",
    text: "A in the formulas: how much better than its baseline a completion, or a token of it, did. Above 0 pushes up, below 0 pushes down.",
    source: POLICY_GRADIENT,
    lesson: "group-advantage",
  },
  {
    id: "logprob",
    term: "log p",
    text: "Natural logarithm of the probability: 0 is certain, −0.7 one in two, −2.3 one in ten. Of a completion, the sum over its tokens.",
  },
  {
    id: "change",
    term: "Δ log p",
    text: "Log-probability after the whole update minus when it was sampled: above 0 it has become likelier. +0.1 is about 10 % likelier.",
  },
  {
    id: "ratio",
    term: "ρ",
    text: "Ratio: probability in the last inner epoch over that when sampled. With one optimizer step for each batch it is 1.",
    source: PPO,
    lesson: "ratio",
  },
  {
    id: "trainer-gap",
    term: "trainer − sampler",
    text: "Log-probability when trained minus when sampled. With the same weights in both, it is what the two programs compute differently.",
  },
  {
    id: "push",
    term: "push",
    text: "Minus the derivative of the loss by this token's log-probability: how hard the loss itself pushes it, and which way.",
    lesson: "policy-gradient",
  },
  {
    id: "entropy",
    term: "entropy",
    text: "How uncertain the policy was: 0 if only one token was possible, higher if many were.",
  },
  {
    id: "train-entropy",
    term: "entropy in training",
    text: "How uncertain the policy was at this token in the last inner epoch. An entropy bonus acts on this number.",
  },
  {
    id: "kl",
    term: "KL",
    text: "Kullback-Leibler divergence: how far the policy has moved from the reference, by the run's estimator.",
    source: "Schulman 2020, Approximating KL divergence",
    lesson: "kl",
  },
  {
    id: "critic",
    term: "V",
    text: "The critic's value: the reward it predicts from here on.",
    source: GAE,
    lesson: "critic",
  },
  {
    id: "mask",
    term: "mask",
    text: "1 where the policy sampled the token and the loss trains it, 0 where it does not.",
    example: "A calculator's reply in a conversation has mask 0: the policy reads it, but did not choose it.",
    lesson: "tool-mask",
  },
] as const satisfies readonly GlossaryTerm[];

export const markTerms = [
  { id: "im_start", term: "im_start", text: "Mark that opens a message. The renderer places it." },
  {
    id: "im_end",
    term: "im_end",
    text: "Mark that ends a message. The policy samples it to stop, so it is trained like any other token.",
    lesson: "tool-mask",
  },
  { id: "begin", term: "begin", text: "Mark that stands before the first digit, so that the policy has something to go on from." },
  { id: "tool_call", term: "tool_call", text: "Mark around a call that the policy makes of a tool.", lesson: "tool-mask" },
] as const satisfies readonly GlossaryTerm[];

/** What a word about a token means. */
export function tokenText(id: (typeof tokenTerms)[number]["id"]): string {
  return tokenTerms.find((term) => term.id === id)!.text;
}

/** What a mark of the renderer means, by its name without brackets; null for one that is not explained. */
export function markTerm(name: string): GlossaryTerm | null {
  return markTerms.find(({ id }) => id === name.replace(/^\//, "")) ?? null;
}
