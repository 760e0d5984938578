// What is said of saved runs.
import { describe, expect, it } from "vitest";
import { bytesText } from "../../../../src/protocol/memory.ts";
import type { SaveSummary } from "../../../../src/protocol/run/runSummary.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { isUnderWay, runName, sortedSaves, stepText } from "../../../../src/ui/engine/saves/saveTexts.ts";
import { resolveDraft } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { savedWords } from "../../../../src/ui/runs/saves/SavedMark.tsx";
import { lossText } from "../../../../src/ui/shell/faults/EngineDied.tsx";
import { resolveConfig } from "../../../support/resolveConfig.ts";

const table = resolveConfig({ task: "digit-sum", algorithm: "builtin", model: "tabular" }, catalog.tasks, catalog.algorithms);
const save = (runId: string, step: number, savedAt = 1): SaveSummary => ({
  ...{ runId, name: runId, label: {}, step, savedAt, bytes: 10, config: table },
});
const unreadable: SaveSummary = {
  runId: "run-b",
  name: "run-b",
  label: {},
  step: 3,
  savedAt: 9,
  bytes: 10,
  config: null,
  problem: "its log is cut short",
};

describe("a saved run", () => {
  it("is named by its preset where it is one, otherwise by task and algorithm", () => {
    expect(runName(catalog, table)).toBe("Digit sum, logits table");
    expect(runName(catalog, { ...table, changes: [{ afterStep: 3, settings: { learningRate: 0.1 } }] })).toBe("Digit sum, logits table");
    const algorithm = catalog.algorithms.find(({ id }) => id === table.algorithm)!.title;
    const task = catalog.tasks.find(({ id }) => id === table.task)!.title;
    expect(runName(catalog, { ...table, groupSize: 7 })).toBe(`${task}, ${algorithm}`);
    expect(runName(catalog, { ...table, kind: "supervised", groupSize: 7 })).toBe(`${task}, supervised`);
  });

  it("of any preset has its name, from whichever seed and however far, and no longer where anything else is changed", () => {
    for (const { id, title } of catalog.presets) {
      const config = resolveDraft(catalog, { presetId: id, edits: {} }).config!;
      expect(runName(catalog, { ...config, seed: config.seed + 1, steps: config.steps + 7 }), id).toBe(title);
      expect(runName(catalog, { ...config, minP: config.minP + 0.01 }), id).not.toBe(title);
    }
  });

  it("says how far it is", () => {
    expect(stepText({ step: 4, config: { ...table, steps: 40 } })).toBe("step 4 of 40");
    expect(stepText({ step: 4, config: { ...table, steps: 0 } })).toBe("step 4");
    expect(stepText(unreadable)).toBe("step 3");
  });

  it.each([
    [0, "0 B"],
    [950, "950 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [1_234_000, "1.2 MB"],
    [9_960_000, "10 MB"],
    [999_600_000, "1.0 GB"],
    [5e12, "5.0 TB"],
  ])("of %i bytes is %s large", (bytes, text) => {
    expect(bytesText(bytes, 1000)).toBe(text);
  });

  it("is under way once it has begun, until its last step", () => {
    const at = (step: number, steps: number) => isUnderWay({ step, config: { ...table, steps } });
    expect([at(2, 40), at(2, 0), at(0, 40), at(40, 40)]).toEqual([true, true, false, false]);
    expect(isUnderWay(unreadable)).toBe(false);
  });

  it("stands in the list by its date, behind every newer one and before those that cannot be read", () => {
    const saves = [save("old", 1, 1), unreadable, save("new", 1, 3)];
    expect(sortedSaves(saves).map(({ runId }) => runId)).toEqual(["new", "old", "run-b"]);
  });
});

describe("the mark beside the step count", () => {
  it("says saved, not saved yet, or not saved and why", () => {
    expect(savedWords({ step: 4, savedStep: null }, null).word).toBe("not saved yet");
    expect(savedWords({ step: 4, savedStep: 4 }, null)).toMatchObject({
      word: "saved",
      sentence: expect.stringContaining("its last step, 4"),
    });
    expect(savedWords({ step: 4, savedStep: 2 }, null)).toMatchObject({ word: "saving", sentence: expect.stringContaining("step 2;") });
    expect(savedWords({ step: 4, savedStep: 2 }, "the disk is full")).toMatchObject({ word: "not saved", isLost: true });
    expect(savedWords({ step: 4, savedStep: 2 }, "the disk is full").sentence).toBe(
      "This run is saved up to step 2, and what follows is not: the disk is full",
    );
    expect(savedWords({ step: 4, savedStep: null }, "the disk is full").sentence).toBe("Nothing of this run is saved: the disk is full");
  });
});

describe("after a crash", () => {
  const run = { runId: "run-a", step: 12 };

  it("nothing is said of a loss before the store has answered", () => {
    expect(lossText(run, null)).toBe("Looking for what is saved of the run …");
    expect(lossText({ runId: null, step: 0 }, null)).toBe("There was no run.");
  });

  it("the store decides what is lost", () => {
    expect(lossText(run, [unreadable, save("run-a", 12)])).toBe("Nothing is lost: the run is saved up to step 12.");
    expect(lossText(run, [save("run-a", 14)])).toBe("Nothing is lost: the run is saved up to step 14.");
    expect(lossText(run, [save("run-a", 11)])).toBe("The run is saved up to step 11; 1 step after it is lost.");
    expect(lossText(run, [save("run-a", 2)])).toBe("The run is saved up to step 2; 10 steps after it are lost.");
    expect(lossText(run, [save("run-c", 12)])).toBe("There is no save of this run, so its 12 steps cannot be continued.");
    expect(lossText({ ...run, step: 0 }, [])).toBe("There is no save of this run, so it begins anew.");
    expect(lossText({ ...run, runId: "run-b" }, [unreadable])).toBe("Its save cannot be read: its log is cut short.");
  });
});
