// Samples of every form, opened: every number and text of a file is in the records, and what no file says is absent.
import { describe, expect, it } from "vitest";
import type { GroupRecord, TrajectoryRecord } from "../../src/protocol/records.ts";
import { openTraces } from "../../src/traces/openTraces.ts";
import type { TraceSet } from "../../src/traces/traceSet.ts";
import { sampleFiles, traceFile } from "../support/traceFiles.ts";

type Row = Record<string, unknown>;
type Rows = readonly Row[];

/** All rows of a folder's lines, by the language's own reader. */
async function rowsOf(folder: string): Promise<Rows> {
  const texts = await Promise.all(
    sampleFiles(folder)
      .filter(({ path }) => path.endsWith(".jsonl"))
      .map(async (file) => new TextDecoder().decode(await file.read(0, file.size))),
  );
  return texts.flatMap((text) => text.trim().split("\n")).map((line) => JSON.parse(line.replaceAll("NaN", "null")) as Row);
}

interface Placed {
  readonly group: GroupRecord;
  readonly told: TrajectoryRecord;
}

async function allOf(set: TraceSet): Promise<readonly Placed[]> {
  const steps = await Promise.all(set.report.steps.map((step) => set.groups(step)));
  return steps.flat().flatMap((group) => group.trajectories.map((told) => ({ group, told })));
}

const partsOf = ({ rewardParts }: TrajectoryRecord) => Object.fromEntries(rewardParts.map(({ name, value }) => [name, value]));

describe("verl's rollouts", () => {
  it("have every number of their files, and their texts split by the marks of their template", async () => {
    const set = await openTraces(sampleFiles("verl"), {});
    expect(set.report).toMatchObject({
      form: "verl",
      rollouts: 8,
      steps: [12, 13],
      groups: 4,
      groupedBy: "by equal prompts, 2 rollouts each",
    });
    expect(set.report.notes[0]).toBe("Texts were split into messages by the marks of ChatML.");
    const found = (await allOf(set)).map(({ group, told }) => ({
      ...{ input: group.promptPieces.join(""), output: told.pieces.join(""), gts: group.answer, score: told.reward, step: group.step },
      ...{ acc: told.success, ...partsOf(told) },
    }));
    const wanted = (await rowsOf("verl")).map(({ pred: _, ...row }) => row);
    expect(found).toHaveLength(8);
    expect(found).toEqual(expect.arrayContaining(wanted as unknown[]));
  });

  it("say which answers were cut off, and have tools' calls and results as such", async () => {
    const [one, two] = await (await openTraces(sampleFiles("verl"), {})).groups(12);
    expect(one!.messages).toEqual([
      { role: "system", content: "Box the answer." },
      { role: "user", content: "What is 2 + 3?" },
    ]);
    expect(one!.trajectories[0]!.messages).toEqual([{ role: "assistant", content: "It is \\boxed{5}." }]);
    expect(two!.trajectories.map(({ stopReason }) => stopReason)).toEqual(["max-tokens", "completed"]);
    expect(two!.trajectories[1]!.messages).toEqual([
      { role: "assistant", content: "", toolCalls: [{ name: "add", arguments: { a: 4, b: 4 } }] },
      { role: "tool", content: "8" },
      { role: "assistant", content: "\\boxed{8}" },
    ]);
    const { pieces, sampled } = two!.trajectories[1]!;
    const inserted = pieces.filter((_, i) => sampled[i] === 0).join("");
    expect(inserted).toBe("\n<|im_start|>user\n<tool_response>\n8\n</tool_response><|im_end|>\n<|im_start|>assistant\n");
  });

  it("are split by names of roles where decoding left the marks out", async () => {
    const row = { input: "system\nBe brief.\nuser\nWhat is\n2 + 2?\nassistant\n", output: "4", score: 1 };
    const [group] = await (await openTraces([traceFile("1.jsonl", JSON.stringify(row))], {})).groups(1);
    expect(group!.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is\n2 + 2?" },
    ]);
    expect(group!.trajectories[0]!.stopReason).toBeNull();
  });
});

/** prime-rl's lists that are channels here. */
const CHANNELS = {
  inference_logprobs: "oldLogprobs",
  trainer_logprobs: "trainLogprobs",
  entropy: "trainEntropies",
  advantages: "advantages",
} as const;

describe("prime-rl's token exports", () => {
  it("have every number of every token, and no text without a tokenizer", async () => {
    const set = await openTraces(sampleFiles("prime-rl"), {});
    expect(set.report).toMatchObject({
      ...{ form: "prime-rl", files: 4, rollouts: 8, steps: [12, 13], groups: 4, tokens: "ids", logprobs: ["sampler", "trainer"] },
    });
    const rows = await rowsOf("prime-rl");
    const all = await allOf(set);
    for (const { group, told } of all) {
      const from = group.promptTokens.length;
      const row = rows.find(
        ({ step, token_ids: ids, advantages }) =>
          step === group.step &&
          JSON.stringify(ids) === JSON.stringify([...group.promptTokens, ...told.tokens]) &&
          (advantages as number[]).at(-1) === told.advantage,
      )!;
      for (const [name, key] of Object.entries(CHANNELS)) expect(told.channels[key]).toEqual((row[name] as number[]).slice(from));
      for (const name of ["mismatch_kl", "log_importance_ratio", "importance_ratio", "prob_delta"])
        expect(told.extras?.[name]).toEqual((row[name] as number[]).slice(from));
      expect(told.extras?.is_masked).toEqual((row.is_masked as boolean[]).slice(from).map(Number));
      expect(told.extras?.["losses.policy.advantage"]).toEqual(told.tokens.map(() => told.advantage));
      expect(told.reward).toBe((row.rewards as number[])[0]);
    }
    expect(new Set(all.map(({ told }) => told)).size).toBe(8);
    expect(all[0]!.told).toMatchObject({ text: "", messages: [], pieces: ["[11]", "[12]", "[13]", "[14]"] });
  });

  it("are told where a step has no file that says it is whole", async () => {
    const { notes } = (await openTraces(sampleFiles("prime-rl"), {})).report;
    expect(notes.join()).toContain("Step 13 has no file STABLE beside it, and may not be whole.");
  });

  it("are refused line by line where lists have other lengths", async () => {
    const row = { token_ids: [1, 2], loss_mask: [false, true], advantages: [1] };
    await expect(openTraces([traceFile("a.jsonl", JSON.stringify(row))], {})).rejects.toThrow(
      "a.jsonl, line 1 advantages must have 2 entries, one for each token, got 1",
    );
  });
});

describe("traces of verifiers", () => {
  it("have a member for each branch, with its tokens end to end and what it shares", async () => {
    const set = await openTraces(sampleFiles("verifiers"), {});
    expect(set.report).toMatchObject({
      form: "verifiers",
      rollouts: 4,
      groups: 1,
      tokens: "ids",
      logprobs: ["sampler", "trainer"],
      rewardParts: ["right", "form"],
    });
    const [group] = await set.groups(0);
    const [first, second, third, fourth] = group!.trajectories;
    const [trace] = (await rowsOf("verifiers")) as [{ nodes: { token_ids: number[]; logprobs: number[]; entropies: number[] }[] }];
    const path = (ends: number[]) => ends.flatMap((at) => trace.nodes[at]!.token_ids);
    const promptAndScaffold = [...path([0, 1]), 30, 31];
    expect(group!.promptTokens).toEqual(promptAndScaffold);
    expect([...promptAndScaffold, ...first!.tokens]).toEqual(path([0, 1, 2, 3, 4]));
    expect([...promptAndScaffold, ...second!.tokens]).toEqual(path([0, 1, 2, 3, 5]));
    expect(first!.sampled).toEqual([1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
    expect(first!.channels.oldLogprobs!.filter((_, i) => first!.sampled[i])).toEqual([2, 4].flatMap((at) => trace.nodes[at]!.logprobs));
    expect(second!.channels.trainEntropies!.filter((_, i) => second!.sampled[i])).toEqual(
      [2, 5].flatMap((at) => trace.nodes[at]!.entropies),
    );
    expect(second!.extras?.shared).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0]);
    expect(first!.extras?.shared).toBeUndefined();
    expect(first!.rewardParts).toEqual([
      { name: "right", value: 1, weight: 1 },
      { name: "form", value: 0.25, weight: 0.5 },
    ]);
    expect([first, third, fourth].map((told) => [told!.reward, told!.advantage, told!.stopReason])).toEqual([
      [1.125, 0.5, "completed"],
      [0, -0.5, "completed"],
      [0.5, -0.5, "max-tokens"],
    ]);
    expect(third).toMatchObject({ failure: "ToolError: the tool was late", rewardParts: [{ value: 0 }, { value: null }] });
    expect(first!.messages[0]).toEqual({ role: "assistant", content: "", toolCalls: [{ name: "add", arguments: { a: 2, b: 2 } }] });
  });

  it("are words where an evaluation kept no tokens", async () => {
    const set = await openTraces(sampleFiles("verifiers-words"), {});
    expect(set.report).toMatchObject({ tokens: "words", logprobs: [], rollouts: 2 });
    const [group] = await set.groups(0);
    expect(group!.trajectories[0]!.pieces.join("")).toBe('{"name": "add", "arguments": {"a": 2, "b": 2}}\n\n4\n\nIt is 1.');
  });
});

describe("results of verifiers v0 and summaries of the Tinker cookbook", () => {
  it("have rewards, metrics and ends of results", async () => {
    const set = await openTraces(sampleFiles("verifiers-v0"), {});
    expect(set.report).toMatchObject({
      form: "verifiers-v0",
      rollouts: 4,
      groups: 2,
      groupedBy: "by the column example_id, 2 rollouts each",
      rewardParts: ["exact", "format"],
    });
    const found = (await allOf(set)).map(({ group, told }) => ({
      ...{
        example_id: Number(group.exampleId),
        prompt: group.messages,
        completion: told.messages,
        answer: group.answer,
        reward: told.reward,
      },
      ...partsOf(told),
    }));
    const wanted = (await rowsOf("verifiers-v0")).map(({ example_id, prompt, completion, answer, reward, exact, format }) => ({
      ...{ example_id, prompt, completion, answer, reward, exact, format },
    }));
    expect(found).toEqual(wanted);
    expect((await set.groups(0))[0]!.trajectories.map(({ stopReason }) => stopReason)).toEqual(["completed", "max-turns"]);
  });

  it("have lengths and rewards of turns, and nothing of what was said", async () => {
    const set = await openTraces(sampleFiles("tinker"), {});
    expect(set.report).toMatchObject({ form: "tinker", rollouts: 12, steps: [0, 1], groups: 4, tokens: "lengths" });
    const rows = await rowsOf("tinker");
    const all = await allOf(set);
    expect(all.map(({ told }) => [told.reward, told.turnRewards])).toEqual(
      rows.map(({ total_reward, steps }) => [total_reward, (steps as { reward: number }[]).map(({ reward }) => reward)]),
    );
    // An answer of 5 tokens to a prompt of 12, and 4 that were put in before the next of 3.
    expect(all[0]!.told).toMatchObject({ isBare: true, text: "", sampled: [1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1] });
    expect(all[0]!.group.promptTokens).toHaveLength(12);
    expect(set.steps[0]!.metrics["completions/mean_length"]).toBe(9);
  });
});
