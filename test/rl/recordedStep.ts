// A step of a real run with all that was recorded of it, for tests of what is derived from records.
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { StepGroups } from "../../src/protocol/messages.ts";
import { driveSession } from "../support/driveSession.ts";

/** All groups of one step of a run on the digit sum, and the settings it was taken under. */
export async function recordedStep(config: RunConfigInput, step = 3): Promise<StepGroups> {
  const session = await driveSession();
  const finished = session.next("state", ({ state }) => state === "finished" || state === "failed");
  await session.send({
    type: "start",
    runId: "run",
    // The start is measured whatever is asked for: here with one answer, which nothing that is recorded of a step depends on.
    config: { task: "digit-sum", steps: step, evalEvery: 0, evalProblems: 1, evalSamples: 1, promptsPerStep: 3, groupSize: 6, ...config },
  });
  await finished;
  const [error] = session.all("error");
  if (error) throw new Error(error.message);
  return session.send({ type: "inspect", step });
}

/** A transformer of some thousand weights. */
export const SMALL_TRANSFORMER: RunConfigInput = {
  model: "transformer",
  startFrom: "random",
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 2,
  intermediateSize: 32,
  backend: "wasm",
  threads: 1,
  learningRate: 0.02,
};

/** The same with a critic, on answers that it hardly ever ends by itself. */
export const CUT_OFF: RunConfigInput = {
  ...SMALL_TRANSFORMER,
  task: "boxed-arithmetic",
  algorithm: "ppo",
  rewardRules: { lengthTarget: { target: 2 } },
  promptsPerStep: 2,
  groupSize: 3,
  maxCompletionTokens: 5,
  klCoef: 0,
  whitenAdvantages: false,
};
