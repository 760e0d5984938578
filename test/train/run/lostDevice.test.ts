// A GPU that goes away in the middle of a run: the session says so once, keeps the last save, and goes
// on from it on another backend.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { driveSession } from "../../support/driveSession.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { isLong } from "../../support/long.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { watchDevices } from "../../support/watchedGpu.ts";

vi.setConfig({ testTimeout: 120_000 });
const { gpu, skip } = await gpuForTests();

const smallRun: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16 },
  ...{ groupSize: 2, promptsPerStep: 1, steps: 0, evalEvery: 0, evalProblems: 4, autosaveEvery: 1 },
};

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => process.off("unhandledRejection", note));

/** Long enough for a promise nobody waits for to be reported. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

const lent: GPUDevice[] = [];

/** TensorFlow.js asks the global navigator for its GPU, and keeps a device that works for the next to come. */
function watchAll(onDevice: (device: GPUDevice) => void = () => undefined) {
  const { gpu: watched, devices } = watchDevices(gpu!, (device) => {
    lent.push(device);
    onDevice(device);
  });
  Object.defineProperty(globalThis, "navigator", { value: { ...navigator, gpu: watched }, configurable: true });
  return { gpu: watched, devices };
}

afterEach(async () => {
  for (const device of lent.splice(0)) {
    device.destroy();
    await device.lost;
  }
});

describe.skipIf(skip !== undefined).each(["webgpu", "tfjs-webgpu"] as const)(
  `a lost GPU device under %s${skip ? ` (skipped: ${skip})` : ""}`,
  (backend) => {
    const config: RunConfigInput = { ...smallRun, backend };

    it.each(isLong || backend === "webgpu" ? ["sample", "update"] : ["update"])(
      "in the middle of %s fails the run once, keeps its save, and another backend goes on",
      async (phase) => {
        const { gpu: watched, devices } = watchAll();
        const store = memoryStore();
        const session = await driveSession({ gpu: watched, store });
        const saved = session.next("saved", ({ step }) => step > 0);
        await session.send({ type: "start", runId: "run", config });
        await saved;
        const failed = session.next("state", ({ state }) => state === "failed");
        await session.next("phase", (event) => event.phase === phase);
        devices.at(-1)!.destroy();
        const { reason } = await failed;
        expect(reason).toMatch(/^The GPU device was lost \(.*destroyed.*\)\. The run can go on from its last save\.$/);
        expect(session.all("error")).toEqual([{ type: "error", runId: "run", message: reason, recoverable: false }]);
        await settle();
        // A save of the step before may still come to its end.
        expect(session.events.filter(({ type }) => type !== "saved").at(-1)).toMatchObject({ type: "state", state: "failed" });

        await session.send({ type: "save" });
        const kept = store.saves.get("run")!;
        const { step } = kept.summary;
        await session.send({ type: "pause" });
        for (const type of ["resume", "stop", "resume"] as const)
          await expect(session.send({ type })).rejects.toThrow("the run has failed");
        expect(session.all("state").at(-1)?.state).toBe("failed");
        expect(store.saves.get("run")).toBe(kept);

        const started = session.next("started");
        const next = session.next("steps");
        await session.send({ type: "continue", runId: "run", backend: "wasm" });
        expect(await started).toMatchObject({ step, continued: true, backend: { id: "wasm" }, config: { backend: "wasm" } });
        expect((await next).records[0]?.step).toBe(step + 1);
        await session.send({ type: "reset" });
        expect(session.all("error").filter(({ recoverable }) => !recoverable)).toHaveLength(1);
        expect(unhandled).toEqual([]);
      },
    );

    it("while the run is paused fails it too", async () => {
      const { gpu: watched, devices } = watchAll();
      const session = await driveSession({ gpu: watched });
      await session.send({ type: "start", runId: "run", config, paused: true });
      const failed = session.next("state", ({ state }) => state === "failed");
      devices.at(-1)!.destroy();
      expect((await failed).reason).toContain("The GPU device was lost");
    });

    it("is not what the end of a run looks like", async () => {
      const { gpu: watched } = watchAll();
      const session = await driveSession({ gpu: watched });
      const saved = session.next("steps");
      await session.send({ type: "start", runId: "run", config });
      await saved;
      await session.send({ type: "reset" });
      await settle();
      expect(session.all("error")).toEqual([]);
      expect(session.all("state").at(-1)?.state).toBe("idle");
    });

    it("while the run is being prepared means that it does not start", async () => {
      const { gpu: watched } = watchAll((device) => device.destroy());
      const session = await driveSession({ gpu: watched });
      const begun = session.send({ type: "start", runId: "run", config });
      await expect(begun).rejects.toThrow(`backend ${backend} cannot be used here: `);
      expect(session.all("error")).toEqual([]);
      expect(session.all("state").at(-1)?.state).toBe("idle");
      await settle();
      expect(unhandled).toEqual([]);
    });
  },
);
