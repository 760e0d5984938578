// An update that is stopped at each of its parts: where it stands, what it shows, and that it ends at the weights
// of an update that nobody looked into.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { type StepGroups, UPDATE_PARTS } from "../../../src/protocol/messages.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import "../../support/kernels.ts";

const transformer: RunConfigInput = {
  ...{ task: "digit-sum", model: "transformer", startFrom: "random", threads: 1, backend: "wasm", optimizer: "adamw" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 32, learningRate: 0.01 },
  ...{ promptsPerStep: 2, groupSize: 4, steps: 2, evalEvery: 0, evalProblems: 4, evalSamples: 2 },
};
const cases: readonly (readonly [string, RunConfigInput])[] = [
  ["GRPO in two epochs of two minibatches", { ...transformer, algorithm: "grpo", klCoef: 0.1, innerEpochs: 2, minibatches: 2 }],
  ["PPO with a critic", { ...transformer, algorithm: "ppo", innerEpochs: 2 }],
  ["GSPO", { ...transformer, algorithm: "gspo", innerEpochs: 2 }],
];

async function begun(config: RunConfigInput): Promise<DrivenSession> {
  const session = await driveSession();
  await session.send({ type: "start", runId: "a", config, paused: true });
  return session;
}

async function weightsOf(session: DrivenSession): Promise<Uint8Array> {
  const files = await session.send({ type: "export-model" });
  return files.find(({ name }) => name === "model.safetensors")!.bytes;
}

/** All that is recorded of a run's steps but the time they took. */
const recorded = (session: DrivenSession) =>
  session
    .all("steps")
    .flatMap(({ records }) => records)
    .map(({ step, metrics }) => [step, metrics.reward, metrics.loss, metrics.grad_norm, metrics.kl, metrics.entropy]);

/** Takes parts until a run has finished this many steps; returns what stood there after each. */
async function inParts(session: DrivenSession, steps: number): Promise<readonly StepGroups[]> {
  const places: StepGroups[] = [];
  while ((session.all("steps").at(-1)?.records.at(-1)?.step ?? 0) < steps) {
    await session.send({ type: "advance", unit: "part" });
    places.push(session.all("groups").at(-1)!);
    if (session.all("state").at(-1)?.state === "finished") break;
    // The record of a finished step is told with the next part.
    if (places.length > 200) throw new Error("the step did not end");
  }
  return places;
}

describe.each(cases)("an opened update of %s", (_, config) => {
  it("ends at the same weights to the bit, with the same records", async () => {
    const plain = await begun(config);
    for (let step = 0; step < 2; step++) await plain.send({ type: "advance", unit: "step" });
    const opened = await begun(config);
    await inParts(opened, 1);
    await opened.send({ type: "advance", unit: "step" });
    expect(recorded(opened)).toEqual(recorded(plain));
    expect(await weightsOf(opened)).toEqual(await weightsOf(plain));
  });

  it("stands at every part of every optimizer step, in order, with its figures", async () => {
    const session = await begun(config);
    const places = (await inParts(session, 1)).flatMap(({ opened, step }) => (opened && step === 1 ? [opened] : []));
    const { epochs, minibatches } = places[0]!;
    expect(places.map(({ part, epoch, minibatch }) => [epoch, minibatch, part])).toEqual(
      Array.from({ length: epochs }, (__, epoch) =>
        Array.from({ length: minibatches }, (___, minibatch) => UPDATE_PARTS.map((part) => [epoch + 1, minibatch + 1, part])),
      ).flat(2),
    );
    for (const { metrics, epoch, minibatch } of places) {
      expect(metrics.grad_norm).toBeGreaterThan(0);
      expect(Number.isFinite(metrics.loss)).toBe(true);
      // Before the first optimizer step nothing has moved.
      if (epoch === 1 && minibatch === 1) expect(metrics["ratio/max"]).toBeCloseTo(1, 4);
    }
  });
});

describe("an update that stands on its way", () => {
  const config = cases[0]![1];

  it("goes on to the end of its phase when a phase is asked for", async () => {
    const session = await begun(config);
    for (let part = 0; part < 4; part++) await session.send({ type: "advance", unit: "part" });
    expect(session.all("groups").at(-1)).toMatchObject({ phase: "advantage", opened: { part: "ratio", epoch: 1, minibatch: 1 } });
    expect(session.all("phase").at(-1)).toMatchObject({ phase: "update", done: 0, total: 4 });
    await session.send({ type: "advance", unit: "phase" });
    const last = session.all("groups").at(-1)!;
    expect([last.phase, last.opened]).toEqual(["update", undefined]);
  });

  it("shows the weights of now as those after it once the optimizer has stepped", async () => {
    const session = await begun(config);
    const ask = { type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 0 } as const;
    for (let part = 0; part < 6; part++) await session.send({ type: "advance", unit: "part" });
    const before = await session.send(ask);
    expect(before.alternatives_T[0]![0]!.after).toBeNull();
    await session.send({ type: "advance", unit: "part" });
    const after = await session.send(ask);
    const [first] = after.alternatives_T[0]!;
    expect(first!.after).not.toBe(first!.before);
    expect(first!.before).not.toBeNull();
  });
});
