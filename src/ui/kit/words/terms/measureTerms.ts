// How one tells whether it works: what is measured, how sure that is, and how runs are compared.
import type { GlossaryTerm } from "./tokenTerms.ts";

export const measureTerms = [
  {
    id: "evaluation",
    term: "evaluation",
    text: "Held-out problems are answered, greedily and by sampling, to see what was learnt. Nothing is trained on them.",
  },
  { id: "held-out", term: "held-out", text: "Problems kept for testing: training never draws them." },
  {
    id: "greedy",
    term: "greedy accuracy",
    text: "Share of held-out problems answered right when each token is the likeliest one, without chance.",
  },
  { id: "sampled", term: "sampled accuracy", text: "Share of right answers among those drawn by chance, as in training." },
  {
    id: "pass-at-k",
    term: "pass@k",
    text: "Chance that at least one of k sampled answers to a problem is right, estimated without bias.",
    source: "Chen et al. 2021, arXiv 2107.03374",
  },
  { id: "form", term: "required form", text: "Share of greedy answers that keep the form the task asks for, right or wrong." },
  { id: "at-start", term: "at the start", text: "What the policy reached on the same problems before the first step." },
  {
    id: "random-policy",
    term: "random policy",
    text: "What drawing every token at random reaches on these problems: no skill at all.",
  },
  {
    id: "interval",
    term: "interval",
    text: "Where the true share lies with 95 % confidence, given so few problems.",
    source: "Wilson 1927",
  },
  {
    id: "verdict",
    term: "verdict",
    text: "What a run's numbers show so far: improving, level, falling, or not enough to tell.",
  },
  {
    id: "smoothing",
    term: "smoothing",
    text: "A curve drawn as a moving average, so that you see its trend. The numbers do not change.",
  },
  { id: "nats", term: "nats", text: "The unit of what is counted in natural logarithms.", example: "log 2, about 0.69 nats, is one bit." },
  {
    id: "race",
    term: "race",
    text: "Runs that differ in one setting, side by side from the same seeds, so that only that setting can make the difference.",
  },
  {
    id: "sweep",
    term: "sweep",
    text: "The same run for many values of a setting, or combinations of two, to find which does best.",
  },
  {
    id: "fork",
    term: "fork",
    text: "A run that continues from a step of another run with something changed, beside the original.",
  },
  {
    id: "preset",
    term: "preset",
    text: "A task with settings that are known to work, to start from. You can change all of them.",
  },
  {
    id: "backend",
    term: "backend",
    text: "What computes the model: the graphics card, the processor, or a server. A run says which it uses, and why.",
  },
  {
    id: "recording",
    term: "recording",
    text: "A run as a file that plays without training: its curves, its answers, and the numbers of their tokens.",
  },
] as const satisfies readonly GlossaryTerm[];
