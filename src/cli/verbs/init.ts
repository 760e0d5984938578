// Writes a commented file to start from.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, extname, join } from "node:path";
import { orElse, unknownName } from "../../protocol/problems.ts";
import { CommandError, failedFile } from "../lab/exit.ts";
import { operandWord } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";

interface Template {
  readonly name: string;
  /** Path and text of each file; --out names the first one, and the others stand beside that. */
  readonly files: readonly (readonly [path: string, text: string])[];
  /** What to do with it. */
  readonly next: string;
}

const REWARD = `// A reward of your own. A configuration names file and function, relative to its own place:
//   reward: ./rewards/mine.ts:reward
// It then decides what is learnt, with weight 1 under the function's name (here "reward"): so it stands in metrics and
// reports, and so rewardWeights weighs it. The task's own parts stay as metrics with weight 0. To learn from both:
//   rewardWeights: { reward: 1, sumCloseness: 0.5 } # rollout-lab schema digit-sum lists that task's parts
// What counts as right, and so the accuracy, stays the task's own.
// It may be async, and wait for another program. A call that throws or takes too long gives no verdict, with the reason in
// the records: 5 seconds, and 60 for what a promise waits for; \`callSeconds: 20\` in the configuration sets both.
// On the command line it shares a thread with what trains. Math, JSON, Array, Float32Array and the like are frozen there, so nothing can be
// put in the place of Math.exp; nothing else is kept from it, so name no file that you would not run as a program.

‹/** What a reward is asked about: one finished conversation. */
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

›// A number, the larger the better; null where it cannot judge, which is not zero. It must be a pure function.
/** «js»@param {{ question: string, answer: string, text: string, messages: { role: string, content: string }[], stopReason: string }} judged */
export function reward({ text, answer }‹: Judged›)‹: number | null› {
  const digits = [...text].filter((letter) => letter >= "0" && letter <= "9");
  if (digits.length === 0) return 0;
  const sum = digits.reduce((total, digit) => total + Number(digit), 0);
  // 1 when the digits add up to the answer, falling towards 0 beside it.
  return Math.exp(-Math.abs(sum - Number(answer)) / 2);
}
`;

const TASK = `// A task of your own. A configuration names it, relative to its own place:
//   task: ./tasks/mine.ts:task
// Everything but id and problems may be left out, and problems where the configuration names data.

export const task = {
  id: "my-sums",

  // A list of { question, answer }, of which one in eight is held out for evaluation; or a function that draws
  // one. Chance comes from its argument alone, so that a seed gives the same run: below(n), uniform(), pick(list).
  /** «js»@param {{ below(count: number): number }} random */
  problems(random‹: { below(count: number): number }›) {
    const [a, b] = [random.below(50), random.below(50)];
    // "solution" is what worked examples say, for kind: supervised; the answer itself where left out.
    return { question: \`What is \${a} + \${b}?\`, answer: String(a + b), solution: \`\\\\boxed{\${a + b}}\` };
  },

  // What each conversation opens with, if anything: system: "Answer briefly.",

  // The reward, 1 and more where the answer is right, null where it cannot judge. Without it: 1 when the number or
  // text that the last message comes to is the answer, in \\boxed{}, <answer>, after ####, or as it stands.
  /** «js»@param {{ text: string, answer: string }} judged */
  score({ text, answer }‹: { text: string; answer: string }›)‹: number› {
    const said = /\\\\boxed\\{(-?\\d+)\\}/.exec(text)?.[1];
    if (said === undefined) return 0;
    return said === answer ? 1 : 0.1;
  },

  // Several turns: env(problem, seed) gives an object with start() and step({ message }), each returning
  // { messages } with the whole conversation, and step null at its end; set maxTurns then. Tools: init task --tools.

  // Settings of its runs, below those of the configuration.
  config: { startFrom: "checkpoint", maxCompletionTokens: 16 },
};
`;

const TOOL_TASK = `// A task of your own in which the policy may call tools, over several turns; the two configurations beside it name it.
// A checkpoint has never seen tools of your own, and rewards teach nothing where no conversation calls one: so it is
// trained on worked conversations first (speaker, below), then from rewards:
//   rollout-lab train tasks/mine-worked.yaml --out runs/worked
//   rollout-lab train tasks/mine.yaml --from runs/worked
// What the small checkpoints learn within minutes: calls whose arguments are copied from the question or from the last
// result, numbers by "tools" and names by "search", thousands of different problems, and tools that are not described
// (below). Of few problems they learn the answers by heart; there, SmolLM2 with examples learns more (configs/shop.yaml).
//   data: ./problems.parquet # in the place of problems below: rows with question and answer (rollout-lab schema data),
//                            # made another list by fromData(list), a function of the task, where it has one
// A tool's result is what run returns, or the message of what it throws. A conversation ends with the first message that
// calls nothing, or at the limits taskOptions.maxCalls (3) and maxTurns. \`tools: [calculate]\` in the configuration adds
// tools of the lab: calculate, and search over the texts of a row's column documents.

/** What a policy may ask for; arguments are checked before it runs, and it must be a pure function. */
const halve = {
  name: "halve",
  description: "Halves a number.",
  parameters: { number: "number" }, // "string", "number", "boolean", "array" or "object", or { kind, optional: true, choices: [...] }
  /** «js»@param {{ number: number }} given */
  run({ number }‹: { number: number }›) {
    return String(number / 2);
  },
};

const add = {
  name: "add",
  description: "Adds two numbers.",
  parameters: { a: "number", b: "number" },
  /** «js»@param {{ a: number, b: number }} given */
  run({ a, b }‹: { a: number; b: number }›) {
    return String(a + b);
  },
};

export const task = {
  id: "my-halves",
  system: "Use the tools, then answer in <answer></answer>.",
  tools: [halve, add],

  // A function that draws one (chance comes from its argument alone), or a list; with data it may be left out.
  // One in eight is held out for evaluation: of a list of 16 that are 2, which decide nothing.
  /** «js»@param {{ below(count: number): number }} random */
  problems(random‹: { below(count: number): number }›) {
    const [half, more] = [random.below(45), random.below(50)];
    return { question: \`What is half of \${2 * half}, plus \${more}?\`, answer: String(half + more) };
  },

  // Speaks for the policy in worked conversations (kind: supervised), turn by turn: a call, then what came of it.
  /** «js»@param {{ question: string }} problem */
  speaker({ question }‹: { question: string }›) {
    const [number, more] = (question.match(/\\d+/g) ?? []).map(Number);
    return ({ messages }‹: { messages: { role: string; content: string }[] }›) => {
      const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      const said = { role: "assistant", content: "" };
      if (results.length === 0) return { ...said, toolCalls: [{ id: "call-1", name: "halve", arguments: { number } }] };
      if (results.length === 1) return { ...said, toolCalls: [{ id: "call-2", name: "add", arguments: { a: Number(results[0]), b: more } }] };
      return { ...said, content: \`<answer>\${results[1]}</answer>\` };
    };
  },

  // The reward, 1 and more where the answer is right, null where it cannot judge. Without it: 1 when the last message
  // comes to the answer.
  /** «js»@param {{ text: string, answer: string, messages: { role: string }[] }} judged */
  score({ text, answer, messages }‹: { text: string; answer: string; messages: { role: string }[] }›)‹: number› {
    const said = /<answer>([^<]*)<\\/answer>/.exec(text)?.[1];
    const calls = messages.filter(({ role }) => role === "tool").length;
    return (said === answer ? 1 : 0) + 0.1 * Math.min(calls, 2);
  },

  // Settings of its runs, below those of the configuration. The checkpoint knows how tools are called, but not how they
  // are described: it learns three times as fast without that, and is taught which there are by the worked conversations.
  config: { startFrom: "checkpoint", checkpoint: "tools", maxCompletionTokens: 48, taskOptions: { announceTools: false } },
};
`;

const WORKED = `# First: the task on worked conversations, which its speaker works out.
#   rollout-lab train tasks/mine-worked.yaml --out runs/worked
task: ./mine.ts:task
kind: supervised
steps: 600
demonstrationsPerStep: 8
learningRate: 0.002
evalEvery: 200
evalSamples: 1
`;

const REWARDED = `# Then: from rewards. At the rate of worked conversations they would undo what those have taught.
#   rollout-lab train tasks/mine.yaml --from runs/worked
task: ./mine.ts:task
steps: 60
learningRate: 0.0003
evalEvery: 20
evalSamples: 2
`;

const CONFIG = `# A run's configuration: any field of rollout-lab schema, checked with the line it stands on.
task: digit-sum
steps: 200
groupSize: 16
learningRate: 1.5 # of a table of logits, a thousand times that of a transformer; left out, the task's own
evalEvery: 25
# reward: ./rewards/mine.ts:reward
`;

const templates: readonly Template[] = [
  { name: "reward", files: [["rewards/mine.ts", REWARD]], next: "name it in a configuration: reward: ./rewards/mine.ts:reward" },
  { name: "task", files: [["tasks/mine.ts", TASK]], next: "name it in a configuration: task: ./tasks/mine.ts:task" },
  {
    name: "task with tools",
    files: [
      ["tasks/mine.ts", TOOL_TASK],
      ["tasks/mine-worked.yaml", WORKED],
      ["tasks/mine.yaml", REWARDED],
    ],
    next: "rollout-lab train tasks/mine-worked.yaml --out runs/worked, then rollout-lab train tasks/mine.yaml --from runs/worked",
  },
  { name: "config", files: [["config.yaml", CONFIG]], next: "rollout-lab train config.yaml" },
];

/** A template's text in the language of its file, with the paths that the files have: ‹types› are TypeScript's, lines with «js» say the same to JavaScript. */
function written(text: string, path: string, files: ReadonlyMap<string, string>): string {
  const inLanguage = /\.[cm]?js$/.test(path)
    ? text.replaceAll(/‹[^›]*›/g, "").replaceAll("«js»", "")
    : text.replaceAll(/^.*«js».*\n/gm, "").replaceAll(/[‹›]/g, "");
  return renamed(inLanguage, files);
}

/** What a text says of the files by the paths they have: in a command as a shell reads them, in a configuration from its own place. */
function renamed(text: string, files: ReadonlyMap<string, string>): string {
  const [[first = "", code = ""] = []] = files;
  const commands = [...files].reduce((said, [path, to]) => said.replaceAll(`train ${path}`, () => `train ${operandWord(to)}`), text);
  return commands.replaceAll(`./${first}`, () => `./${code}`).replaceAll("./mine.ts", () => `./${basename(code)}`);
}

export const init = defineVerb({
  name: "init",
  help: "Write a commented file to start from: a reward, a task (--tools for one with tools), or a config.",
  operands: ["WHAT"],
  options: {
    out: {
      kind: "text",
      value: "FILE",
      help: "Where to write it (rewards/mine.ts, tasks/mine.ts, config.yaml); JavaScript where it ends in .mjs or .js, and by default where the package vite, which reads TypeScript, is missing.",
    },
    tools: { kind: "flag", help: "With task: one whose conversations call tools." },
  },
  async run({ operands, options }) {
    const { template, files } = templateFor(operands[0]!, options.out, options.tools === true);
    const paths = [...files.values()];
    for (const path of paths) if (existsSync(path)) throw new CommandError(`${path} is there already: choose another name with --out`);
    for (const [place, text] of template.files) {
      const path = files.get(place)!;
      await mkdir(dirname(path), { recursive: true })
        .then(() => writeFile(path, written(text, path, files), { flag: "wx" }))
        .catch(failedFile("written", path));
    }
    return { facts: { files: paths.map((path) => ({ path })) }, text: `${paths.join("\n")}\nnext: ${renamed(template.next, files)}` };
  },
});

/** Whether TypeScript can be read here: by the bundler, which an installed package does without. */
const readsTypes = (): boolean => orElse(() => Boolean(createRequire(import.meta.url).resolve("vite/package.json")), false);

/** What to write and where. Throws a CommandError for an unknown one. */
function templateFor(what: string, out: string | undefined, withTools: boolean) {
  const known = templates.map(({ name }) => name).filter((name) => !name.includes(" "));
  if (withTools && what !== "task") throw new CommandError(`--tools goes with task alone, got ${what}`);
  const template = known.includes(what) ? templates.find(({ name }) => name === (withTools ? `${what} with tools` : what)) : undefined;
  if (!template) throw new CommandError(unknownName("what init writes", what, known));
  const [[first], ...others] = template.files as readonly [Template["files"][number], ...Template["files"]];
  const path = out ?? (readsTypes() ? first : first.replace(/\.ts$/, ".mjs"));
  // The same task in the other language has its configurations there already.
  const short = join(dirname(path), basename(path, extname(path)));
  const stem = existsSync(`${short}.yaml`) ? path : short;
  return {
    template,
    files: new Map([[first, path], ...others.map(([place]) => [place, place.replace("tasks/mine", () => stem)] as const)]),
  };
}
