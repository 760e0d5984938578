// A run of the lab on SkyRL, a server of the Tinker API: log-probs, one step and forty, beside the lab's own.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { type Check, hold, type Interop } from "../check.ts";
import { oneStepBeside } from "./oneStep.ts";
import { type Skyrl, withSkyrl } from "./skyrl.ts";

/** What a step may differ by, as a share of what it changes. */
const STEP_SHARE = 1e-3;
const LOGPROB_NATS = 1e-4;
const [STEPS, GAIN] = [40, 0.2];
/** Steps whose mean is the reward at the start and at the end. */
const ENDS = 4;

const onSkyrl = (checkpoint: string): RunConfigInput => ({
  ...{ task: "boxed-arithmetic", algorithm: "grpo", startFrom: "checkpoint", checkpoint, maxCompletionTokens: 24 },
  ...{ loraRank: 8, loraAlpha: 32, klCoef: 0, learningRate: 1e-3, promptsPerStep: 16, groupSize: 8, measureUpdate: false },
});

/** Rewards of a run's steps, and how it did on held-out problems before and after. */
async function trained({ folder, lab }: Interop, { url }: Skyrl, config: RunConfigInput, seed: number) {
  const name = `seed-${seed}`;
  const whole = { ...config, seed, steps: STEPS, backend: "tinker", evalEvery: STEPS, evalProblems: 64, evalSamples: 2 };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(whole));
  const told = await lab("train", `${name}.json`, "--url", url, "--out", name);
  const rewards = readFileSync(join(folder, name, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly reward: number }).reward);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { first: mean(rewards.slice(0, ENDS)), last: mean(rewards.slice(-ENDS)), lift: told.lift as number };
}

const points = (share: number): string => `${(100 * share).toFixed(1)} points`;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const PACKAGES = ["skyrl", "jax", "torch"];

export const skyrlStep: Check = {
  name: "tinker-step",
  title: "Log-probs and a step on SkyRL, a server of the Tinker API",
  packages: PACKAGES,
  run: (interop) =>
    withSkyrl(interop, async (skyrl, checkpoint) => {
      const seen = await oneStepBeside(interop, skyrl, { ...onSkyrl(checkpoint), steps: 1, seed: 1, promptsPerStep: 8 });
      const { sequences, tokens, before, change, apart, share } = seen;
      hold(before <= LOGPROB_NATS, `log-probs differ by ${before.toExponential(1)} nats`);
      hold(share <= STEP_SHARE, `the changes of one step differ by ${share.toExponential(1)} of what they are`);
      return (
        `SkyRL on JAX's CPU backend has the lab's checkpoint of arithmetic in float32. ${tokens} log-probs of ${sequences} sequences that it sampled differ from the lab's by at most ${before.toExponential(1)} nats. ` +
        `The same step from these rollouts, with the same initial adapters (rank 8, read from what the server hands its sampler) and the lab's objective, changes log-probs there as it does here but for ${share.toExponential(1)} of the change (length of the difference; a single log-prob changes by up to ${change.toFixed(2)} nats, and two changes differ by at most ${apart.toExponential(1)}).`
      );
    }),
};

export const skyrlRun: Check = {
  name: "tinker-run",
  title: "Forty steps on SkyRL",
  packages: PACKAGES,
  run: (interop) =>
    withSkyrl(interop, async (skyrl, checkpoint) => {
      const { first, last, lift } = await trained(interop, skyrl, onSkyrl(checkpoint), 0);
      hold(last - first >= GAIN, `the reward goes from ${percent(first)} to ${percent(last)} in ${STEPS} steps`);
      return `In ${STEPS} steps of 128 completions the mean reward goes from ${percent(first)} (first ${ENDS} steps) to ${percent(last)} (last ${ENDS}), and accuracy on held-out problems up by ${points(lift)}; one seed.`;
    }),
};
