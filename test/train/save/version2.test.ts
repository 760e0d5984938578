// Saves of version 2 are read for good: what they lack came with version 3.
import { expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import type { SavedState } from "../../../src/train/save/savedState.ts";
import { seal, unseal } from "../../../src/train/save/sealed.ts";
import { filesOf } from "../../support/savedFiles.ts";

const config = runConfigSchema.parse({ task: "digit-sum" });
const written: SavedState = {
  ...{ config, settings: liveSettingsOf(config), checkpoint: null },
  steps: [1, 2, 3].map((step) => ({ step, metrics: { reward: step / 7 } })),
  ...{ evaluations: [], baselines: [], probes: [], kept: [] },
};

it("a save of version 2, which knew no probes, is read as one without any", () => {
  const older = new Map<string, Uint8Array>();
  for (const [name, file] of filesOf("run", written)) {
    const { header, payload } = unseal(file, name, name === "run" ? "rollout-lab-run" : "rollout-lab-log");
    const { probes: _, ...fields } = header as Record<string, unknown>;
    expect(fields.version).toBe(name === "run" ? 6 : 3);
    older.set(name, seal({ ...fields, version: 2 }, payload.slice()));
  }
  expect(readSave("run", older)).toEqual(written);
});
