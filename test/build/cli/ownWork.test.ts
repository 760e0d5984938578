// What somebody does who knows AGENTS.md alone: a task of their own with a tool, data in Parquet and a reward of their
// own, trained, evaluated, sampled with a prompt and exported, without a question.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Found, facts, fails, linesOf, run, type Summary, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (name: string) => join(folder.path, name);
afterAll(folder.remove);

const SHAPE = "startFrom: random\nbackend: wasm\nthreads: 1\nhiddenSize: 16\nlayers: 1\nheads: 2\nkvHeads: 2\nintermediateSize: 16\n";
const SHORT = `${SHAPE}steps: 2\npromptsPerStep: 2\ngroupSize: 2\nevalEvery: 2\nevalProblems: 2\nevalSamples: 1\nmaxCompletionTokens: 12\n`;

describe("work of one's own", () => {
  beforeAll(async () => {
    copyFileSync(join(import.meta.dirname, "..", "..", "cli", "data", "sums.parquet"), file("sums.parquet"));
    await facts(["init", "task", "--tools", "--out", "tasks/halves.mjs"], at);
    await facts(["init", "reward", "--out", "rewards/mine.mjs"], at);
    const named = "task: ./tasks/halves.mjs:task\nreward: ./rewards/mine.mjs:reward\ntools: [calculate]\n";
    writeFileSync(file("own.yaml"), `${named}data: { file: ./sums.parquet, question: prompt, answer: result }\n${SHORT}`);
  });

  it("is checked, trained, evaluated, asked a prompt, exported, and goes on", async () => {
    expect(await facts(["train", "own.yaml", "--dry-run"], at)).toMatchObject({ dryRun: true });
    expect(await facts<Summary>(["train", "own.yaml", "--out", "runs/own"], alone)).toMatchObject({ task: "my-halves", steps: 2 });
    expect(await facts(["eval", "own"], at)).toMatchObject({ evaluation: { problems: 2 } });
    const [sample] = (await facts<Found>(["sample", "own", "--n", "1", "--prompt", "What is half of 6?"], at)).samples;
    expect(sample).toMatchObject({ answer: null, reward: null, success: null });
    expect(sample).toMatchObject({ messages: expect.arrayContaining([{ role: "user", content: "What is half of 6?" }]) });
    await facts(["export", "own", "--to", "verifiers"], at);
    await facts(["export", "own", "--to", "jsonl"], at);
    const lines = linesOf(file("runs/own/trajectories.jsonl"));
    expect(lines[0].messages[0]).toEqual({ role: "system", content: expect.stringContaining("Use the tool") });
    expect(lines.map(({ answer }) => typeof answer)).toEqual(lines.map(() => "string"));
    const more = ["train", "own.yaml", "--out", "runs/own", "--resume", "--set", "steps=3"];
    expect(await facts<Summary>(more, alone)).toMatchObject({ steps: 3 });
  });

  it("speaks for its policy in worked conversations, whose calls are written as others read them", async () => {
    writeFileSync(
      file("worked.yaml"),
      `${SHAPE}task: ./tasks/halves.mjs:task\nkind: supervised\nsteps: 1\nevalEvery: 0\nevalProblems: 2\n`,
    );
    expect(await facts<Summary>(["train", "worked.yaml", "--out", "runs/worked"], at)).toMatchObject({ steps: 1 });
    const [{ messages }] = linesOf(file("runs/worked/trajectories.jsonl"));
    const call = { id: "call_1", type: "function", function: { name: "halve", arguments: expect.stringMatching(/^\{"number": \d+\}$/) } };
    expect(messages.slice(2)).toMatchObject([
      ...[{ tool_calls: [call] }, { role: "tool", tool_call_id: "call_1" }],
      ...[{ tool_calls: [{ function: { name: "add" } }] }, { role: "tool", tool_call_id: "call_2" }, { role: "assistant" }],
    ]);
  });

  it("hands its weights on to runs that know neither its task nor its reward", async () => {
    await facts(["init", "task", "--tools", "--out", "first/task.mjs"], at);
    await facts(["init", "reward", "--out", "first/reward.mjs"], at);
    writeFileSync(file("first.yaml"), `task: ./first/task.mjs:task\nreward: ./first/reward.mjs:reward\n${SHORT}`);
    await facts(["train", "first.yaml", "--out", "runs/first"], at);
    const plain = "task: ./tasks/halves.mjs:task\n";
    writeFileSync(file("next.yaml"), `${plain}${SHORT}`);
    expect(await facts<Summary>(["train", "next.yaml", "--from", "first", "--out", "runs/next"], at)).toMatchObject({ steps: 2 });
    writeFileSync(file("other.yaml"), `task: boxed-arithmetic\n${SHORT}`);
    expect(await facts<Summary>(["train", "other.yaml", "--from", "first", "--out", "runs/other"], at)).toMatchObject({ steps: 2 });
  });

  it("without anybody who speaks in it is not trained on worked conversations", async () => {
    const text = readFileSync(file("tasks/halves.mjs"), "utf8").replace("speaker(", "nobody(");
    writeFileSync(file("tasks/mute.mjs"), text.replace(/ {2}nobody\([\s\S]*?\n {2}\},\n/, ""));
    writeFileSync(file("mute.yaml"), `task: ./tasks/mute.mjs:task\n${SHORT}`);
    await fails(["train", "mute.yaml", "--set", "kind=supervised"], at, 1, /--set kind: kind must be "reinforcement" where .* no speaker/);
  });

  it("is written in the language that the file's name asks for", async () => {
    for (const [what, ...more] of [["reward"], ["task"], ["task", "--tools"]]) {
      const [script, typed] = [`js/${what}${more.length}.mjs`, `js/${what}${more.length}.ts`];
      await facts(["init", what!, ...more, "--out", script], at);
      await facts(["init", what!, ...more, "--out", typed], at);
      expect(Object.keys(await import(file(script)))).toEqual([what]);
      expect(readFileSync(file(script), "utf8")).toMatch(/@param \{/);
      expect(readFileSync(file(typed), "utf8")).not.toMatch(/@param|[‹›«»]/);
      expect(readFileSync(file(script), "utf8")).not.toMatch(/[‹›«»]|mine\.ts/);
    }
    expect(existsSync(file("js/task1.mjs"))).toBe(true);
    await fails(["init", "reward", "--tools"], at, 1, /--tools goes with task alone, got reward/);
  });

  it("a prompt that a game cannot open with is refused with the form that it must have", async () => {
    writeFileSync(
      file("game.yaml"),
      `task: guess-number\n${SHAPE}steps: 1\npromptsPerStep: 1\ngroupSize: 2\nevalEvery: 0\nevalProblems: 2\n`,
    );
    await facts(["train", "game.yaml", "--out", "runs/game"], at);
    await fails(["sample", "game", "--prompt", "Guess."], at, 1, /prompt must have the form "Guess a number from 1 to \d+\."/);
    const asked = ["sample", "game", "--n", "1", "--prompt", "Guess a number from 1 to 9."];
    expect((await facts<Found>(asked, at)).samples[0]).toMatchObject({ success: false, reward: expect.any(Number) });
  });

  it("schema data tells the keys of data and the files it takes", async () => {
    expect((await run(["schema", "data"], at)).stdout).toMatch(
      /\.jsonl, \.json \(a list\), \.csv or \.tsv \([^)]*\) or \.parquet[\s\S]*reward_model\.ground_truth/,
    );
    expect(await facts(["schema", "data"], at)).toMatchObject({ data: { properties: { heldOut: {}, documents: {} } } });
  });
});
