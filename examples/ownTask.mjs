// A task of one's own: an environment that gives a wrong answer one hint and another try, a reward that pays a
// late answer less, and a rule that punishes long turns. The shipped checkpoint knows \boxed{} and sums; what it
// has to learn is when a second try pays.
// Usage: node examples/ownTask.mjs [STEPS]
import { defineLibraryRule, dialogueEnv, problemTask, sameAnswer, trainRun } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";
import { z } from "zod";

const steps = Number(process.argv[2] ?? 30);
const boxed = (text) => /\\boxed\{([^}]*)\}/.exec(text)?.[1] ?? "";

/** Two tries: after a wrong one the environment says whether the right answer is larger or smaller. */
function twoTries({ question, answer }) {
  let tries = 0;
  return dialogueEnv({
    opening: { messages: [{ role: "user", content: question }] },
    respond(message) {
      tries += 1;
      const said = boxed(message.content);
      const right = sameAnswer(said, answer);
      if (right || tries === 2) return { messages: null, turn: { reward: right ? 1 : 0 } };
      const hint = Number(answer) > Number(said) ? "larger" : "smaller";
      return { messages: [{ role: "user", content: `It is ${hint}. ${question}` }], turn: { reward: 0 } };
    },
    metrics: () => ({ tries }),
  });
}

const hinted = problemTask({
  id: "hinted-sums",
  title: "Sums with a hint",
  problems(random) {
    const [a, b] = [random.below(50), random.below(50)];
    return { question: `What is ${a} + ${b}?`, answer: String(a + b) };
  },
  env: twoTries,
  maxTurns: 2,
  // 1 for the first try, half for the second, nothing else.
  score({ text, answer, messages }) {
    const tries = messages.filter(({ role }) => role === "assistant").length;
    return sameAnswer(boxed(text), answer) ? 1 / tries : 0;
  },
  config: { startFrom: "checkpoint", maxCompletionTokens: 16 },
});

/** A reward that any task can be scored with; its settings are checked by its schema. */
const brief = defineLibraryRule({
  name: "brief",
  title: "Brief",
  help: "0 up to a number of characters, then a hundredth less for each more.",
  weight: 0.1,
  settingsSchema: z.strictObject({ characters: z.int().min(1).default(12) }),
  score: ({ characters }, _example, { messages }) => {
    const longest = Math.max(0, ...messages.filter(({ role }) => role === "assistant").map(({ content }) => content.length));
    return -Math.max(0, longest - characters) / 100;
  },
});

const host = createNodeHost({ additions: { tasks: [hinted], rewardRules: [brief] } });
const config = {
  task: "hinted-sums",
  rewardRules: { brief: { characters: 10 } },
  steps,
  promptsPerStep: 8,
  groupSize: 8,
  learningRate: 5e-4,
  evalEvery: steps,
  evalProblems: 32,
  evalSamples: 2,
};
const run = await trainRun(config, host, {
  onStep: ({ step, metrics }) =>
    console.log(
      `step ${step}  reward ${metrics.reward.toFixed(3)}  tries ${metrics["env/tries"].toFixed(2)}  brief ${metrics["rewards/brief/mean"].toFixed(3)}`,
    ),
});
const [first, last] = [run.evaluations[0], run.evaluations.at(-1)];
console.log(
  `right at the first try: ${(100 * first.sampledAccuracy).toFixed(0)} % before, ${(100 * last.sampledAccuracy).toFixed(0)} % after`,
);
process.exit(0);
