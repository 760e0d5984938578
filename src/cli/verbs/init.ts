// Writes a commented file to start from.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { unknownName } from "../../protocol/problems.ts";
import { CommandError, codeOf, fileError } from "../lab/exit.ts";
import { defineVerb } from "../lab/verb.ts";

interface Template {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** What to do with it. */
  readonly next: string;
}

const REWARD = `// A reward of your own. A configuration names file and function, relative to its own place:
//   reward: ./rewards/mine.ts:reward
// It then decides what is learnt, with weight 1 under the function's name (here "reward"): so it stands in metrics and
// reports, and so rewardWeights weighs it. The task's own parts stay as metrics with weight 0. To learn from both:
//   rewardWeights: { reward: 1, sumCloseness: 0.5 } # rollout-lab schema digit-sum lists that task's parts
// What counts as right, and so the accuracy, stays the task's own.

/** What a reward is asked about: one finished conversation. */
interface Judged {
  /** The problem's last user message. */
  question: string;
  /** What the task expects, in its own notation. */
  answer: string;
  /** The policy's last message. */
  text: string;
  /** The whole conversation, tool calls and results included. */
  messages: { role: string; content: string }[];
  /** "completed", or the limit that ended it. */
  stopReason: string;
}

/** A number, the larger the better; null where it cannot judge, which is not zero. It must be a pure function. */
export function reward({ text, answer }: Judged): number | null {
  const digits = [...text].filter((letter) => letter >= "0" && letter <= "9");
  if (digits.length === 0) return 0;
  const sum = digits.reduce((total, digit) => total + Number(digit), 0);
  // 1 when the digits add up to the answer, falling towards 0 beside it.
  return Math.exp(-Math.abs(sum - Number(answer)) / 2);
}
`;

const TASK = `// A task of your own. A configuration names it, relative to its own place:
//   task: ./tasks/mine.ts:task
// Everything but id and problems may be left out.

export const task = {
  id: "my-sums",

  // A list of { question, answer }, of which one in eight is held out for evaluation; or a function that draws
  // one. Chance comes from its argument alone, so that a seed gives the same run: below(n), uniform(), pick(list).
  problems(random: { below(count: number): number }) {
    const [a, b] = [random.below(50), random.below(50)];
    // "solution" is what worked examples say, for kind: supervised; the answer itself where left out.
    return { question: \`What is \${a} + \${b}?\`, answer: String(a + b), solution: \`\\\\boxed{\${a + b}}\` };
  },

  // What each conversation opens with, if anything: system: "Answer briefly.",

  // The reward, 1 and more where the answer is right, null where it cannot judge. Without it: 1 when the number or
  // text that the last message comes to is the answer, in \\boxed{}, <answer>, after ####, or as it stands.
  score({ text, answer }: { text: string; answer: string }): number {
    const said = /\\\\boxed\\{(-?\\d+)\\}/.exec(text)?.[1];
    if (said === undefined) return 0;
    return said === answer ? 1 : 0.1;
  },

  // Several turns: env(problem, seed) gives an object with start() and step({ message }), each returning
  // { messages } with the whole conversation, and step null at its end; set maxTurns then. See examples/ownTask.mjs.

  // Settings of its runs, below those of the configuration.
  config: { startFrom: "checkpoint", maxCompletionTokens: 16 },
};
`;

const CONFIG = `# A run's configuration: any field of rollout-lab schema, checked with the line it stands on.
task: digit-sum
steps: 100
groupSize: 16
learningRate: 1
evalEvery: 25
# reward: ./rewards/mine.ts:reward
`;

const templates: readonly Template[] = [
  { name: "reward", path: "rewards/mine.ts", text: REWARD, next: "name it in a configuration: reward: ./rewards/mine.ts:reward" },
  { name: "task", path: "tasks/mine.ts", text: TASK, next: "name it in a configuration: task: ./tasks/mine.ts:task" },
  { name: "config", path: "config.yaml", text: CONFIG, next: "rollout-lab train config.yaml" },
];

export const init = defineVerb({
  name: "init",
  help: "Write a commented file to start from: a reward, a task, or a config.",
  operands: ["WHAT"],
  options: { out: { kind: "text", value: "FILE", help: "Where to write it; by default rewards/mine.ts, tasks/mine.ts or config.yaml." } },
  async run({ operands, options }) {
    const template = templates.find(({ name }) => name === operands[0]);
    if (!template)
      throw new CommandError(
        unknownName(
          "what init writes",
          operands[0]!,
          templates.map(({ name }) => name),
        ),
      );
    const path = options.out ?? template.path;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, template.text, { flag: "wx" });
    } catch (error) {
      if (codeOf(error) === "EEXIST") throw new CommandError(`${path} is there already: choose another name with --out`);
      throw fileError("written", path, error);
    }
    return { facts: { files: [{ path }] }, text: `${path}\nnext: ${template.next}` };
  },
});
