// Steps that are faster than storage: whoever asks for such a run while it goes on has an answer.
import { expect, it } from "vitest";
import type { OpenSave, RunStore } from "../../../src/train/host.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

it("a run that goes on faster than storage is read as far as it had come", async () => {
  const store = memoryStore();
  const slow: RunStore = {
    ...store,
    open: async (runId) => {
      const save = await store.open(runId);
      const write: OpenSave["write"] = (change) => new Promise<void>((resolve) => setTimeout(resolve, 40)).then(() => save!.write(change));
      return save && { ...save, write };
    },
  };
  const session = await driveSession({ store: slow });
  await session.send({
    type: "start",
    runId: "fast",
    config: { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 0, evalEvery: 0 },
  });
  for (let asked = 0; asked < 3; asked++) {
    const before = session.all("steps").at(-1)?.records.at(-1)?.step ?? 0;
    const { steps } = await session.send({ type: "records", runId: "fast" });
    expect(steps.at(-1)?.step ?? 0).toBeGreaterThanOrEqual(before);
    await session.next("steps");
  }
  await session.send({ type: "fork", runId: "fast", step: 5, forkAs: "fork", paused: true });
  expect(session.all("error")).toEqual([]);
});
