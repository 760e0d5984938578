// A save that is let go of while a checkpoint is being copied, as by a run that goes on from its own save.
import { describe, expect, it } from "vitest";
import { Autosave } from "../../../src/train/run/autosave.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { prepareRun } from "../../../src/train/start/start.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

async function savedRun(checkpointEvery: number) {
  const store = memoryStore();
  const host = createNodeHost({ store });
  const config = { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 4, evalEvery: 0, checkpointEvery } as const;
  const run = await prepareRun("run", planRun({ config }), host, { onPreparing() {}, async pause() {}, onLost() {} });
  const autosave = new Autosave(run, { clock: host, store }, null, {
    onStored() {},
    onStorage() {},
    onSaved() {},
    isAtRest: () => true,
  });
  for await (const _ of run.trainer.takeStep(() => {}));
  return { autosave, store };
}

describe("a save that is let go of while a checkpoint is copied", () => {
  it.each([
    ["the last step's alone", 0],
    ["every step's", 1],
  ])("ends the copying in peace where %s is kept", async (_, checkpointEvery) => {
    const { autosave, store } = await savedRun(checkpointEvery);
    const copied = autosave.checkpoint();
    autosave.release()?.close();
    await expect(copied).resolves.toBeUndefined();
    await autosave.stored();
    expect([...store.saves.keys()]).toEqual([]);
  });
});
