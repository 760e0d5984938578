// Saves of older versions are read for good. Of version 2 nothing was asked over time, of version 3 weights have no names, and go into the model that they were of; of
// version 4 no rollouts are kept, and version 5 names no parent. The one of the present version holds what it is read as.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ModelState, tensorState } from "../../../src/model/model.ts";
import { sizeOf } from "../../../src/model/tensors.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { unpackFiles } from "../../../src/train/save/rollout/packedFiles.ts";
import { unseal } from "../../../src/train/save/sealed.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

const storedBy = (version: number): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `version${version}.json`), "utf8"));
const valuesOf = ({ policy, reference, first, second, optimizerSteps }: ModelState) => [
  ...[policy, reference, first, second].map((set) => set?.values ?? null),
  optimizerSteps,
];

describe.each([
  [2, "transformer"],
  [2, "table"],
  [3, "transformer"],
  [3, "table"],
  [4, "transformer"],
  [4, "table"],
  [5, "transformer"],
  [5, "table"],
  [6, "transformer"],
  [6, "table"],
])("a save of version %i of a %s", (version, kind) => {
  const bytes = Uint8Array.from(Buffer.from(storedBy(version)[kind]!, "base64"));
  const before = readSave("saved", unpackFiles(bytes));

  it("says that it is of that version, and has kept steps from version 5 on", () => {
    const { header } = unseal(unpackFiles(bytes).get("run")!, "run", "rollout-lab-run");
    expect(header).toMatchObject({ version });
    expect(before.probes.length > 0).toBe(version > 2);
    expect(before.kept.map(({ step }) => step)).toEqual(version < 5 ? [] : [1, 2]);
    expect(before.parent).toEqual(version < 6 ? undefined : { runId: "root", step: 1 });
    expect(before.checkpoints?.map(({ header, why }) => [header.step, why])).toEqual(version < 6 ? undefined : [[2, ["every"]]]);
  });

  it("is opened with its very weights, which have names from then on, and goes on", async () => {
    const session = await driveSession({ store: memoryStore() });
    await session.send({ type: "add-save", files: [{ name: "saved.rollout-lab", bytes }] });
    // What lists tell of it is worked out as it comes in, and what was written on it comes along.
    const row = session
      .all("saves")
      .at(-1)!
      .runs.find(({ runId }) => runId === "saved")!;
    expect(row.digest).toMatchObject({ measure: "reward", verdict: "no evidence yet" });
    expect(row.label).toEqual(version < 6 ? {} : { name: "The fork", notes: "Two steps.", tags: ["kept"], isPinned: true });
    await session.send({ type: "continue", runId: "saved", paused: true });
    const { bytes: again } = await session.send({ type: "export-save" });
    const after = readSave("saved", unpackFiles(again));
    expect(valuesOf(tensorState(after.checkpoint!.model))).toEqual(valuesOf(tensorState(before.checkpoint!.model)));
    const { layout, values } = tensorState(after.checkpoint!.model).policy;
    expect(layout.map(({ name }) => name)).toContain(kind === "table" ? "logits" : "model.layers.0.self_attn.q_proj.weight");
    expect(sizeOf(layout)).toBe(values.length);
    expect(after.checkpoint!.tokenizer).toMatch(/^11-[0-9a-f]{8}$/);
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "resume" });
    await finished;
    expect(session.all("error")).toEqual([]);
  });
});
