// This lab's own lines, read back: the records are those that were written, number by number.
import { describe, expect, it } from "vitest";
import { trajectoryLines } from "../../src/export/trajectoryLines.ts";
import { openTraces } from "../../src/traces/openTraces.ts";
import { labGroup } from "../support/labGroup.ts";
import { lines, traceFile } from "../support/traceFiles.ts";

describe("this lab's conversations", () => {
  it("come back as the records that they were", async () => {
    const set = await openTraces([traceFile("run/trajectories.jsonl", lines(trajectoryLines({ groups: [labGroup] }, 8)))], {});
    expect(set.report).toMatchObject({
      form: "lab",
      steps: [3],
      tokens: "decoded ids",
      logprobs: ["sampler", "trainer", "reference"],
      missing: [],
    });
    expect(await set.groups(3)).toMatchObject([labGroup]);
    expect(set.rows.map(({ reward, length, success }) => [reward, length, success])).toEqual([
      [1, 2, true],
      [0, 2, false],
    ]);
  });

  it("have no columns that could be taken otherwise", async () => {
    const file = traceFile("trajectories.jsonl", lines(trajectoryLines({ groups: [labGroup] }, 8)));
    expect((await openTraces([file], {})).report.columns).toEqual([]);
    await expect(openTraces([file], { columns: { text: { role: "answer" } } })).rejects.toThrow(
      'columns of this lab\'s conversations are read as they were written: "text" cannot be given a role',
    );
  });
});
