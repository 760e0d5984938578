// Rows as TRL and verl have them, read as they are, and data as the problems of a custom task.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadGiven } from "../../src/cli/custom/additions.ts";
import { dataSource, loadProblems } from "../../src/cli/custom/dataTask.ts";
import { problemsFile } from "../../src/cli/exports/verl/problems.ts";

const folder = mkdtempSync(join(tmpdir(), "rollout-lab-forms-"));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const from = join(folder, "config.yaml");
const read = async (rows: readonly unknown[]) => (await loadProblems(dataSource(write("rows.json", JSON.stringify(rows)), from))).problems;
const user = { role: "user", content: "What is 1 + 1?" };
const verl = { data_source: "openai/gsm8k", ability: "math", reward_model: { style: "rule", ground_truth: "2" }, extra_info: { index: 0 } };

describe("rows of other programs", () => {
  it.each([
    ["TRL's text with an answer", { prompt: "What is 1 + 1?", answer: "2" }, { answer: "2" }],
    ["TRL's messages with a ground truth", { prompt: [user], ground_truth: 2 }, { answer: "2" }],
    ["TRL's solution in a box", { prompt: "What is 1 + 1?", solution: "So \\boxed{2}." }, { answer: "2", solution: "So \\boxed{2}." }],
    ["both an answer and a solution", { question: "What is 1 + 1?", answer: "2", solution: "one and one" }, { solution: "one and one" }],
    ["verl's", { ...verl, prompt: [user] }, { answer: "2" }],
  ])("are read as they are: %s", async (_, row, problem) => {
    expect((await read([row, row]))[0]).toMatchObject({ question: "What is 1 + 1?", ...problem });
  });

  it("open with all their messages, calls and results included", async () => {
    const call = { id: "a", type: "function", function: { name: "add", arguments: '{"x": 1}' } };
    const prompt = [
      user,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", content: "1", tool_call_id: "a" },
      user,
    ];
    const [problem] = await read([
      { prompt, answer: "2" },
      { prompt, answer: "2" },
    ]);
    expect(problem?.messages?.[1]).toMatchObject({ content: "", toolCalls: [{ id: "a", name: "add", arguments: { x: 1 } }] });
    expect(problem?.messages?.[2]).toMatchObject({ role: "tool", toolCallId: "a" });
    await expect(read([{ prompt: [{ role: "usr", content: "a" }], answer: "2" }, {}])).rejects.toThrow(
      /row 1: prompt\[0\] must have a role/,
    );
  });

  it("come back out of the Parquet that verl is given", async () => {
    const examples = ["2", "3"].map((answer, i) => ({
      id: `e${i}`,
      messages: [{ role: "system", content: "Brief." } as const, { ...user, role: "user" } as const],
      answer,
    }));
    const { bytes } = await problemsFile("sums", "train", examples);
    const { problems } = await loadProblems(dataSource(write("verl.parquet", bytes), from));
    expect(problems).toMatchObject(examples.map(({ answer, messages }) => ({ answer, messages, question: "What is 1 + 1?" })));
  });
});

describe("a task of one's own beside data", () => {
  const rows = () => write("rows.csv", "question,answer\nWhat is half of 8?,4\nWhat is half of 6?,3\nWhat is half of 2?,1\n");
  let count = 0;
  const given = async (text: string, more: object) => {
    count += 1;
    // A module is loaded once, so each has a name of its own.
    const name = `mine${count}.mjs`;
    write(name, text);
    rows();
    const { loaded, input } = await loadGiven({ task: `./${name}:task`, ...more }, from);
    return { task: loaded!.additions.tasks![0]!, input };
  };
  const asked = (text: string) => /half of (\d)/.exec(text)?.[1];

  it("gets the file's problems, its own system message and its tools", async () => {
    const tool = '{ name: "halve", description: "Halves.", parameters: { n: "number" }, run: ({ n }) => n / 2 }';
    const { task } = await given(`export const task = { id: "halves", system: "Call.", tools: [${tool}] };`, {
      data: "./rows.csv",
      tools: ["calculate"],
    });
    const instance = task.create({ maxCalls: 2 }, 0);
    const [example] = instance.evaluation(1);
    const env = instance.envs.build(example!, 0);
    const state = env.start();
    expect(asked(state.messages.at(-1)!.content)).toBeDefined();
    expect(state.messages[0]).toEqual({ role: "system", content: "Call." });
    expect(state.tools?.map(({ name }) => name)).toEqual(["halve", "calculate"]);
    expect(instance.maxTurns).toBe(3);
    const calls = [
      { id: "1", name: "halve", arguments: { n: 8 } },
      { id: "2", name: "calculate", arguments: { expression: "2 * 3" } },
    ];
    const next = env.step({ message: { role: "assistant", content: "", toolCalls: calls } });
    expect(next?.messages.slice(-2).map(({ content }) => content)).toEqual(["4", "6"]);
  });

  it("may make its problems of the file's with a function", async () => {
    const made =
      'problems: (random) => random.below(2), fromData: (rows) => rows.map(({ question, answer }) => ({ question: question + " Say it.", answer }))';
    const { task } = await given(`export const task = { id: "said", ${made} };`, { data: "./rows.csv" });
    expect(task.create({}, 0).evaluation(1)[0]?.messages[0]?.content).toMatch(/\? Say it\.$/);
  });

  it.each([
    ['{ id: "a", problems: [], agents: ["x"] }', {}, /agents must stand beside env/],
    ['{ id: "a", tools: ["calculte"] }', { data: "./rows.csv" }, /got "calculte" \(did you mean "calculate"\?\)/],
    ['{ id: "a", tools: ["calculate"], env() {} }', { data: "./rows.csv" }, /tools must be left out beside env/],
    ['{ id: "a", tools: [{ name: "x" }] }', { data: "./rows.csv" }, /must be calculate, search or have name, description/],
  ])("is refused where it is %s", async (text, more, sentence) => {
    await expect(given(`export const task = ${text};`, more)).rejects.toThrow(sentence);
  });

  it("tools stand beside data or a task of a file alone", async () => {
    await expect(loadGiven({ task: "digit-sum", tools: ["calculate"] }, from)).rejects.toThrow("tools must stand beside data");
  });
});
