// What the words on screen mean: one registry, which Term shows on hover, focus and tap. A text holds for
// every algorithm: what only the settings of a run decide is said in method.ts.

export interface GlossaryTerm {
  readonly id: string;
  /** The word as it is shown, or a sign. */
  readonly term: string;
  /** One or two short sentences. */
  readonly text: string;
  /** Where the word comes from, where it has such a place. */
  readonly source?: string;
  /** Whether examples.ts has something to try, which loads later than the words. */
  readonly hasExample?: true;
}

const POLICY_GRADIENT = "Williams 1992; Sutton and Barto, chapter 13";
const PPO = "Schulman et al. 2017, arXiv 1707.06347";

export const GLOSSARY = [
  { id: "policy", term: "policy", text: "The model that is trained: given what was said so far, a probability for each next token." },
  { id: "rollout", term: "rollout", text: "One answer that the policy sampled, token by token, with all that was noted about it." },
  { id: "completion", term: "completion", text: "What the policy said to a prompt: one answer, up to its end mark or the length limit." },
  {
    id: "group",
    hasExample: true,
    term: "group",
    text: "The several completions of one prompt in one step.",
    source: "Shao et al. 2024, arXiv 2402.03300",
  },
  {
    id: "adapter",
    term: "adapter",
    text: "Two small matrices beside a weight matrix that stands still: what their product adds is all that is trained.",
    source: "Hu et al. 2021, LoRA, arXiv 2106.09685",
  },
  { id: "rank", term: "rank", text: "How many columns and rows an adapter has: at rank 1 its product is one column times one row." },
  { id: "inner-epoch", term: "inner epoch", text: "Once through a step's rollouts in the update. μ is how often they are used." },
  { id: "step", term: "step", text: "Once around the loop: sample, score, compare, update the weights." },
  {
    id: "reward",
    term: "reward",
    text: "What the rules give a completion, as the weighted sum of their parts. Nobody says what would have been right.",
  },
  {
    id: "return",
    term: "return",
    text: "The reward that came from a token on, which the critic is to foresee: later ones count less under a discount.",
    source: "Schulman et al. 2016, arXiv 1506.02438",
  },
  { id: "gate", term: "gate", text: "A part that must score 1: where it does not, the whole reward is the number set here." },
  { id: "curriculum", term: "curriculum", text: "Problems that grow harder as training goes on." },
  { id: "expected", term: "expected", text: "The answer that the rules compare with. The policy never sees it." },
  { id: "right", term: "right", text: "Solves the problem, whatever the weights of the reward say." },
  {
    id: "baseline",
    hasExample: true,
    term: "baseline",
    text: "What a reward is compared with: only what differs from it teaches.",
    source: POLICY_GRADIENT,
  },
  {
    id: "advantage",
    hasExample: true,
    term: "advantage",
    text: "A in the formulas: how much better than its baseline a completion, or a token of it, did. Above 0 pushes up, below 0 pushes down.",
    source: POLICY_GRADIENT,
  },
  {
    id: "spread",
    hasExample: true,
    term: "spread",
    text: "How far the rewards of a group lie apart. Without any, nothing tells its completions from each other.",
  },
  {
    id: "logprob",
    hasExample: true,
    term: "log p",
    text: "Natural logarithm of the probability: 0 is certain, −0.7 one in two, −2.3 one in ten. Of a completion, the sum over its tokens.",
  },
  {
    id: "change",
    hasExample: true,
    term: "Δ log p",
    text: "Log-probability after the whole update minus when it was sampled: above 0 it has become likelier. +0.1 is about 10 % likelier.",
  },
  { id: "nats", term: "nats", text: "The unit of what is counted in natural logarithms." },
  {
    id: "ratio",
    hasExample: true,
    term: "ρ",
    text: "Ratio: probability in the last inner epoch over that when sampled. With one optimizer step for each batch it is 1.",
    source: PPO,
  },
  {
    id: "clip",
    hasExample: true,
    term: "clip",
    text: "A ratio further from 1 than the clip range gets no more push the same way.",
    source: PPO,
  },
  {
    id: "push",
    hasExample: true,
    term: "push",
    text: "Minus the derivative of the loss by this token's log-probability: how hard the loss itself pushes it, and which way.",
  },
  {
    id: "weight",
    hasExample: true,
    term: "w",
    text: "Share of the whole loss that one token's loss has: one over how many tokens or completions it is averaged with.",
  },
  {
    id: "total-push",
    term: "Σ",
    text: "Sum of the sizes of the pushes of all tokens in the row: how strong the update is, whichever way.",
  },
  {
    id: "temperature",
    hasExample: true,
    term: "temperature",
    text: "Divides the logits before a token is drawn: below 1 the likely ones gain, above 1 all become more alike; at 0 the likeliest is taken.",
  },
  {
    id: "entropy",
    hasExample: true,
    term: "entropy",
    text: "How undecided the policy was: 0 where only one token was possible, higher where many were.",
  },
  {
    id: "train-entropy",
    term: "entropy in training",
    text: "How undecided the policy was at this token in the last inner epoch; an entropy bonus acts on this one.",
  },
  { id: "reference", term: "reference", text: "A frozen copy of the policy, which a KL keeps it near." },
  {
    id: "kl",
    hasExample: true,
    term: "KL",
    text: "Kullback-Leibler divergence: how far the policy has moved from the reference, by the run's estimator.",
    source: "Schulman 2020, Approximating KL divergence",
  },
  { id: "mask", term: "mask", text: "1 where the policy sampled the token and the loss trains it, 0 where it does not." },
  {
    id: "critic",
    term: "V",
    text: "The critic's value: the reward it foresees from here on.",
    source: "Schulman et al. 2016, arXiv 1506.02438",
  },
  { id: "held-out", term: "held-out", text: "Problems kept for testing: training never draws them." },
  {
    id: "greedy",
    hasExample: true,
    term: "greedy accuracy",
    text: "Share of held-out problems answered right when each token is the likeliest one, without chance.",
  },
  {
    id: "sampled",
    hasExample: true,
    term: "sampled accuracy",
    text: "Share of right answers among those drawn by chance, as in training.",
  },
  {
    id: "pass-at-k",
    hasExample: true,
    term: "pass@k",
    text: "Chance that at least one of k sampled answers to a problem is right, estimated without bias.",
    source: "Chen et al. 2021, arXiv 2107.03374",
  },
  { id: "form", term: "required form", text: "Share of greedy answers that keep the form the task asks for, right or wrong." },
  { id: "at-start", term: "at the start", text: "What the policy reached on the same problems before the first step." },
  { id: "random-policy", term: "random policy", text: "What drawing every token evenly reaches on these problems: no skill at all." },
  {
    id: "interval",
    hasExample: true,
    term: "interval",
    text: "Where the true share lies with 95 % confidence, given so few problems.",
    source: "Wilson 1927",
  },
  { id: "loss", term: "loss", text: "What training lowers. Of worked examples: the mean of −log p over their tokens." },
  { id: "im_start", term: "im_start", text: "Mark that opens a message. The renderer places it." },
  { id: "im_end", term: "im_end", text: "Mark that ends a message. The policy samples it to stop, so it is trained like any other token." },
  { id: "begin", term: "begin", text: "Mark that stands before the first digit, so that the policy has something to go on from." },
  { id: "tool_call", term: "tool_call", text: "Mark around a call that the policy makes of a tool." },
] as const satisfies readonly GlossaryTerm[];

export type TermId = (typeof GLOSSARY)[number]["id"];

const BY_ID: ReadonlyMap<string, GlossaryTerm> = new Map(GLOSSARY.map((entry) => [entry.id, entry]));

/** What a word means. */
export function glossaryTerm(id: TermId): GlossaryTerm {
  return BY_ID.get(id)!;
}

/** What a mark of the renderer means, by its name without brackets; null for one that is not explained. */
export function markTerm(name: string): GlossaryTerm | null {
  return BY_ID.get(name.replace(/^\//, "")) ?? null;
}
