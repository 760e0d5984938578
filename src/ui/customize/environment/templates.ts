// Environments to start from: a whole task each, with its problems, so that it can be played and trained at once.

import type { RunConfigInput } from "../../../protocol/config.ts";
import type { CustomTaskInput } from "../../../protocol/custom/customTasks.ts";

export interface EnvironmentTemplate {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly own: CustomTaskInput;
  /** Settings that suit it. */
  readonly config: RunConfigInput;
}

const SUMS = `// A calculator that has to be asked: the model may call calculate, and then says the answer.
export const tools = [
  {
    name: "calculate",
    description: "Works out a sum such as 12 + 30.",
    parameters: { expression: "string" },
    run({ expression }, state) {
      const found = /^\\s*(-?\\d+)\\s*([-+*])\\s*(-?\\d+)\\s*$/.exec(expression);
      if (!found) throw new Error("write it as 12 + 30");
      state.calls += 1;
      const [a, b] = [Number(found[1]), Number(found[3])];
      return found[2] === "+" ? a + b : found[2] === "-" ? a - b : a * b;
    },
  },
];

// Called once as a conversation begins. What it returns as state is handed on from turn to turn.
export function start(problem, { options, random }) {
  return { state: { calls: 0 } };
}

// Called after each turn; nothing to return while tools are called, whose answers are said by themselves.
export function step({ text, calls, state, problem, turn }, { options, random }) {
  if (calls.length > 0) return;
  const right = text.includes(problem.answer);
  return { done: true, reward: right ? 1 : 0, success: right };
}

export function draw({ random }) {
  const [a, b] = [random.below(90) + 10, random.below(90) + 10];
  return { question: \`What is \${a} + \${b}?\`, answer: String(a + b) };
}
`;

const HIGHER = `// A secret number, guessed by hints: three turns, and the sooner the better.
export function draw({ random }) {
  const secret = random.below(9) + 1;
  return { question: \`Guess my number from 1 to 9. Round \${random.below(500)}.\`, answer: String(secret) };
}

export function step({ text, problem, turn }) {
  const guess = Number(/\\d+/.exec(text)?.[0]);
  const secret = Number(problem.answer);
  if (!Number.isFinite(guess)) return { done: true, reward: 0, success: false };
  if (guess === secret) return { done: true, reward: 1 - turn * 0.2, success: true };
  return { say: guess < secret ? "higher" : "lower", reward: 0 };
}
`;

export const environmentTemplates: readonly EnvironmentTemplate[] = [
  {
    id: "sums",
    title: "A calculator to ask",
    summary: "A tool and an answer: the shipped weights that know tools learn when to call it.",
    own: { title: "A calculator to ask", environment: { source: SUMS, turns: 4, calls: 3, announceTools: false } },
    config: { checkpoint: "tools", maxCompletionTokens: 48, promptsPerStep: 8, groupSize: 8, steps: 40, learningRate: 3e-4 },
  },
  {
    id: "higher",
    title: "Guess by hints",
    summary: "Three turns of guessing a number, with a hint after each.",
    own: { title: "Guess by hints", environment: { source: HIGHER, turns: 3, calls: 0 } },
    config: { checkpoint: "games", maxCompletionTokens: 16, promptsPerStep: 8, groupSize: 8, steps: 40, learningRate: 3e-4 },
  },
];
