// Sums and differences answered in \boxed{}: evaluated before the first step and every 10 steps, with pass@k, and
// the best checkpoint kept as a file that the page and the command line open.
// Usage: node examples/boxedArithmetic.mjs [STEPS]
import { writeFile } from "node:fs/promises";
import { trainRun } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const steps = Number(process.argv[2] ?? 40);
const percent = (share) => `${(100 * share).toFixed(0)} %`;

const config = {
  task: "boxed-arithmetic", // starts from the shipped checkpoint, which knows the form
  algorithm: "grpo",
  seed: 0,
  steps,
  promptsPerStep: 8,
  groupSize: 8,
  learningRate: 5e-4,
  klCoef: 0.001,
  evalEvery: Math.min(steps, 10),
  evalProblems: 64, // held out: never among those that are trained on
  evalSamples: 4, // sampled answers to each, for pass@1, pass@2 and pass@4
};

const run = await trainRun(config, createNodeHost(), {
  keepBest: true,
  onStep: ({ step, metrics }) => console.log(`step ${step}  reward ${metrics.reward.toFixed(3)}  KL ${metrics.kl.toFixed(4)}`),
  onEvaluation({ step, sampledAccuracy, sampledInterval: [low, high], greedyAccuracy, passAtK }) {
    const pass = Object.entries(passAtK).map(([k, share]) => `pass@${k} ${percent(share)}`);
    console.log(
      `after ${step}: sampled ${percent(sampledAccuracy)} (${percent(low)} to ${percent(high)}), greedy ${percent(greedyAccuracy)}`,
    );
    console.log(`  ${pass.join(", ")}`);
  },
});

const { evaluation, save } = run.best;
// Where nothing was better than the start there is nothing to keep.
if (save) await writeFile("boxed-arithmetic.rollout", save.bytes);
const where = save ? "in boxed-arithmetic.rollout" : "the start";
console.log(`${run.backend.title}: ${run.seconds.toFixed(1)} s; best after ${evaluation.step} steps, ${where}`);
// Kernel threads may still be there.
process.exit(0);
