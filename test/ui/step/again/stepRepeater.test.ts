// A step that the run's engine has let go of, taken again by an engine of its own.
import { afterEach, describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import type { EngineEvent } from "../../../../src/protocol/messages.ts";
import { createSession } from "../../../../src/train/run/session.ts";
import { EngineClient } from "../../../../src/ui/engine/client.ts";
import type { OpenLink } from "../../../../src/ui/engine/openWorkers.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { StepRepeater } from "../../../../src/ui/step/again/stepRepeater.ts";
import "../../../support/kernels.ts";
import { createNodeHost } from "../../../support/nodeHost.ts";

/** Engines in this process: a client cannot tell them from workers. */
const openHere: OpenLink = ({ onEvents }) => {
  let closed = false;
  const session = createSession((event: EngineEvent) => queueMicrotask(() => !closed && onEvents([event])), createNodeHost());
  return {
    post: (command) => void session.then((engine) => engine.handle(command)),
    close: () => {
      closed = true;
      void session.then((engine) => engine.handle({ id: 0, type: "reset" }));
    },
  };
};

const table: RunConfigInput = { task: "digit-sum", algorithm: "grpo", model: "tabular", steps: 230, evalEvery: 0, measureUpdate: false };
const small: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", threads: 1, backend: "wasm" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 32, learningRate: 0.01, innerEpochs: 2 },
  ...{ promptsPerStep: 2, groupSize: 4, steps: 6, evalEvery: 0, evalProblems: 4, evalSamples: 2 },
};

const open: EngineClient[] = [];
afterEach(() => {
  for (const engine of open.splice(0)) engine.close();
});

/** An engine with a run that has taken all its steps, after a change on its way where one is given. */
async function trained(config: RunConfigInput, changed?: { readonly at: number; readonly learningRate: number }): Promise<EngineClient> {
  const engine = new EngineClient(createRunView());
  open.push(engine);
  engine.connect(openHere);
  await engine.untilUp();
  await engine.request({ type: "start", runId: "run", config, paused: true });
  if (changed) {
    for (let step = 0; step < changed.at; step++) await engine.request({ type: "advance", unit: "step" });
    await engine.request({ type: "set", settings: { learningRate: changed.learningRate } });
  }
  const finished = new Promise<void>((resolve) => {
    engine.view.facts.subscribe(({ state }) => state === "finished" && resolve());
  });
  await engine.request({ type: "resume" });
  await finished;
  return engine;
}

describe("a step taken again", () => {
  it.each([
    ["a logits table that was changed on its way", table, { at: 12, learningRate: 0.02 }, 15],
    ["a transformer", small, undefined, 3],
  ] as const)("of %s is the recorded one, with its rollouts and both sides of its update", async (_, config, changed, step) => {
    const engine = await trained(config, changed);
    const repeater = new StepRepeater(engine, openHere);
    const request = { type: "alternatives", step, promptIndex: 0, trajectoryIndex: 1 } as const;
    await expect(repeater.engineOf(step).request(request)).rejects.toThrow(/gone|no longer kept/);
    await repeater.take(step);
    expect(repeater.facts.getState().at).toMatchObject({ step, reached: step, stage: "there", problem: null, isSame: true });
    const there = engine.view.groups.at(step);
    expect([there?.step, there?.phase, engine.view.groups.isHere(step)]).toEqual([step, "update", true]);
    expect(there?.groups).toHaveLength(there?.summaries.length ?? -1);
    const { alternatives_T } = await repeater.engineOf(step).request(request);
    expect(alternatives_T.flat().every(({ before, after }) => before !== null && after !== null)).toBe(true);
    expect(repeater.engineOf(step + 1)).toBe(engine);
    repeater.giveUp();
    expect(repeater.engineOf(step)).toBe(engine);
  });

  it("says where it came out otherwise than recorded", async () => {
    const engine = await trained(small);
    engine.view.facts.setState(({ config }) => ({ config: config && { ...config, seed: config.seed + 1 } }));
    const repeater = new StepRepeater(engine, openHere);
    await repeater.take(2);
    expect(repeater.facts.getState().at).toMatchObject({ stage: "there", isSame: false });
  });

  it("goes with its run, and says why where it cannot be", async () => {
    const engine = await trained({ ...small, steps: 3 });
    const repeater = new StepRepeater(engine, openHere);
    await repeater.take(1);
    await engine.request({ type: "start", runId: "other", config: { ...small, steps: 3 }, paused: true });
    expect(repeater.facts.getState().at).toBeNull();
    expect(engine.view.groups.isHere(1)).toBe(false);
    engine.view.facts.setState(({ config }) => ({ config: config && { ...config, startFrom: "run" } }));
    await repeater.take(1);
    expect(repeater.facts.getState().at).toMatchObject({ stage: "failed", problem: expect.stringMatching(/weights|run/) });
  });
});
