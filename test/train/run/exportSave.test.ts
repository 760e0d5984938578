// A run given out as one file goes on elsewhere from where it stood.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isTimedMetric, type StepRecord } from "../../../src/protocol/records.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { packFiles, unpackFiles } from "../../../src/train/save/rollout/packedFiles.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

const config: RunConfigInput = { task: "digit-sum", steps: 8, evalEvery: 4 };
const timeless = ({ step, metrics }: StepRecord) => ({
  step,
  metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
});

describe("export-save", () => {
  it("asked for as an evaluation is told is the run of that step, and goes on to the same numbers", async () => {
    const session = await driveSession();
    const evaluated = session.next("evaluation", ({ record }) => record.step === 4);
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "start", runId: "here", config });
    await evaluated;
    const { name, bytes } = await session.send({ type: "export-save" });
    await finished;
    const whole = session.all("steps").flatMap(({ records }) => records.map(timeless));

    expect(name).toBe("here.rollout");
    const files = unpackFiles(bytes);
    const saved = readSave("here", files);
    expect(saved.checkpoint?.trainer.step).toBe(saved.steps.at(-1)?.step);

    const store = memoryStore();
    const opened = await store.open("here");
    await opened?.write({ summary: { runId: "here", step: 4, savedAt: 0, bytes: bytes.length }, put: files, removed: "all others" });
    opened?.close();
    const other = await driveSession({ store });
    const ended = other.next("state", ({ state }) => state === "finished");
    await other.send({ type: "continue", runId: "here" });
    await ended;
    const rest = other.all("steps").flatMap(({ records }) => records.map(timeless));
    expect(rest).toEqual(whole.slice(saved.steps.length));
  });

  it("is refused in the middle of a step and where there is no run", async () => {
    const session = await driveSession();
    await expect(session.send({ type: "export-save" })).rejects.toThrow("there is no run: start one first");
    await session.send({ type: "start", runId: "here", config, paused: true });
    await session.send({ type: "advance", unit: "phase" });
    await expect(session.send({ type: "export-save" })).rejects.toThrow(/in the middle of a step/);
  });
});

describe("a save as one file", () => {
  const files = new Map([
    ["run", new Uint8Array([1, 2, 3])],
    ["log/0", new Uint8Array(0)],
  ]);

  it("comes apart into the files it was packed from", () => {
    expect(unpackFiles(packFiles(files))).toEqual(files);
  });

  it.each([
    ["nothing", new Uint8Array(0), /no saved run, or was cut short/],
    ["another file", new TextEncoder().encode("{}".repeat(99)), /no saved run/],
    ["one that was cut short", packFiles(files).slice(0, -1), /was cut short/],
    ["one with bytes after its end", new Uint8Array([...packFiles(files), 0]), /was cut short or added to/],
  ])("refuses %s", (_what, bytes, sentence) => {
    expect(() => unpackFiles(bytes)).toThrow(sentence);
  });
});
