// How the weights move: what the loss is made of, and what holds it back.
import { GAE, type GlossaryTerm, POLICY_GRADIENT, PPO } from "./tokenTerms.ts";

const LORA = "Hu et al. 2021, LoRA, arXiv 2106.09685";

export const updateTerms = [
  {
    id: "reinforce",
    term: "REINFORCE",
    text: "The plain policy gradient: every sampled token is pushed by what its answer earned, against a baseline or none.",
    source: POLICY_GRADIENT,
    lesson: "policy-gradient",
  },
  {
    id: "ppo",
    term: "PPO",
    text: "Proximal policy optimization: a critic predicts the reward, and a clip keeps the policy near the one that sampled.",
    source: PPO,
    lesson: "critic",
  },
  {
    id: "grpo",
    term: "GRPO",
    text: "Group relative policy optimization: answers to one prompt are compared with each other, so it needs no critic.",
    source: "Shao et al. 2024, arXiv 2402.03300",
    lesson: "group-advantage",
  },
  {
    id: "gae",
    term: "GAE",
    text: "Generalized advantage estimation: a token is credited with how far it and later ones moved the critic's forecast.",
    source: GAE,
    lesson: "critic",
  },
  { id: "loss", term: "loss", text: "What training lowers. Of worked examples: the mean of −log p over their tokens." },
  {
    id: "gradient",
    term: "gradient",
    text: "For each weight, how the loss would change if the weight grew a little. An update goes the other way.",
    lesson: "policy-gradient",
  },
  {
    id: "gradient-norm",
    term: "gradient norm",
    text: "Length of the gradient over all weights together. At 0 the weights do not move.",
    lesson: "nothing-moves",
  },
  {
    id: "learning-rate",
    term: "learning rate",
    text: "How far the optimizer moves the weights in one step. Too small learns slowly, too large breaks what was learnt.",
    example: "Adapters take about ten times the rate of all weights.",
    lesson: "few-numbers",
  },
  {
    id: "optimizer",
    term: "optimizer",
    text: "The rule that turns gradients into changes of the weights. Adam has momentum: earlier gradients go on acting.",
  },
  {
    id: "surrogate",
    term: "surrogate",
    text: "The function of ratio and advantage that the loss uses in place of the reward. Its slope is the push.",
    source: PPO,
    lesson: "ratio",
  },
  {
    id: "inner-epoch",
    term: "inner epoch",
    text: "Once through a step's rollouts in the update. μ is how often they are used.",
    lesson: "ratio",
  },
  {
    id: "off-policy",
    term: "off-policy",
    text: "Trained on answers from another policy, such as the one of some updates ago. The ratio corrects a part of the difference.",
    lesson: "ratio",
  },
  {
    id: "minibatch",
    term: "minibatch",
    text: "A part of a step's rollouts. Each optimizer step uses one such part.",
    example: "Two minibatches and four inner epochs make eight optimizer steps.",
  },
  {
    id: "clip",
    term: "clip",
    text: "A ratio further from 1 than the clip range gets no more push the same way.",
    source: PPO,
    lesson: "ratio",
  },
  {
    id: "weight",
    term: "w",
    text: "Share of the whole loss that one token's loss has: one over how many tokens or completions it is averaged with.",
    lesson: "length-bias",
  },
  {
    id: "total-push",
    term: "Σ",
    text: "Sum of the sizes of all pushes in the row: how strong the update is, in either direction.",
  },
  {
    id: "reference",
    term: "reference",
    text: "A frozen copy of the policy. A KL term keeps the policy near it.",
    lesson: "what-the-kl-is-for",
  },
  {
    id: "kl-weight",
    term: "KL weight",
    text: "β: what one nat of KL costs, in units of reward or loss. At 0 the policy may go anywhere that pays.",
    example: "Too small, a flawed reward can be cheated; too large, nothing is learnt.",
    lesson: "what-the-kl-is-for",
  },
  {
    id: "entropy-bonus",
    term: "entropy bonus",
    text: "A part of the loss that pays for uncertainty, so that the policy keeps exploring.",
  },
  {
    id: "adapter",
    term: "adapter",
    text: "Two small matrices beside a frozen weight matrix. Their product is added to it, and only they are trained.",
    source: LORA,
    lesson: "few-numbers",
  },
  {
    id: "rank",
    term: "rank",
    text: "How many columns and rows an adapter has: at rank 1 its product is one column times one row.",
    source: LORA,
    lesson: "few-numbers",
  },
] as const satisfies readonly GlossaryTerm[];
