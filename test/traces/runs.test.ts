// Files of several runs: which folders are runs, that nothing of one is in another, and what two of them come to on the same prompts.
import { describe, expect, it } from "vitest";
import type { PairQuery } from "../../src/protocol/rollouts/runPair.ts";
import { openRuns } from "../../src/traces/runs/openRuns.ts";
import { pairRuns } from "../../src/traces/runs/pairRuns.ts";
import { splitRuns } from "../../src/traces/runs/splitRuns.ts";
import type { TraceFile } from "../../src/traces/traceSet.ts";
import { lines, sampleFiles, traceFile } from "../support/traceFiles.ts";

const QUERY: PairQuery = {
  ...{ left: null, right: null, leftStep: null, rightStep: null, show: "both", text: "", measure: null, isDescending: true },
  ...{ from: 0, count: 100, chosen: null },
};

const below = (folder: string, files: readonly TraceFile[]) => files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
const split = (...paths: readonly string[]) => splitRuns(paths.map((path) => traceFile(path, "{}")));
const names = (...paths: readonly string[]) => split(...paths).runs.map(({ name }) => name);

describe("folders that were dropped together", () => {
  it("are runs where they hold files of the same names, however deep they lie", () => {
    expect(names("a/completions/completions_00001.parquet", "b/completions/completions_00002.parquet")).toEqual(["a", "b"]);
    expect(names("out/a/1.jsonl", "out/a/2.jsonl", "out/b/1.jsonl")).toEqual(["a", "b"]);
    expect(names("x/lr1/seed1/t.jsonl", "x/lr1/seed2/t.jsonl", "x/lr2/seed1/t.jsonl")).toEqual(["lr1/seed1", "lr1/seed2", "lr2"]);
  });

  it("are of one run where they are steps, ranks or splits, or hold other files", () => {
    for (const paths of [
      ["r/step_1/rank_0.jsonl", "r/step_2/rank_0.jsonl"],
      ["r/rank_0/1.jsonl", "r/rank_1/1.jsonl"],
      ["r/train/1.jsonl", "r/validation/1.jsonl"],
      ["r/completions/a.parquet", "r/notes/b.jsonl"],
      ["a.jsonl", "b.jsonl"],
    ])
      expect(split(...paths).by, paths.join()).toBe("one");
    const files = ["a.jsonl", "b.jsonl"].map((path) => traceFile(path, "{}"));
    expect(splitRuns(files, "files").runs.map(({ name }) => name)).toEqual(["a.jsonl", "b.jsonl"]);
    const steps = ["r/step_1/x.jsonl", "r/step_2/x.jsonl"].map((path) => traceFile(path, "{}"));
    expect(splitRuns(steps, "folders").runs.map(({ name }) => name)).toEqual(["step_1", "step_2"]);
  });

  it("share what lies beside them and holds no rollouts", () => {
    const { runs, outside } = split("a/1.jsonl", "b/1.jsonl", "tokenizer.json", "loose.jsonl");
    expect(runs.map(({ files }) => files.map(({ path }) => path))).toEqual([
      ["a/1.jsonl", "tokenizer.json"],
      ["b/1.jsonl", "tokenizer.json"],
    ]);
    expect(outside).toEqual(["loose.jsonl"]);
  });
});

/** Three prompts at a step with four answers each: rewards by prompt. @param ids ids of groups, which differ between runs */
const rows = (rewards: readonly (readonly number[])[], ids: string, step = 4) =>
  lines(
    rewards.flatMap((values, p) =>
      values.map((reward, i) => ({
        prompt: `What is ${p} + 1?`,
        completion: `It is ${p + 1}${"!".repeat(i)}`,
        reward,
        step,
        prompt_id: `${ids}${p}`,
      })),
    ),
  );

const A = [
  [0, 0, 1, 1],
  [0, 0, 0, 0],
  [1, 1, 1, 1],
];
const B = [
  [1, 1, 1, 1],
  [0, 0, 0, 1],
  [1, 1, 0, 0],
];

describe("runs that were opened together", () => {
  it("stay apart, and each is what it is alone", async () => {
    const trl = sampleFiles("trl");
    const { runs, shown } = await openRuns([...below("one", trl), ...below("two", trl)], {});
    expect(shown.report).toMatchObject({ rollouts: 48, groups: 12, files: 3 });
    expect(shown.report.runs).toEqual({
      ...{ by: "folders", isChosen: false, shown: "one" },
      all: ["one", "two"].map((name) => ({ name, title: "TRL's completions", rollouts: 48, steps: 3 })),
    });
    const alone = await openRuns(trl, {});
    expect(alone.shown.report.runs).toBeUndefined();
    expect(runs[1]!.set.steps).toEqual(alone.shown.steps);
    expect(await runs[1]!.set.groups(2)).toEqual(await alone.shown.groups(2));
    const both = await pairRuns(runs, QUERY);
    expect(both.left).toMatchObject({ name: "one", step: 3, prompts: 4, answers: 16, alone: 0 });
    expect(both.totals[0]).toMatchObject({ measure: "reward", prompts: 4, difference: 0, moved: { same: 4 } });
  });

  it("are compared on equal prompts, whatever ids their groups have", async () => {
    const files = [traceFile("a/4.jsonl", rows(A, "x")), traceFile("b/4.jsonl", rows([...B, [0, 0, 0, 0]], "y"))];
    const { runs } = await openRuns(files, {});
    const { left, right, totals, rows: prompts, counts, stepsBy } = await pairRuns(runs, QUERY);
    expect(stepsBy).toBe("the last step that both have");
    expect([left, right]).toMatchObject([
      { name: "a", step: 4, prompts: 3, answers: 12, alone: 0, never: 0 },
      { name: "b", step: 4, prompts: 4, answers: 16, alone: 1, never: 1 },
    ]);
    // (0.5 + 0 + 1) / 3 and (1 + 0.25 + 0.5) / 3.
    expect(totals[0]!.left).toBeCloseTo(1.5 / 3, 12);
    expect(totals[0]!.right).toBeCloseTo(1.75 / 3, 12);
    expect(prompts.map(({ begin, values }) => [begin, values[0]])).toEqual([
      ["What is 0 + 1?", { left: 0.5, right: 1 }],
      ["What is 1 + 1?", { left: 0, right: 0.25 }],
      ["What is 2 + 1?", { left: 1, right: 0.5 }],
    ]);
    expect(counts).toEqual({ both: 3, rose: 2, fell: 1, same: 0, left: 0, right: 1 });
    const { chosen } = await pairRuns(runs, { ...QUERY, chosen: prompts[0]!.key });
    const rewards = (groups: NonNullable<typeof chosen>["left"]) =>
      groups.map(({ trajectories }) => trajectories.map(({ reward }) => reward));
    expect([rewards(chosen!.left), rewards(chosen!.right)]).toEqual([[A[0]], [B[0]]]);
  });

  it("are compared though another program rendered the prompt into one text", async () => {
    const prompt = (p: number) => `<|im_start|>user\nWhat is ${p} + 1?<|im_end|>\n<|im_start|>assistant\n`;
    const verl = A.flatMap((values, p) => values.map((score) => ({ input: prompt(p), output: "2", gts: "", score, step: 4 })));
    const { runs } = await openRuns([traceFile("mine/4.jsonl", rows(B, "y")), traceFile("verl/4.jsonl", lines(verl))], {});
    const { left, right, totals, notes } = await pairRuns(runs, { ...QUERY, left: "verl", right: "mine" });
    expect([left.title, right.title, totals[0]!.prompts]).toEqual(["verl's rollouts", "conversations", 3]);
    expect(notes).toEqual([]);
  });

  it("say what else they differ by, and refuse what cannot be compared", async () => {
    const short = A.map((values) => values.slice(0, 2));
    const { runs } = await openRuns([traceFile("a/4.jsonl", rows(short, "x")), traceFile("b/4.jsonl", rows(B, "y", 9))], {});
    const answer = await pairRuns(runs, QUERY);
    expect(answer.notes.join()).toContain("A prompt has 2 answers in a and 4 in b");
    expect([answer.left.step, answer.right.step]).toEqual(["last", "last"]);
    await expect(pairRuns(runs, { ...QUERY, left: "c" })).rejects.toThrow(/^left /);
    await expect(pairRuns(runs, { ...QUERY, left: "a", right: "a" })).rejects.toThrow("left and right must be two runs");
    await expect(pairRuns(runs.slice(0, 1), QUERY)).rejects.toThrow("two runs are compared");
    await expect(openRuns([traceFile("a/1.jsonl", rows(A, "x")), traceFile("b/1.jsonl", rows(B, "y"))], { run: "c" })).rejects.toThrow(
      /^run /,
    );
    const tinker = sampleFiles("tinker");
    const unsaid = await openRuns([...below("p", tinker), ...below("q", tinker)], {});
    await expect(pairRuns(unsaid.runs, QUERY)).rejects.toThrow("p does not say what was asked");
  });

  it("leave a folder without rollouts aside and say so, and take columns that one of them has", async () => {
    const files = [traceFile("a/1.jsonl", rows(A, "x")), traceFile("b/1.jsonl", rows(B, "y")), traceFile("c/1.jsonl", '{"loss":1}\n')];
    const { shown, runs } = await openRuns(files, { columns: { reward: { role: "part", weight: 2 } } });
    expect(runs.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(shown.report.notes.join()).toContain("c is left aside: 1.jsonl holds no rollouts that are known here");
    await expect(openRuns(files, { columns: { rewards: { role: "part" } } })).rejects.toThrow('got "rewards"');
  });
});
