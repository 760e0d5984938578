import { beforeAll, describe, expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { CustomTaskInput } from "../../../src/protocol/custom/customTasks.ts";
import type { TaskInstance } from "../../../src/rl/tasks/task.ts";
import type { Message, State } from "../../../src/rl/types.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const problems = Array.from({ length: 16 }, (_, i) => ({ question: `Say ${i}.`, answer: String(i) }));
const SHOP = `
const prices = { apple: 3, pear: 5 };
export const tools = [
  { name: "price", description: "Price of a thing.", parameters: { item: "string" },
    run: ({ item }) => { if (!(item in prices)) throw new Error("no " + item + " here"); return prices[item]; } },
  { name: "buy", description: "Buys some.", parameters: { item: "string", count: "number" },
    run: ({ item, count }, state) => { state.spent += prices[item] * count; return { spent: state.spent }; } },
];
export function start({ question }) { return { say: question + " You have 10.", state: { spent: 0 } }; }
export function step({ text, calls, state, problem, turn }) {
  if (calls.length > 0) return { reward: calls.filter(({ failed }) => !failed).length * 0.1 };
  return { done: true, reward: text.includes(problem.answer) ? 1 : 0, success: text.includes(String(state.spent)) };
}`;

const of = (task: CustomTaskInput, more: RunConfigInput = {}): RunConfigInput => ({ task: "mine", customTasks: { mine: task }, ...more });

async function instanceOf(task: CustomTaskInput): Promise<TaskInstance> {
  const { instance } = planRun({ config: of(task) });
  await instance.prepare?.(createNodeHost());
  return instance;
}

/** A conversation in which the policy says this; how it went. */
async function talk({ envs, evaluation }: TaskInstance, said: readonly Partial<Message>[]) {
  const [example] = evaluation(1);
  const [env] = await envs.buildEnvs!([{ example: example!, seed: 7 }]);
  const states: unknown[] = [env!.start()];
  for (const each of said) {
    const message: Message = { role: "assistant", content: "", ...each };
    const [stepped] = await envs.stepEnvs!([{ env: env!, action: { message } }]);
    states.push(stepped);
    if (stepped === null || "reason" in stepped!) break;
  }
  return { states, last: states.at(-1), report: env!.report!() };
}

const call = (name: string, given: Record<string, unknown>): Partial<Message> => ({ toolCalls: [{ id: "c1", name, arguments: given }] });
const saidLast = (state: unknown) => (state as State).messages.at(-1)?.content;

describe("a custom task in a configuration", () => {
  it("asks its problems, of which one in eight is held out, and knows the answers", async () => {
    const instance = await instanceOf({ title: "Mine", system: "Be brief.", problems });
    const [example] = instance.evaluation(8);
    expect(instance.evaluation(8)).toHaveLength(2);
    expect(example!.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(instance.rewards.map(({ name }) => name)).toEqual(["answer"]);
    const held = new Set(instance.evaluation(8).map(({ messages }) => messages.at(-1)!.content));
    const trained = instance.trainLoader().next(200);
    expect(trained.every(({ messages }) => !held.has(messages.at(-1)!.content))).toBe(true);
  });

  it("holds out what its problems say, where they say it", async () => {
    const marked = problems.map((problem, i) => (i < 3 ? { ...problem, heldOut: true as const } : problem));
    expect((await instanceOf({ problems: marked })).evaluation(8).map(({ answer }) => answer)).toEqual(["0", "1", "2"]);
  });

  it("trains to the same bits each time, and its environment is asked in the sandbox", async () => {
    const config = of(
      { environment: { source: SHOP }, problems },
      { checkpoint: "tools", steps: 2, promptsPerStep: 2, groupSize: 4, evalEvery: 0, evalProblems: 1, evalSamples: 1, threads: 1 },
    );
    const [first, again] = [await trainRun(config, createNodeHost()), await trainRun(config, createNodeHost())];
    expect(again.steps.map(({ metrics }) => metrics.loss)).toEqual(first.steps.map(({ metrics }) => metrics.loss));
    expect(first.steps[0]!.metrics["env/turns"] ?? first.steps[0]!.metrics["env/turns/mean"]).toBeGreaterThanOrEqual(1);
  }, 120_000);

  it("is refused by its name and its form", async () => {
    const refused = (customTasks: RunConfigInput["customTasks"], sentence: string, task = "mine") =>
      expect(() => planRun({ config: { task, customTasks: customTasks! } })).toThrow(sentence);
    refused({ mine: {} }, "customTasks.mine must have problems, data, or an environment that draws them");
    refused({ "digit-sum": { problems } }, "customTasks.digit-sum must have another name: a task has that one already", "digit-sum");
    refused({ mine: { problems: [{ question: "" }] } }, "customTasks.mine.problems.0.question must have at least 1 character");
    refused({ other: { problems } }, 'task must be one of "digit-sum"');
    const asked = { question: "Say one." };
    refused({ mine: { problems: [asked] } }, "customTasks.mine must have answers, an environment, or a reward beside it");
    expect(() => planRun({ config: of({ problems, environment: { source: SHOP } }, { kind: "supervised" }) })).toThrow(
      'kind must be "reinforcement" for the task mine',
    );
  });

  it("counts as right, without answers, what earns enough", async () => {
    const asked = Array.from({ length: 16 }, (_, i) => ({ question: `Say ${i}.` }));
    const source = "export const reward = ({ text }) => 1";
    const config = of({ problems: asked }, { customRewards: { one: { source } }, steps: 1, evalProblems: 2, evalSamples: 1, threads: 1 });
    const run = await trainRun({ ...config, promptsPerStep: 1, groupSize: 2 }, createNodeHost());
    expect(run.evaluations.at(-1)!.sampledAccuracy).toBe(1);
  }, 60_000);
});

describe("a custom environment", () => {
  let shop: TaskInstance;
  beforeAll(async () => {
    shop = await instanceOf({ environment: { source: SHOP, calls: 2 }, problems });
  });

  it("opens, answers calls by its own functions, and keeps its state from turn to turn", async () => {
    const { states, report } = await talk(shop, [
      call("price", { item: "pear" }),
      call("buy", { item: "apple", count: 2 }),
      { content: "6" },
    ]);
    expect(saidLast(states[0])).toMatch(/You have 10\.$/);
    expect((states[0] as State).tools?.map(({ name }) => name)).toEqual(["price", "buy"]);
    expect(saidLast(states[1])).toBe("5");
    expect(saidLast(states[2])).toBe('{"spent":6}');
    expect(states[3]).toBe(null);
    expect(report.metrics).toMatchObject({ turns: 3, calls: 2, solved: 1, tool_errors: 0 });
    expect(report.turns.map(({ reward }) => reward)).toEqual([0.1, 0.1, expect.any(Number)]);
  });

  it("says what is wrong with a call, and ends where too many are asked for", async () => {
    const wrong = await talk(shop, [
      call("price", {}),
      call("steal", {}),
      call("price", { item: "pear" }),
      call("price", { item: "pear" }),
    ]);
    expect(wrong.states.slice(1, 4).map(saidLast)).toEqual([
      "price needs item",
      "no tool steal, only price, buy",
      "not run, the limit is 2 calls",
    ]);
    expect(wrong.last).toBe(null);
    expect(wrong.report.stopReason).toBe("max-calls");
    expect(saidLast((await talk(shop, [call("price", { item: "moon" })])).last)).toBe("no moon here");
  });

  it.each([
    ["throws", "export function step() { throw new Error('no'); }", "step Error: no (line 1)"],
    ["loops", "export function step() { for (;;) {} }", "step computed longer than 50 ms"],
    ["returns a number", "export const step = () => 1", "step TypeError: step must return an object or nothing, got a number"],
    [
      "earns NaN",
      "export const step = () => ({ reward: NaN })",
      "step must give a finite reward within ±1000000000, got none that JSON can say",
    ],
    ["says a number", "export const step = () => ({ say: 1 })", "step must say a text of at most 20000 characters, got 1"],
    [
      "grows its state",
      "export const step = () => ({ say: 'x', state: 'x'.repeat(1e5) })",
      "its state must be at most 65536 characters as JSON, got 100002",
    ],
    [
      "returns too much",
      "export const step = () => ({ say: 'x'.repeat(1e6) })",
      "step must return at most 262144 characters as JSON, got ",
    ],
    [
      "fails as it starts",
      "export function start() { null.x }\nexport const step = () => {}",
      "start TypeError: cannot read property 'x' of null (line 1)",
    ],
  ])("that %s ends its conversation with the reason", async (_, source, reason) => {
    const { last } = await talk(await instanceOf({ environment: { source }, problems }), [{ content: "a" }]);
    expect((last as { reason: string }).reason).toContain(reason);
  });

  it.each([
    ["export const a = 1", "must export a function step, or tools"],
    ["export const tools = [{ name: 'x' }]", "tools[0] x must have a description of at most 1000 characters, got nothing"],
    [
      "export const tools = [{ name: 'x', description: '', parameters: { a: 'date' }, run() {} }]",
      'the parameter a must be "string", "number", "boolean", "array", "object", or an object with such a kind, got "date"',
    ],
    [
      "export const tools = [{ name: 'x', description: '', parameters: { a: { kind: 'array', choices: [1] } }, run() {} }]",
      "the parameter a must have 1 to 100 choices of its kind, a string or a number, got [1]",
    ],
    [
      "export const tools = [{ name: 'x', description: '', parameters: { a: { kind: 'string', items: 'string' } }, run() {} }]",
      'the parameter a must have items of a kind, in an array alone, got "string"',
    ],
    [
      "export const tools = [{ name: 'x', description: '', parameters: { a: { kind: 'string', maximum: 3 } }, run() {} }]",
      "the parameter a must have kind, description, optional, choices or items, got maximum",
    ],
    ["export const tools = 7", "TypeError: tools must be a list"],
    ["}{", "SyntaxError"],
  ])("is refused before a run starts: %s", async (source, sentence) => {
    await expect(instanceOf({ environment: { source }, problems })).rejects.toThrow(sentence);
  });

  it("draws its problems where it has a function for it, the same each time", async () => {
    const source = `export function draw({ random }) { const n = random.below(90); return { question: "Say " + n, answer: String(n) }; }
export const step = () => ({ done: true, reward: 1 })`;
    const [first, again] = [await instanceOf({ environment: { source } }), await instanceOf({ environment: { source } })];
    expect(first.evaluation(50)).toHaveLength(12);
    expect(again.trainLoader().next(20)).toEqual(first.trainLoader().next(20));
  });
});
