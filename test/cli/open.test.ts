// Rollouts of other programs on the command line: every number of the samples is in what it tells.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../src/cli/lab/commandLine.ts";
import { verbs } from "../../src/cli/verbs/index.ts";
import type { GroupRecord, TrajectoryRecord } from "../../src/protocol/records.ts";
import type { TraceReport } from "../../src/protocol/rollouts/traces.ts";
import { SAMPLES } from "../support/traceFiles.ts";
import { trueForms, trueSteps } from "../support/traceTruth.ts";

const progress = { tell() {}, doing() {}, at() {}, end() {} };
const interrupt = { signal: new AbortController().signal } as never;

async function open(...words: readonly string[]) {
  const { verb, operands, options } = readCommandLine(["open", ...words], verbs);
  const { facts, text } = await verb!.run({ operands, options, progress, interrupt });
  const { report, groups = [] } = JSON.parse(JSON.stringify(facts)) as { report: TraceReport; groups?: readonly GroupRecord[] };
  return { report, groups, text };
}

const sample = (path: string) => join(SAMPLES, path);

/** A record in the words of the truth; null where the file has no numbers of tokens. */
function numbersOf({ reward, advantage, rewardParts, stopReason, sampled, channels }: TrajectoryRecord) {
  const { oldLogprobs, trainEntropies, advantages } = channels;
  const tokens = sampled.flatMap((flag, t) =>
    flag === 1
      ? [
          {
            ...(oldLogprobs ? { logprob: oldLogprobs[t]! } : {}),
            ...(trainEntropies ? { trainEntropy: trainEntropies[t]! } : {}),
            ...(advantages ? { advantage: advantages[t]! } : {}),
          },
        ]
      : [],
  );
  return {
    ...{ reward, advantage, parts: Object.fromEntries(rewardParts.map(({ name, value }) => [name, value])) },
    ...{ isCutOff: stopReason === "max-tokens", tokens: oldLogprobs ? tokens : null },
  };
}

describe("opening rollouts on the command line", () => {
  it("tells folders and files, and all records of a step", async () => {
    const { report, groups, text } = await open(sample("trl"), "--step", "2");
    expect(report).toMatchObject({ form: "trl", rollouts: 48, steps: [1, 2, 3] });
    expect(groups.flatMap(({ trajectories }) => trajectories)).toHaveLength(16);
    expect(groups[0]!.trajectories[0]).toMatchObject({ advantage: -0.34568163752555847, text: "\\boxed{5}", stopReason: null });
    expect(text).toContain("rollouts           48 in 12 groups, by equal prompts, 4 rollouts each");
    const some = await open(sample("verl/12.jsonl"), sample("verl/13.jsonl"));
    expect(some.report).toMatchObject({ form: "verl", files: 2, cutOff: 2, leftOpen: [{ mark: "\\boxed{", answers: 2 }] });
  });

  it("tells every number of every form as its files have it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lab-open-"));
    for (const form of await trueForms()) {
      for (const { path, bytes } of form.files) {
        await mkdir(dirname(join(folder, form.id, path)), { recursive: true });
        await writeFile(join(folder, form.id, path), bytes);
      }
      for (const [step, wanted] of trueSteps(form)) {
        const { report, groups } = await open(join(folder, form.id), "--step", String(step));
        expect(report).toMatchObject({ title: form.title, rollouts: form.rollouts.length });
        const told = groups.map(({ trajectories }) => trajectories.map((each) => numbersOf(each)));
        const numbers = wanted.map((group) => group.map(({ step: _, group: __, says: ___, ...each }) => each));
        expect(told, `${form.id}, step ${step}`).toEqual(numbers);
      }
    }
    await rm(folder, { recursive: true });
  });

  it("decodes ids by a tokenizer that is named", async () => {
    const { report, groups } = await open(sample("prime-rl"), "--step", "12", "--tokenizer", "lab");
    expect(report).toMatchObject({ tokens: "decoded ids", tokenizer: "lab" });
    const [told] = groups[0]!.trajectories;
    expect(told!.pieces.join("")).toBe(told!.text);
    expect(told!.text).not.toBe("");
  });

  it("takes roles and weights of columns", async () => {
    const { report } = await open(sample("trl"), "--column", "right=part:2", "--column", "short=part:0.5");
    expect(report.columns.filter(({ role }) => role === "part").map(({ weight }) => weight)).toEqual([2, 0.5]);
    await expect(open(sample("trl"), "--column", "right=prize")).rejects.toThrow("the role of right (--column NAME=ROLE) must be one of");
    await expect(open(sample("trl"), "--column", "right=part:much")).rejects.toThrow("must have a number as weight, got right=part:much");
    await expect(open(sample("trl"), "--group", "rigth")).rejects.toThrow('did you mean "right"');
    await expect(open(sample("trl"), "--step", "9")).rejects.toThrow("--step must be a step that has rollouts, 1, 2, 3, got 9");
    await expect(open(sample("nothing"))).rejects.toThrow("there is no ");
  });
});
