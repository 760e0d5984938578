// Writes a commented file to start from.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { unknownName } from "../../protocol/problems.ts";
import { CommandError } from "../lab/exit.ts";
import { defineVerb } from "../lab/verb.ts";

interface Template {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** What to do with it. */
  readonly next: string;
}

const REWARD = `// A reward of your own. A configuration names it, relative to its own place:
//   reward: ./rewards/mine.ts:reward
// It then decides what is learnt; the task's own reward parts stay as metrics with weight 0, and
// rewardWeights in the configuration can weigh them again.

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
  { name: "config", path: "config.yaml", text: CONFIG, next: "rollout-lab train config.yaml" },
];

export const init = defineVerb({
  name: "init",
  help: "Write a commented file to start from: a reward, or a config.",
  operands: ["WHAT"],
  options: { out: { kind: "text", value: "FILE", help: "Where to write it; by default rewards/mine.ts or config.yaml." } },
  async run({ operands, options }) {
    const { codeOf, fileError } = await import("../runs/systemErrors.ts");
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
