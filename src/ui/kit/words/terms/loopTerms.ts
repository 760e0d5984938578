// The loop in words: what is trained, what it says, and how it is asked.
import type { GlossaryTerm } from "./tokenTerms.ts";

const GRPO = "Shao et al. 2024, arXiv 2402.03300";

export const loopTerms = [
  {
    id: "policy",
    term: "policy",
    text: "The model that is trained: given what was said so far, a probability for each next token.",
    lesson: "policy-gradient",
  },
  {
    id: "token",
    term: "token",
    text: "A piece of text that the model reads and writes as one unit: a word, a part of a word, a digit or a mark.",
    example: "“19” may be one token, or two: “1” and “9”.",
  },
  {
    id: "prompt",
    term: "prompt",
    text: "The text that the policy is given to answer: a question, and what comes before it. Its tokens are not trained.",
  },
  { id: "completion", term: "completion", text: "What the policy said to a prompt: one answer, up to its end mark or the length limit." },
  { id: "rollout", term: "rollout", text: "One answer that the policy sampled, token by token, with everything recorded about it." },
  {
    id: "turn",
    term: "turn",
    text: "What the policy says in a conversation before the environment answers or the conversation ends.",
    lesson: "tool-mask",
  },
  {
    id: "environment",
    term: "environment",
    text: "The policy's partner in a conversation: it asks, answers each turn, runs tools or a game, and gives the reward.",
    example: "In tic-tac-toe it makes the other player's moves.",
  },
  {
    id: "tool",
    term: "tool",
    text: "A function that the policy may call by writing the call. Its result is put into the conversation.",
    example: "A calculator: the policy writes the sum, the tool replies with its value.",
    lesson: "tool-mask",
  },
  {
    id: "expert",
    term: "expert",
    text: "Another model that the policy may ask for help, at a price that the reward can take into account.",
  },
  {
    id: "agent",
    term: "agent",
    text: "One of several roles in a conversation that the same policy plays, each with a reward of its own.",
    example: "A solver answers, a checker says whether the answer is right.",
  },
  { id: "group", term: "group", text: "The several completions of one prompt in one step.", source: GRPO, lesson: "group-advantage" },
  { id: "step", term: "step", text: "Once around the loop: sample, score, compare, update the weights." },
  {
    id: "length-limit",
    term: "cut off",
    text: "An answer that reached the limit of tokens. It is unfinished, and usually earns nothing.",
    example: "Where most answers are cut off, raise the limit before anything else.",
  },
  {
    id: "temperature",
    term: "temperature",
    text: "Divides the logits before a token is drawn. Below 1 likely tokens gain, above 1 all become more alike; at 0 the most likely is taken.",
  },
  {
    id: "logits",
    term: "logits",
    text: "The model's scores for all possible next tokens. A softmax turns them into probabilities that add up to 1.",
    lesson: "policy-gradient",
  },
  {
    id: "seed",
    term: "seed",
    text: "The number that starts a run's random generator. The same settings with the same seed make the same run.",
    example: "Two runs that differ in the seed alone show how much is luck.",
  },
  {
    id: "checkpoint",
    term: "checkpoint",
    text: "Saved weights: those that a run starts from, or those it had after a step.",
  },
  {
    id: "supervised",
    term: "supervised training",
    text: "Training on worked examples: each of their tokens is made more likely. Nothing is sampled or rewarded.",
  },
] as const satisfies readonly GlossaryTerm[];
