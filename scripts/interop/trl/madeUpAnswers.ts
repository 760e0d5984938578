// Answers that nobody sampled, right, wrong and odd, with what every rule of the rewards makes of them here: what the
// exported programs are held to.

import { OWN_PARTS, type PythonRules, pythonRules } from "../../../src/cli/exports/trl/pythonRules.ts";
import { rolloutRow } from "../../../src/cli/exports/trl.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { Random } from "../../../src/rl/random.ts";
import { boxedAnswer, boxedForm } from "../../../src/rl/rewards/boxedAnswer.ts";
import { rewardRules } from "../../../src/rl/rewards/library/index.ts";
import { em, f1 } from "../../../src/rl/rewards/match/textMatch.ts";
import { taggedAnswer, taggedForm } from "../../../src/rl/rewards/taggedAnswer.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import type { TaskInstance } from "../../../src/rl/tasks/task.ts";
import type { Example, Trajectory } from "../../../src/rl/types.ts";
import { planRun } from "../../../src/train/start/plan.ts";

const NUMBERS = [
  ..."7 -7 +7 0 12 1,024 1024 12,34 0.5 .5 5. 7.00 1/2 2/4 -3/6 1/0 3 1/2 1e3 2E-2 1.5e400 50% 50\\% 0.1\\overline{6}".split(" "),
  ..."\\frac{1}{2} \\dfrac12 \\frac{-3}{4} \\frac{1}{0} 3\\frac{1}{2} (7) {7} 2^{10} 2^-2 0^-1 10^3 x=7 ½ 3¾ ⅔ −7 ４ 1'024".split(" "),
  ...["3 1/2", "7 × 10^2", "7*10^{-2}", "minus 7", "negative 3.5", "1 024", "seven", "7 and 8", "5 million", "2 thirds", "three halves"],
  ...[
    "2 2/3",
    "2 and 1/2",
    "\\sqrt{2}",
    "3\\sqrt{2}",
    "2\\pi",
    "5!",
    "10⁵",
    "1 dozen",
    "3 below zero",
    "101 base two",
    "(1,234)",
    "x = 7 or x = 8",
  ],
  ...[
    "7 x 8 = 56",
    "5 feet 3 inches",
    "17, 18",
    "y = 7",
    "\\{1, 2\\}",
    "(1, 0.5)",
    "7 (since 6+1)",
    "more than 7",
    "x^2 = 7",
    "7:8",
    "- 7",
  ],
  ...["$7", "7$", "$7$", "\\$7", "7 €", "-£7.50", "7 dollars", "7 km", "7km", "7 kilometers", "7 km/h", "7 kilometers per hour", "7 mph"],
  ...["7 m^2", "7 square meters", "7 cubic metres", "90°", "90^\\circ", "20 °C", "3 apples", "3 apple", "7 x", "7x", "12 inches", "5 feet"],
];
const WORDS = [
  ..."the an a cat Cat CAT dog's naïve İstanbul ß straße 東京 🙂 don't well-known _x_ \\pi \\text{cat} \\mathrm{kg} (b) B x^2 {x} x".split(
    " ",
  ),
  ..."Answer is It so! Really? … yes. no. \u00a0 \u2003 \u0085 \u001f \t \ufeff".split(" "),
];
const MARKS = [
  "\\boxed{",
  "}",
  "<answer>",
  "</answer>",
  "<think>",
  "</think>",
  "####",
  "\n",
  ". ",
  "! ",
  ", ",
  " ",
  "",
  "$",
  "\\",
  "{",
  "**",
  "`",
  "”",
];
const PATTERNS = [
  "\\d",
  "^\\s*\\d+$",
  "(?:cat|dog)+",
  "[A-Z]{2,}",
  "(?<n>\\d)\\.",
  "\\bthe\\b",
  "[^\\s]+🙂",
  "(?=.*7).*\\u0035",
  "a.c",
  "x\\^2|\\$",
];

function textOf(random: Random, answer: string): string {
  const piece = () => random.pick([random.pick(NUMBERS), random.pick(WORDS), random.pick(MARKS), answer]);
  const some = () => Array.from({ length: random.below(7) }, piece).join(random.pick(["", " ", " "]));
  const marked = random.pick([
    () => `\\boxed{${some()}}`,
    () => `<answer>${random.pick([answer, some()])}</answer>`,
    () => `#### ${random.pick([answer, some()])}\n${some()}`,
    () => `The answer is ${random.pick([answer, some()])}${random.pick([".", "!", ", so", ""])}`,
    () => `<think>${some()}</think><answer>${some()}</answer>`,
    () => random.pick([answer, `The ${answer}.`, answer.toUpperCase(), `${answer} ${some()}`]),
    () => "",
  ])();
  return `${random.below(3) === 0 ? "" : some()}${marked}${random.below(3) === 0 ? some() : ""}`;
}

/** The rules of the library that have Python. */
const IN_PYTHON = rewardRules.filter(({ python }) => python !== undefined);

/** Settings of each of them, drawn; a rule of any place of the answer. */
function chosenRules(random: Random): Record<string, Record<string, string | number | boolean>> {
  const settings: Record<string, Record<string, string | number | boolean>> = {
    ...{ pattern: { pattern: random.pick(PATTERNS) }, exactMatch: { place: random.pick(["message", "box", "tag"]) } },
    ...{ wordOverlap: { place: random.pick(["message", "box", "tag"]) }, oneNumber: { wrong: 0.25 }, answerAlone: { named: 0.5 } },
    ...{ ending: { text: random.pick(["?", ".", "cat", "7"]) }, sentences: { most: 1 + random.below(3), words: 1 + random.below(3) } },
    ...{
      tagForm: { tags: random.pick(["answer", "think,answer"]), partial: random.below(2) === 0 },
      repetition: { n: 1 + random.below(3) },
    },
    ...{ lengthTarget: { target: 1 + random.below(20), width: 8 }, overlongConversation: { limit: 16, buffer: 8 } },
    ...{ toolLoop: { free: random.below(2), most: 3 } },
  };
  return Object.fromEntries(IN_PYTHON.map(({ name }) => [name, settings[name] ?? {}]));
}

const OWN = [boxedAnswer, boxedForm, taggedAnswer, taggedForm, em, f1].map((rule) => rule.part());

/** Rules of one kind of folder and the rows that hold it: what rewards.json and rollouts.jsonl say. */
export interface MadeUpRewards {
  readonly rules: PythonRules;
  readonly rows: readonly unknown[];
}

/** A choice of settings, gates, clip and buffer, and so many answers under it. Every rule that has Python is chosen. */
export function madeUpRewards(count: number, seed: number): MadeUpRewards {
  const random = new Random(seed);
  const given: RunConfigInput = {
    ...{ task: "boxed-arithmetic", maxCompletionTokens: 24, rewardRules: chosenRules(random) },
    ...{ rewardClip: random.pick([0, 0.75]), overlongBuffer: random.pick([0, 8]) },
    rewardGates: random.pick([{}, { boxedForm: -1 }, { contains: -0.5, boxedForm: 0 }]),
    rewardWeights: { capitals: 0.5, repetition: -0.25, cost: 1, contains: 0 },
  };
  const { config, instance } = planRun({ config: given });
  const others = OWN.filter(({ name }) => !instance.rewards.some((part) => part.name === name));
  const task: TaskInstance = { ...instance, rewards: [...instance.rewards, ...others] };
  const rules = pythonRules(config, task, false);
  if ("lacking" in rules) throw new Error(`${rules.lacking} has no form in Python`);
  const transform = { gates: config.rewardGates, clip: config.rewardClip };
  const model = weightedReward(task, config.rewardWeights, transform);
  const rows = Array.from({ length: count }, () => {
    const answer = random.pick([
      random.pick(NUMBERS),
      random.pick(NUMBERS),
      random.pick(WORDS),
      `${random.pick(WORDS)} ${random.pick(WORDS)}`,
      "",
    ]);
    const example: Example = { id: "made up", messages: [{ role: "user", content: "?" }], answer };
    const text = textOf(random, answer);
    const tokens = Array.from({ length: 1 + random.below(24) }, () => 1);
    const trajectory: Trajectory = {
      ...{ promptTokens: [1], tokens, mask: tokens, logprobs: tokens, entropies: null },
      messages: [...example.messages, { role: "assistant", content: text }],
      stopReason: random.below(4) === 0 ? "max-tokens" : "completed",
    };
    const verdicts = model.scoreBatch([{ example, trajectory }], config);
    if (verdicts instanceof Promise) throw new Error("internal: rules of the library judge at once");
    return rolloutRow(config.task, task, example, trajectory, verdicts[0]!.total);
  });
  return { rules, rows };
}

/** How many parts every row is scored by. */
export const MADE_UP_PARTS = IN_PYTHON.length + OWN_PARTS.length - 2;
