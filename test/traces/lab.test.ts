// This lab's own lines, read back: the records are those that were written, number by number.
import { describe, expect, it } from "vitest";
import { trajectoryLines } from "../../src/export/trajectoryLines.ts";
import { areWhole } from "../../src/protocol/records.ts";
import { openTraces } from "../../src/traces/openTraces.ts";
import { labGroup } from "../support/labGroup.ts";
import { lines, sampleFiles, traceFile } from "../support/traceFiles.ts";

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

  it.each(["trl", "verl", "prime-rl", "verifiers", "verifiers-v0", "chat-ids", "chat-lines"])(
    "of a step of %s that is saved come back as they were",
    async (folder) => {
      const first = await openTraces(sampleFiles(folder), {});
      const [step = 0] = first.report.steps;
      const groups = (await first.groups(step)).filter((group) => areWhole([group]));
      const members = groups.reduce((sum, { trajectories }) => sum + trajectories.length, 0);
      const again = await openTraces([traceFile("saved.jsonl", lines(trajectoryLines({ groups }, members)))], {});
      expect(again.report).toMatchObject({ form: "lab", rollouts: members, broken: { count: 0 } });
      const told = groups.map((group) => ({
        ...group,
        trajectories: group.trajectories.map((each) => ({
          ...each,
          prompt: each.prompt ?? { promptTokens: group.promptTokens, promptPieces: group.promptPieces },
          opening: each.opening ?? group.messages,
        })),
      }));
      expect(await again.groups(step)).toEqual(told);
    },
  );

  it("have no columns that could be taken otherwise", async () => {
    const file = traceFile("trajectories.jsonl", lines(trajectoryLines({ groups: [labGroup] }, 8)));
    expect((await openTraces([file], {})).report.columns).toEqual([]);
    await expect(openTraces([file], { columns: { text: { role: "answer" } } })).rejects.toThrow(
      'columns of this lab\'s conversations are read as they were written: "text" cannot be given a role',
    );
  });
});
