// A save from elsewhere becomes a saved run here, in either form, and nothing that is here is written over.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { type ImportedFile, SAVE_LIST } from "../../../src/train/save/importedSave.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { packFiles } from "../../../src/train/save/rollout/packedFiles.ts";
import type { SavedState } from "../../../src/train/save/savedState.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { filesOf, saveOf } from "../../support/savedFiles.ts";
import { setOf } from "../../support/tensorSets.ts";

const config = runConfigSchema.parse({ task: "digit-sum", model: "tabular" });
const weights = () => setOf(new Float64Array([0.1, -2, Number.MIN_VALUE]));
const state: SavedState = {
  config,
  settings: liveSettingsOf(config),
  checkpoint: {
    trainer: { step: 2, random: [1, 2, 3, 4], loader: 7, controllers: {} },
    tokenizer: "11-00000000",
    model: { policy: weights(), reference: weights(), first: weights(), second: weights(), optimizerSteps: 2 },
    critic: null,
  },
  steps: [1, 2, 3].map((step) => ({ step, metrics: { reward: step / 3, loss: Number.NaN, kl: -0 } })),
  evaluations: [],
  baselines: [],
  probes: [],
  kept: [],
};
const packed = (from: SavedState, runId = "digit-sum"): ImportedFile[] => [{ name: "any", bytes: packFiles(filesOf(runId, from)) }];

/** As a run folder's save/ holds it. */
function inFolder(from: SavedState): ImportedFile[] {
  const files = [...filesOf("digit-sum", from)];
  const list = { runId: "digit-sum", next: files.length, files: Object.fromEntries(files.map(([name], i) => [name, `${i}.bin`])) };
  const bytes = new TextEncoder().encode(JSON.stringify(list));
  return [{ name: SAVE_LIST, bytes }, ...files.map(([, each], i) => ({ name: `${i}.bin`, bytes: each }))];
}

describe("a save that is brought", () => {
  it.each([
    ["one file", packed(state)],
    ["a folder", inFolder(state)],
  ])("as %s is a saved run with the same records and weights, to the bit", async (_form, files) => {
    const store = memoryStore();
    const session = await driveSession({ store });
    expect(await session.send({ type: "add-save", files })).toEqual({ runId: "digit-sum" });
    expect(readSave("digit-sum", store.saves.get("digit-sum")!.files)).toEqual(state);
    const [saved] = session.all("saves").at(-1)!.runs;
    expect(saved).toMatchObject({ runId: "digit-sum", step: 3, config: { task: "digit-sum" } });
    expect(saved).not.toHaveProperty("problem");
  });

  it("under a name that is taken gets the next free one; one that is here already stays as it is", async () => {
    const store = memoryStore();
    const other = saveOf("digit-sum", { ...state, steps: state.steps.slice(0, 2) });
    store.saves.set("digit-sum", other);
    const session = await driveSession({ store });
    for (let time = 0; time < 2; time++)
      expect(await session.send({ type: "add-save", files: packed(state) })).toEqual({ runId: "digit-sum-2" });
    expect(store.saves.get("digit-sum")).toBe(other);
    expect(readSave("digit-sum-2", store.saves.get("digit-sum-2")!.files)).toEqual(state);
    expect(store.saves.size).toBe(2);
  });

  it("that another tab has open is kept beside it", async () => {
    const store = memoryStore();
    await store.otherTab().open("digit-sum");
    const session = await driveSession({ store });
    expect(await session.send({ type: "add-save", files: packed(state) })).toEqual({ runId: "digit-sum-2" });
  });

  it.each([
    ["another file", [{ name: "a", bytes: new TextEncoder().encode("hello, this is text") }], /no saved run/],
    ["a file that was cut short", [{ name: "a", bytes: packed(state)[0]!.bytes.slice(0, -5) }], /was cut short/],
    ["a folder that lacks a file", inFolder(state).slice(0, -1), /\d\.bin is missing, which save\.json names/],
    ["a list that is none", [{ name: SAVE_LIST, bytes: new TextEncoder().encode("{") }], /save\.json is not JSON/],
    ["two files without a list", [...packed(state), ...packed(state)], /there must be one file, or a save\.json .*got 2 files/],
    ["a custom task", packed({ ...state, config: { ...config, task: "mine" } }), /task must be one of/],
  ])("of %s is refused with the reason, and nothing is kept", async (_what, files, reason) => {
    const store = memoryStore();
    const session = await driveSession({ store });
    await expect(session.send({ type: "add-save", files })).rejects.toThrow(reason);
    expect(store.saves.size).toBe(0);
  });

  it("with a flipped bit is refused", async () => {
    const store = memoryStore();
    const session = await driveSession({ store });
    const [file] = packed(state);
    const bytes = file!.bytes.slice();
    bytes[60]! ^= 1;
    await expect(session.send({ type: "add-save", files: [{ name: "a", bytes }] })).rejects.toThrow(/damaged/);
    expect(store.saves.size).toBe(0);
  });
});
