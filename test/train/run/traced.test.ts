// Rollouts of another program in the place of a run: what the engine tells of three steps that TRL wrote, and what it refuses.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { driveSession } from "../../support/driveSession.ts";
import { SAMPLES } from "../../support/traceFiles.ts";

const bytesOf = (step: number) => readFileSync(join(SAMPLES, `trl/completions_0000${step}.parquet`));
const files = [1, 2, 3].map((step) => ({ path: `trl/completions_0000${step}.parquet`, parts: new Blob([new Uint8Array(bytesOf(step))]) }));

async function rowsOf(step: number): Promise<readonly Record<string, unknown>[]> {
  const { buffer, byteOffset, length } = bytesOf(step);
  return parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer });
}

describe("rollouts of another program", () => {
  it("are shown like a recording: its steps, its curves, and every number of a row", async () => {
    const session = await driveSession();
    await session.send({ type: "open", traces: { files, choice: {} }, paused: true });
    const { recording, step, model } = session.all("started").at(-1)!;
    expect(recording).toMatchObject({ lastStep: 3, traced: { form: "trl", rollouts: 48, steps: [1, 2, 3], logprobs: [] } });
    expect([step, model.parameters]).toEqual([3, 0]);
    const { steps, kept, evaluations } = session.all("history").at(-1)!;
    expect([steps.map((each) => each.step), kept, evaluations]).toEqual([[1, 2, 3], [1, 2, 3], []]);
    expect(session.all("asking").at(-1)).toMatchObject({ done: files.reduce((sum, { parts }) => sum + parts.size, 0) });

    const { groups, summaries, isKept } = await session.send({ type: "inspect", step: 2 });
    expect(isKept).toBe(true);
    const rows = await rowsOf(2);
    const shown = groups.flatMap(({ trajectories }) => trajectories);
    expect(shown.map(({ advantage }) => advantage)).toEqual(rows.map(({ advantage }) => advantage));
    for (const { channels, success, stopReason } of shown)
      expect([channels.oldLogprobs, channels.lossWeights, success, stopReason]).toEqual([null, null, null, null]);
    expect(summaries.map(({ successRate }) => successRate)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
    const part = await session.send({ type: "inspect", step: 2, promptIndex: 1 });
    expect(part.groups).toEqual([groups[1]]);
  });

  it("are read again with a column in another role", async () => {
    const session = await driveSession();
    await session.send({ type: "open", traces: { files, choice: {} }, paused: true });
    await session.send({ type: "open", traces: { files, choice: { columns: { short: { role: "other" } } } }, paused: true });
    expect(session.all("started").at(-1)!.recording!.traced!.rewardParts).toEqual(["right"]);
  });

  it("are shown by their first step while the rest of many is read", async () => {
    const session = await driveSession();
    const long = "x".repeat(12 * 2 ** 20);
    const rows = [1, 1, 2, 2, 2, 3].map((step) => `{"step":${step},"prompt":"p","completion":"${step === 2 ? long : "a"}"}\n`);
    const parts = new Blob(rows);
    await session.send({ type: "open", traces: { files: [{ path: "a.jsonl", parts }], choice: {} }, paused: true });
    const [first, whole, ...others] = session.all("started");
    expect(first).toMatchObject({ step: 1, recording: { lastStep: 1, traced: { steps: [1], isWhole: false } } });
    expect(whole).toMatchObject({ step: 3, recording: { lastStep: 3, traced: { steps: [1, 2, 3], rollouts: 6, isWhole: true } } });
    expect(others).toEqual([]);
  });

  it("are moved to a step, and refuse whatever needs a model or settings", async () => {
    const session = await driveSession();
    await session.send({ type: "open", traces: { files, choice: {} }, step: 1, paused: true });
    expect(session.all("started").at(-1)!.step).toBe(1);
    await session.send({ type: "seek", step: 2 });
    expect(
      session
        .all("history")
        .at(-1)!
        .steps.map(({ step }) => step),
    ).toEqual([1, 2]);
    const elsewhere = "these rollouts were made elsewhere";
    await expect(session.send({ type: "ask", prompt: "2 + 3", samples: 1 })).rejects.toThrow(elsewhere);
    await expect(session.send({ type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 0 })).rejects.toThrow(elsewhere);
    await expect(session.send({ type: "export-rollout" })).rejects.toThrow("cannot leave as a run of the lab");
    await expect(session.send({ type: "inspect", step: 4 })).rejects.toThrow("the rollouts of step 4 are not in the recording");
  });

  it("take no run's place where the files hold none", async () => {
    const session = await driveSession();
    const notes = { path: "notes.txt", parts: new Blob(["hi"]) };
    await expect(session.send({ type: "open", traces: { files: [notes], choice: {} } })).rejects.toThrow("notes.txt");
    await expect(session.send({ type: "open", runId: "here", traces: { files, choice: {} } })).rejects.toThrow("open needs one of these");
    expect(session.all("started")).toEqual([]);
  });
});
