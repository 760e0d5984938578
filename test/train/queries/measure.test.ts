// What an update did is measured when somebody looks, where the run leaves that pass out.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import "../../support/kernels.ts";

const config: RunConfigInput = {
  ...{ task: "digit-sum", model: "transformer", startFrom: "random", threads: 1, backend: "wasm", algorithm: "grpo" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 32, learningRate: 0.01, klCoef: 0 },
  ...{ promptsPerStep: 2, groupSize: 4, steps: 4, evalEvery: 0 },
};

async function begun(measureUpdate: boolean): Promise<DrivenSession> {
  const session = await driveSession();
  await session.send({ type: "start", runId: "a", config: { ...config, measureUpdate }, paused: true });
  return session;
}

async function until(session: DrivenSession, step: number): Promise<void> {
  const paused = session.next("state", ({ state }) => state === "paused" || state === "finished");
  await session.send({ type: "resume", until: step });
  await paused;
}

const newLogprobs = (groups: Awaited<ReturnType<typeof measured>>["groups"]) =>
  groups.flatMap(({ trajectories }) => trajectories.map(({ channels }) => channels.newLogprobs));
const measured = (session: DrivenSession, step: number, orNewer = false) => session.send({ type: "measure", step, orNewer });

describe("an update that is measured when somebody looks", () => {
  it("has the log-probs that a run has which measures every update, and stays as it was", async () => {
    const [always, asked] = [await begun(true), await begun(false)];
    for (const session of [always, asked]) await until(session, 2);
    expect(newLogprobs((await asked.send({ type: "inspect", step: 2 })).groups)).toEqual(new Array(8).fill(null));
    const found = await measured(asked, 2);
    expect(newLogprobs(found.groups)).toEqual(newLogprobs((await always.send({ type: "inspect", step: 2 })).groups));
    // Whoever looks again has it at once.
    expect(newLogprobs((await asked.send({ type: "inspect", step: 2 })).groups)).toEqual(newLogprobs(found.groups));
    for (const session of [always, asked]) await until(session, 3);
    const rewards = (session: DrivenSession) =>
      session.all("steps").flatMap(({ records }) => records.map(({ metrics }) => [metrics.reward, metrics.loss]));
    expect(rewards(asked)).toEqual(rewards(always));
  });

  it("is of an older step where its weights are there, and else none, or the newest", async () => {
    const [always, asked] = [await begun(true), await begun(false)];
    // Step by step the weights that each was sampled with are kept.
    for (const session of [always, asked]) for (let step = 0; step < 3; step++) await session.send({ type: "advance", unit: "step" });
    expect(newLogprobs((await measured(asked, 2)).groups)).toEqual(newLogprobs((await always.send({ type: "inspect", step: 2 })).groups));
    expect(newLogprobs((await measured(asked, 1)).groups)).toEqual(new Array(8).fill(null));
    expect((await measured(asked, 1, true)).step).toBe(3);
    expect((await measured(asked, 2, true)).step).toBe(2);
    await expect(measured(asked, 9)).rejects.toThrow("step 9 is no longer kept for inspection");
  });

  it("is none where the step has not been through its update", async () => {
    const session = await begun(false);
    await session.send({ type: "advance", unit: "phase" });
    expect(newLogprobs((await measured(session, 1)).groups)).toEqual(new Array(8).fill(null));
  });
});
