// Tasks and custom data, through the built program: from the file that init writes to a run that goes on.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Found, facts, fails, run, type Summary, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
afterAll(folder.remove);

const SHORT = "steps: 2\npromptsPerStep: 2\ngroupSize: 2\nevalEvery: 0\nevalProblems: 2\nmaxCompletionTokens: 8\n";

describe("a task of one's own", () => {
  it("is written by init, trained, sampled, and goes on", async () => {
    await facts(["init", "task"], at);
    file("mine.yaml", `task: ./tasks/mine.ts:task\n${SHORT}`);
    expect(await facts<Summary>(["train", "mine.yaml", "--out", "runs/mine"], alone)).toMatchObject({ task: "my-sums", steps: 2 });
    expect((await facts<Found>(["sample", "mine", "--n", "2"], at)).samples).toHaveLength(2);
    const more = ["train", "mine.yaml", "--out", "runs/mine", "--resume", "--set", "steps=3"];
    expect(await facts<Summary>(more, alone)).toMatchObject({ steps: 3 });
    expect(await facts<Found>(["train", "runs/mine/config.json", "--dry-run"], at)).toMatchObject({ dryRun: true });
  });

  it.each([
    ["export const task = { problems: [] };", /bad\.mjs: task must have an id, a text, got undefined/],
    ['export const task = { id: "search", problems: [] };', /must have another id than search/],
    ['export const task = { id: "x" };', /must have problems, a list or a function/],
    ['export const task = { id: "x", problems: [{ question: "a" }] };', /problems\[0\] must have a question and an answer/],
    ['export const task = { id: "x", problems: [], env: 3 };', /env must be a function, got 3/],
    ["export const other = {};", /exports no object task; it exports other/],
  ])("is refused where the file says %s", async (text, sentence) => {
    const name = `bad${text.length}.mjs`;
    file(name, text);
    file("bad.yaml", `task: ./${name}:task\n`);
    await fails(["train", "bad.yaml"], at, 1, new RegExp(sentence.source.replace("bad\\.mjs", name)));
  });
});

describe("data", () => {
  it("is told with its rows, and with held-out questions that are trained on", async () => {
    const rows = (numbers: readonly number[]) => ["question,answer", ...numbers.map((i) => `What is ${i} + 1?,${i + 1}`)].join("\n");
    file("some.csv", rows([1, 2, 3, 4]));
    file("held.csv", rows([4, 5]));
    file("both.yaml", `data: { file: ./some.csv, heldOut: ./held.csv }\n${SHORT}`);
    const overlap = "1 of the 2 held-out questions are asked in training as well: accuracy on them is no accuracy on unseen ones";
    const asked = await run(["train", "both.yaml", "--dry-run"], at);
    expect(asked.stdout).toMatch(/data +4 rows to train on, 2 held out\n +note +1 of the 2 held-out/);
    // What the task and the algorithm bring is not told as set by somebody.
    expect(asked.stdout).not.toMatch(/klCoef/);
    expect(await facts<Summary>(["train", "both.yaml", "--out", "runs/both"], at)).toMatchObject({ notices: [overlap] });
  });

  it("in a file make a task, which the run's folder remembers", async () => {
    file("rows.csv", `question,answer\n${Array.from({ length: 9 }, (_, i) => `What is ${i} + 1?,${i + 1}`).join("\n")}\n`);
    file("data.yaml", `data: ./rows.csv\n${SHORT}`);
    expect(await facts<Summary>(["train", "data.yaml", "--out", "runs/data"], at)).toMatchObject({ task: "data", steps: 2 });
    expect((await facts<Found>(["sample", "data", "--n", "1"], at)).samples[0]).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant" }],
    });
  });

  it("that are not there, or whose row is wrong, are named", async () => {
    file("gone.yaml", "data: ./gone.csv\n");
    await fails(["train", "gone.yaml"], at, 1, /gone\.csv/);
    file("short.csv", "question,answer\na,1\nb\n");
    file("short.yaml", "data: { file: ./short.csv }\n");
    await fails(["train", "short.yaml"], at, 1, /short\.csv:3: must have 2 cells like the first line, got 1/);
    file("both.yaml", "data: ./rows.csv\ntask: search\n");
    await fails(["train", "both.yaml"], at, 1, /task must be left out beside data/);
    const { code, stderr } = await run(["train", "both.yaml", "--set", "data=x.csv"], at);
    expect([code, stderr]).toEqual([1, expect.stringContaining("data stands in a configuration file alone")]);
  });
});
