// A run in a file of a given size: what is looked at is in it to the bit, and what is left out is said.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areWhole } from "../../../../src/protocol/records.ts";
import { isWhole } from "../../../../src/protocol/run/runSummary.ts";
import { saveInFile } from "../../../../src/train/save/importedSave.ts";
import { readGroups } from "../../../../src/train/save/kept/groupFile.ts";
import { readSave } from "../../../../src/train/save/readSave.ts";
import { fittedRollout } from "../../../../src/train/save/rollout/fittedRollout.ts";
import { unpackFiles } from "../../../../src/train/save/rollout/packedFiles.ts";
import type { SavedState } from "../../../../src/train/save/savedState.ts";
import { driveSession } from "../../../support/driveSession.ts";
import { tries } from "../../../support/long.ts";
import { memoryStore } from "../../../support/memoryStore.ts";

const TABLE = {
  task: "digit-sum",
  model: "tabular",
  promptsPerStep: 2,
  groupSize: 8,
  evalProblems: 8,
  evalSamples: 2,
  evalEvery: 10,
} as const;
const STEPS = 24;

async function trained(): Promise<SavedState> {
  const session = await driveSession({ store: memoryStore() });
  await session.send({ type: "start", runId: "run", config: { ...TABLE, steps: STEPS, keptMegabytes: 50 }, paused: true });
  for (let step = 1; step <= STEPS; step++) await session.send({ type: "advance", unit: "step" });
  await session.send({ type: "save" });
  return readSave("run", unpackFiles((await session.send({ type: "export-save" })).bytes));
}

function read(file: Uint8Array): SavedState {
  const { runId, files } = saveInFile(file);
  return readSave(runId, files);
}

/** A run of a thousand steps with conversations of five, as its records would be. */
async function longRun(): Promise<SavedState> {
  const saved = await trained();
  const steps = Array.from({ length: 1_000 }, (_, i) => {
    const { metrics } = saved.steps[i % STEPS]!;
    return { step: i + 1, metrics: Object.fromEntries(Object.entries(metrics).map(([name, value], k) => [name, value + Math.sin(i + k)])) };
  });
  return { ...saved, checkpoint: null, steps, config: { ...saved.config, steps: 1_000 } };
}

const long = longRun();

describe("a recording as long as a link holds", () => {
  it("has the answer that is shown, to the bit, and says what it leaves out, wherever that is and however little there is room for", async () => {
    const saved = await long;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(saved.kept.length - 1),
        fc.nat(TABLE.promptsPerStep - 1),
        fc.nat(TABLE.groupSize - 1),
        fc.integer({ min: 6_000, max: 40_000 }),
        async (at, promptIndex, trajectoryIndex, mostBytes) => {
          const { step, file } = saved.kept[at]!;
          const shown = { step, promptIndex, trajectoryIndex };
          const { bytes, extent } = await fittedRollout("run", saved, { checkpoint: false, mostBytes, shown });
          expect(bytes.length).toBeLessThanOrEqual(mostBytes);
          const there = read(bytes);
          const groupsOf = async (kept: Uint8Array) => (await readGroups(kept, step, saved.config)).groups;
          const [before, after] = [await groupsOf(file), await groupsOf(there.kept.find((each) => each.step === step)!.file)];
          expect(after[promptIndex]!.trajectories[trajectoryIndex]).toEqual(before[promptIndex]!.trajectories[trajectoryIndex]);
          expect(there.steps.find((each) => each.step === step)).toEqual(saved.steps[step - 1]);
          expect([there.steps[0]!.step, there.steps.at(-1)!.step]).toEqual([1, 1_000]);
          expect(extent.shown).toMatchObject(shown);
          expect(extent.steps).toEqual({ held: there.steps.length, of: 1_000 });
          expect(extent.kept).toEqual({ held: there.kept.length, of: saved.kept.length });
          expect(extent.shown!.amount === "step").toBe(areWhole(after));
        },
      ),
      { numRuns: tries(12, 100) },
    );
  }, 60_000);

  it("has more the more room there is, and all where there is room for all", async () => {
    const saved = await long;
    const held = async (mostBytes: number) => (await fittedRollout("run", saved, { checkpoint: false, mostBytes })).extent;
    const [small, larger, whole] = [await held(8_000), await held(24_000), await held(2_000_000)];
    expect(small.steps.held).toBeGreaterThan(20);
    expect(larger.steps.held).toBeGreaterThan(small.steps.held);
    expect([isWhole(small), isWhole(larger), isWhole(whole)]).toEqual([false, false, true]);
  }, 60_000);
});
