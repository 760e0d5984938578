// A run with tools in TRL: conversations made up here, with every kind of call that goes wrong, held again by the
// exported programs; and the exported run trained.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolloutRow } from "../../../src/cli/exports/trl.ts";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { createTokenizer } from "../../../src/model/renderers/tokenizer.ts";
import { Random } from "../../../src/rl/random.ts";
import { answerTurn, finish, openConversation, sayTurn } from "../../../src/rl/rollout/conversation.ts";
import type { Example, Renderer } from "../../../src/rl/types.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { projectRoot } from "../../environment.mjs";
import type { Check, Interop } from "../check.ts";
import { accuraciesHeld, gainHeld, type Trained } from "./gain.ts";

const CONVERSATIONS = 400;
const [STEPS, WINDOW] = [20, 5];
const SMALL = { backend: "wasm", threads: 1, steps: 1, promptsPerStep: 8, groupSize: 8, evalEvery: 0, evalProblems: 8, learningRate: 5e-4 };
/** Limits that the made-up conversations reach; the announced tools stand in the prompt. */
const TASKS = [
  { task: "calculator", taskOptions: { maxCalls: 3, announceTools: false } },
  { task: "search", taskOptions: { maxCalls: 3, returned: 2, announceTools: false } },
  { task: "search", taskOptions: { maxCalls: 2, returned: 3, announceTools: true } },
] as const;
const SIGNS = [
  ..."0123456789.+-*/() ",
  "12",
  " - ",
  " * ",
  "4096.5",
  "x",
  "½",
  "1e3",
  "7 / 128",
  "0.1 + 0.2",
  "1 / 3",
  "99999999 * 99999999",
];

function expressionOf(random: Random): string {
  if (random.below(8) === 0) return Array.from({ length: random.below(60) }, () => random.pick(SIGNS)).join("");
  const term = () => `${random.below(4) === 0 ? "-" : ""}${random.below(2000)}${random.below(3) === 0 ? `.${random.below(1000)}` : ""}`;
  const sum = () => `${term()} ${random.pick(["+", "-", "*", "/"])} ${term()}`;
  return random.below(3) === 0 ? `(${sum()}) ${random.pick(["*", "/"])} (${sum()})` : sum();
}

const queryOf = ({ messages }: Example, random: Random): string =>
  [...(messages.at(-1)?.content ?? "").split(" "), "born", "FOUNDED", "İs", "naïve"]
    .filter(() => random.below(3) === 0)
    .join(random.pick([" ", ", "]));

/** What a policy may write as a call, right or wrong. */
function callOf(task: string, example: Example, random: Random): string {
  const given = task === "calculator" ? { expression: expressionOf(random) } : { query: queryOf(example, random) };
  const right = JSON.stringify({ name: task === "calculator" ? "calculate" : "search", arguments: given });
  const wrong = [
    ...[
      '{"name": "calculate", "arguments": {"expression": "2 + 2"}}',
      '{"name": "search", "arguments": {"query": "a"}}',
      right.slice(0, -2),
      "[]",
      "7",
    ],
    ...[
      '{"name": 1.50, "arguments": {}}',
      '{"name": "calculate", "arguments": [1, 2.0]}',
      '{"name": "search", "arguments": {"query": 5}}',
      "{} \u00a0",
    ],
    ...[
      '{"name": "calculate", "arguments": {"expression": "1", "more": null}}',
      '{"name": "look", "arguments": {}}',
      "NaN",
      '"\\ud83d"',
      "{'a'}",
    ],
    '{"name": "calculate", "arguments": {}}',
  ];
  return `<tool_call>\n${random.below(3) > 0 ? right : random.pick(wrong)}\n${random.below(12) === 0 ? "" : "</tool_call>"}`;
}

/** Ids of a turn, as a policy might have sampled them. */
function turnOf(task: string, example: Example, renderer: Renderer, random: Random): readonly number[] {
  const calls = Array.from({ length: random.pick([0, 1, 1, 1, 1, 2, 3]) }, () => callOf(task, example, random));
  const said = random.pick(["", "", "I look.\n", "naïve 🙂\n\n"]);
  const answer = calls.length === 0 ? `<answer>${random.pick([example.answer, "Honer", "7", ""])}</answer>` : "";
  const ids = renderer.renderCompletion({ role: "assistant", content: said + calls.join(random.pick(["\n", "", " and "])) + answer });
  return random.below(15) === 0 ? ids.slice(0, 1 + random.below(ids.length - 1)) : ids;
}

/** Rows of conversations that nobody sampled, held by the lab. */
function rowsOf(config: (typeof TASKS)[number], random: Random): readonly unknown[] {
  const plan = planRun({ config });
  const { instance } = plan;
  const renderer = createChatRenderer(
    createTokenizer(JSON.parse(readFileSync(join(projectRoot, "public", "tokenizers", "lab", "tokenizer.json"), "utf8"))),
  );
  const limits = { maxNewTokens: plan.config.maxCompletionTokens, maxTurns: instance.maxTurns ?? 1, maxPositions: 2048 };
  return instance
    .trainLoader()
    .next(CONVERSATIONS)
    .map((example, seed) => {
      const env = instance.envs.build(example, seed);
      const state = env.start();
      const conversation = openConversation(example, env, state, renderer.renderPrompt(state));
      for (let live = true; live; ) {
        const ids = turnOf(config.task, example, renderer, random);
        const zeros_BT = new Float32Array(ids.length);
        const stopped_B = Uint8Array.of(ids.at(-1) === renderer.stopTokens[0] ? 1 : 0);
        const sampled = {
          tokens_BT: Int32Array.from(ids),
          lengths_B: Int32Array.of(ids.length),
          logprobs_BT: zeros_BT,
          entropies_BT: zeros_BT,
          stopped_B,
        };
        const said = sayTurn(conversation, sampled, 0, renderer);
        live = said !== null && answerTurn(said, conversation.env.step(said.action), renderer, limits) !== null;
      }
      return rolloutRow(config.task, instance, example, finish(conversation));
    });
}

/** Trains a step of a task, exports it, and has the programs hold made-up conversations; resolves to the folder and what was seen. */
async function heldAgain({ folder, lab, python }: Interop, config: (typeof TASKS)[number]) {
  const name = `${config.task}${config.taskOptions.announceTools ? "-announced" : ""}`;
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...SMALL, ...config }));
  await lab("train", `${name}.json`, "--out", name);
  const { out } = await lab("export", name, "--to", "trl");
  const rows = rowsOf(config, new Random(14));
  mkdirSync(join(folder, `${name}-made-up`));
  writeFileSync(join(folder, `${name}-made-up`, "rollouts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return { name, out: join(folder, String(out)), seen: await python("trl_tools.py", String(out), join(folder, `${name}-made-up`)) };
}

export const trlTools: Check = {
  name: "trl-tools",
  title: "Runs with tools in TRL",
  packages: ["trl", "transformers", "accelerate", "datasets", "torch"],
  async run(interop) {
    const [calls, searches, announced] = [
      await heldAgain(interop, TASKS[0]),
      await heldAgain(interop, TASKS[1]),
      await heldAgain(interop, TASKS[2]),
    ];
    const { rewards, agreed } = JSON.parse(await interop.python("trl_folder.py", calls.out, String(STEPS))) as Trained;
    const gain = gainHeld(rewards, WINDOW);
    const held = await accuraciesHeld(interop, calls.name, `${calls.name}.json`, join(calls.out, "output"));
    return `Calculator: ${calls.seen} Search: ${searches.seen} Search, described in the system turn: ${announced.seen} train.py of the calculator finds ${agreed} rewards of the lab's rollouts equal and trains: ${gain}. ${held}`;
  },
};
