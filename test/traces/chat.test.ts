// Conversations of anyone: columns are found by their names, and what cannot be read is counted and named.
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openTraces } from "../../src/traces/openTraces.ts";
import { lines, traceFile } from "../support/traceFiles.ts";

const open = (rows: readonly unknown[], choice = {}) => openTraces([traceFile("mine.jsonl", lines(rows))], choice);

const ASKED = { role: "user", content: "What is 2 + 2?" };

describe("conversations of anyone", () => {
  it("are read from messages: what was said begins with the assistant's first turn", async () => {
    const call = { id: "c", type: "function", function: { name: "add", arguments: '{"a": 2, "b": 2}' } };
    const messages = [ASKED, { role: "assistant", content: "", tool_calls: [call] }, { role: "tool", content: "4", tool_call_id: "c" }];
    const set = await open([{ messages: [...messages, { role: "assistant", content: "It is 4." }], reward: 1, step: 7 }]);
    const [group] = await set.groups(7);
    expect(group!.messages).toEqual([ASKED]);
    const [told] = group!.trajectories;
    expect(told!.messages).toEqual([
      { role: "assistant", content: "", toolCalls: [{ name: "add", arguments: { a: 2, b: 2 } }] },
      { role: "tool", content: "4" },
      { role: "assistant", content: "It is 4." },
    ]);
    expect(told!.pieces.filter((_, i) => told!.sampled[i] === 0)).toEqual(["\n\n", "4", "\n\n"]);
    expect(told!.reward).toBe(1);
  });

  it("have the names of those who speak where several do, and a tool's name is none", async () => {
    const said = (name: string, content: string) => ({ role: "assistant", name, content });
    const called = { role: "tool", name: "add", content: "4" };
    const told = async (messages: readonly object[]) => (await (await open([{ messages }])).groups(0))[0]!.trajectories[0]!.messages;
    expect(await told([ASKED, said("solver", "4?"), called, said("critic", "Yes."), said("", "4.")])).toEqual([
      { role: "assistant", content: "4?", agent: "solver" },
      { role: "tool", content: "4" },
      { role: "assistant", content: "Yes.", agent: "critic" },
      { role: "assistant", content: "4." },
    ]);
    expect(await told([ASKED, said("solver", "4?"), called, said("solver", "4.")])).toEqual([
      { role: "assistant", content: "4?" },
      { role: "tool", content: "4" },
      { role: "assistant", content: "4." },
    ]);
  });

  it("are grouped by an id, or by equal prompts wherever they stand", async () => {
    const rows = ["a", "b", "a", "b"].map((prompt, i) => ({ prompt, response: String(i), score: i / 4, uid: `u${i % 2}` }));
    const byId = await open(rows);
    expect(byId.report).toMatchObject({ groups: 2, groupedBy: "by the column uid, 2 rollouts each", stepsBy: "nothing tells steps apart" });
    const byPrompt = await open(rows.map(({ uid: _, ...row }) => row));
    expect(byPrompt.report).toMatchObject({ groups: 2, groupedBy: "by equal prompts, 2 rollouts each", steps: [0] });
    expect((await byPrompt.groups(0)).map(({ trajectories }) => trajectories.map(({ text }) => text))).toEqual([
      ["0", "2"],
      ["1", "3"],
    ]);
  });

  it("have parts of a reward by name, from an object too, and null where a number is none", async () => {
    const text = '{"prompt": "p", "completion": "NaN is a word", "rewards": {"form": NaN, "right": 1}, "reward": Infinity}\n';
    const set = await openTraces([traceFile("a.jsonl", text)], {});
    const [told] = (await set.groups(0))[0]!.trajectories;
    expect(told).toMatchObject({ text: "NaN is a word", reward: null });
    expect(told!.rewardParts.map(({ name, value }) => [name, value])).toEqual([
      ["form", null],
      ["right", 1],
    ]);
  });

  it("are read from a list, and with steps from the names of files", async () => {
    const file = (step: number) =>
      traceFile(
        `rollouts/step_${step}/all.json`,
        JSON.stringify(
          [
            { prompt: "a, [b]", completion: 'c"],' },
            { prompt: "p", completion: "d" },
          ],
          null,
          2,
        ),
      );
    const set = await openTraces([file(10), file(9)], {});
    expect(set.report).toMatchObject({ steps: [9, 10], stepsBy: "by the names of files", rollouts: 4 });
    expect((await set.groups(10)).map(({ trajectories }) => trajectories[0]!.text)).toEqual(['c"],', "d"]);
  });

  it("count and name lines that are broken, and open the rest", async () => {
    const text = '{"prompt": "p", "completion": "a"}\n\n{"prompt": "p", "comp\n[1]\n{"prompt": "p"}\n{"prompt": "p", "completion": "b"}\n';
    const { report } = await openTraces([traceFile("a.jsonl", text)], {});
    expect(report.rollouts).toBe(2);
    expect(report.broken).toEqual({
      count: 3,
      first: [
        { where: "a.jsonl, line 3", why: "is cut short: JSON ends in the middle of it" },
        { where: "a.jsonl, line 4", why: "must be an object with columns, got [1]" },
        { where: "a.jsonl, line 5", why: "must have a completion or messages" },
      ],
    });
  });

  it("take columns for what somebody says", async () => {
    const rows = [{ text: "hello there", topic: 3, points: 0.5, completion: "unused" }];
    const columns = { text: { role: "completion" }, topic: { role: "group" }, points: { role: "reward" } } as const;
    const set = await open(rows, { columns });
    expect(set.report.columns).toEqual([
      { name: "text", role: "completion", example: '"hello there"' },
      { name: "topic", role: "group", example: "3" },
      { name: "points", role: "reward", example: "0.5" },
      { name: "completion", role: "other", example: '"unused"' },
    ]);
    expect((await set.groups(0))[0]!.trajectories[0]).toMatchObject({ text: "hello there", reward: 0.5 });
  });

  it("have ids of tokens and their log-probs where columns hold lists of them", async () => {
    const row = {
      prompt: "p",
      completion: "ab",
      prompt_ids: [5],
      completion_ids: [7, 8, 9],
      loss_mask: [1, 0, 1],
      logprobs: [-1, null, -2],
    };
    const set = await open([row]);
    expect(set.report).toMatchObject({ tokens: "ids", logprobs: ["sampler"] });
    const [group] = await set.groups(0);
    expect(group).toMatchObject({ promptTokens: [5], messages: [{ content: "p" }] });
    const { channels, ...told } = group!.trajectories[0]!;
    expect(told).toMatchObject({ tokens: [7, 8, 9], sampled: [1, 0, 1], text: "ab", pieces: ["[7]", "[8]", "[9]"] });
    expect(channels.oldLogprobs).toEqual([-1, 0, -2]);
    // Ids that no number belongs to and nothing decodes say less than the text beside them.
    const words = await open([{ prompt: "p", completion: "ab", completion_ids: [7, 8] }]);
    expect(words.report.tokens).toBe("words");
    expect(words.report.notes.join()).toContain("Ids of tokens stand beside the texts");
    const alone = await open([{ prompt_ids: [5], completion_ids: [7] }]);
    expect((await alone.groups(0))[0]!.trajectories[0]).toMatchObject({ tokens: [7], text: "" });
    const broken = [row, { ...row, logprobs: [-1] }, { ...row, completion_ids: [7, 8, 2 ** 60] }];
    expect((await open(broken)).report.broken.first.map(({ why }) => why)).toEqual([
      "logprobs must have 3 entries, one for each token, got 1",
      "completion_ids[2] must be the id of a token, got 1152921504606847000",
    ]);
  });

  it("are told apart by their prompts where the ids of groups are above 2^53", async () => {
    const text = ["9007199254740993", "9007199254740992"].map((id) => `{"group": ${id}, "prompt": "${id}", "completion": "a"}\n`).join("");
    const { report } = await openTraces([traceFile("a.jsonl", text)], {});
    expect(report.groups).toBe(2);
    expect(report.notes.join()).toContain("group has numbers above 2^53");
  });

  it("are unpacked where gzip has packed them", async () => {
    const packed = new Uint8Array(gzipSync(lines([{ prompt: "p", completion: "a" }])));
    const set = await openTraces([traceFile("out/12.jsonl.gz", packed)], {});
    expect(set.report).toMatchObject({ rollouts: 1, steps: [12] });
    // A disk that fails on the way is told too, and is not waited for.
    const failing = { ...traceFile("b.jsonl.gz", packed), read: () => Promise.reject(new Error("the disk is gone")) };
    await expect(openTraces([failing], {})).rejects.toThrow("b.jsonl.gz is packed and damaged");
    await expect(openTraces([traceFile("a.jsonl.gz", packed.slice(0, 20))], {})).rejects.toThrow(
      "a.jsonl.gz is packed and damaged: it cannot be unpacked",
    );
  });

  it("say what is there where nothing can be read", async () => {
    await expect(open([{ a: 1, b: 2 }])).rejects.toThrow(
      'mine.jsonl holds no rollouts that are known here: its rows have "a, b"; name a column as completion or messages',
    );
    await expect(openTraces([], {})).rejects.toThrow("there must be at least one file of rollouts, got none");
    await expect(open([{ completion: "a" }], { form: "chta" })).rejects.toThrow('got "chta" (did you mean "chat"?)');
  });

  it("hand over the first step before the rest is read", async () => {
    const rows = [1, 1, 2, 2].map((step, i) => ({ step, prompt: "p", completion: String(i) }));
    const firsts: number[][] = [];
    const onFirst = ({ report }: { report: { steps: readonly number[] } }) => firsts.push([...report.steps]);
    await openTraces([traceFile("a.jsonl", lines(rows))], {}, undefined, { onFirst });
    expect(firsts).toEqual([[1, 2]]);
  });
});
