// What TRL 1.16 wrote, opened: every number of a file is in the records, and what no file says is absent.
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { openTraces } from "../../src/traces/openTraces.ts";
import { sampleFiles, traceFile } from "../support/traceFiles.ts";

const files = sampleFiles("trl");

/** Rows of a Parquet file by the library itself. */
async function rowsOf(path: string): Promise<readonly Record<string, unknown>[]> {
  const file = files.find((each) => each.path === path)!;
  const bytes = await file.read(0, file.size);
  return parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer });
}

describe("TRL's completions", () => {
  it("are recognised with their steps, groups and reward functions", async () => {
    const { report, rows } = await openTraces(files, {});
    expect(report).toMatchObject({
      ...{ form: "trl", files: 3, rollouts: 48, steps: [1, 2, 3], groups: 12, tokens: "words", logprobs: [], broken: { count: 0 } },
      ...{ groupedBy: "by equal prompts, 4 rollouts each", stepsBy: "by the column step", rewardParts: ["right", "short"] },
    });
    expect(rows).toHaveLength(48);
    expect(report.notes.join()).toContain("1 file was left aside: log.txt line 1 is not JSON");
  });

  it("have every number and text of their files", async () => {
    const set = await openTraces(files, {});
    for (const step of [1, 2, 3]) {
      const groups = await set.groups(step);
      const found = groups.flatMap(({ messages, trajectories }) =>
        trajectories.map((each) => ({
          ...{ step: BigInt(step), prompt: messages, completion: each.messages, advantage: each.advantage },
          ...Object.fromEntries(each.rewardParts.map(({ name, value }) => [name, value])),
        })),
      );
      expect(found).toEqual(await rowsOf(`completions_0000${step}.parquet`));
      expect(groups.flatMap(({ trajectories }) => trajectories).every(({ pieces, text }) => pieces.join("") === text)).toBe(true);
    }
  });

  it("have the curves that TRL logged, from the rollouts alone and from its log where that is there", async () => {
    const alone = await openTraces(files, {});
    expect(alone.steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    // log.txt, in its digits.
    expect(alone.steps[0]!.metrics.reward).toBeCloseTo(0.04, 6);
    expect(alone.steps[0]!.metrics.reward_std).toBeCloseTo(0.3364, 4);
    expect(alone.steps[0]!.metrics["rewards/short/mean"]).toBeCloseTo(-0.1046, 4);
    expect(alone.steps[2]!.metrics["rewards/short/std"]).toBeCloseTo(0.00725, 5);
    const state = {
      log_history: [
        { step: 2, epoch: 0.2, loss: -0.01341, kl: 0.00831 },
        { step: 4, epoch: 0.4, loss: 1 },
      ],
    };
    const beside = await openTraces([...files, traceFile("checkpoint-4/trainer_state.json", JSON.stringify(state))], {});
    expect(beside.steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    expect(beside.steps[1]!.metrics).toEqual({ ...alone.steps[1]!.metrics, loss: -0.01341, kl: 0.00831 });
    expect(beside.steps[3]!.metrics).toEqual({ loss: 1 });
  });

  it("have a total reward by those weights that give the file's advantages", async () => {
    const set = await openTraces(files, {});
    expect(set.report.columns.filter(({ role }) => role === "part").map(({ weight }) => weight)).toEqual([1, 1]);
    expect(set.report.notes.join()).toContain("The advantages come out by 1 × right + 1 × short");
    const other = await openTraces(files, { columns: { short: { role: "other" } } });
    expect(other.report.rewardParts).toEqual(["right"]);
    expect(other.rows.every(({ reward }) => reward === null)).toBe(true);
    expect(other.report.missing.map(({ what }) => what)).toContain("The total reward");
  });

  it("have the total that chosen weights give", async () => {
    const set = await openTraces(files, { columns: { right: { role: "part", weight: 2 }, short: { role: "part", weight: 0.5 } } });
    const [first] = await set.groups(1);
    expect(first!.trajectories.map(({ reward }) => reward)).toEqual([0, -0.05000000074505806, -0.054999999701976776, -0.05000000074505806]);
    await expect(openTraces(files, { columns: { shrt: { role: "part" } } })).rejects.toThrow('did you mean "short"');
  });
});
