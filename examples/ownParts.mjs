// Every part of the trainer replaced by one's own: the tasks' conversations with tools, several turns each, a generator that
// counts what it makes, and an algorithm as two functions. Here each turn that calls a tool has no advantage: only what the
// policy says of the results is trained, by REINFORCE against the mean of the others (RLOO).
// Usage: node examples/ownParts.mjs [STEPS]
import { generate, openModel, Random, trainParts } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const steps = Number(process.argv[2] ?? 20);
const { config, model, task, renderer, rewards } = await openModel({ task: "calculator", seed: 0 }, createNodeHost());

let made = 0;
const generator = async (parts, examples, options) => {
  const groups = await generate(parts, examples, options);
  made += groups.length * options.copies;
  return groups;
};

/** Of each sampled token of a conversation 1 where it is in the last turn. */
const inLastTurn = ({ mask }) => {
  const last = mask.lastIndexOf(0);
  return mask.flatMap((sampled, t) => (sampled ? [t > last ? 1 : 0] : []));
};

const leaveOneOut = {
  advantages({ rewards_P_G, trajectories_Q }) {
    const compared_Q = rewards_P_G.flatMap((group) => {
      const totals = group.map(({ total }) => total ?? 0);
      const sum = totals.reduce((a, b) => a + b, 0);
      return totals.map((total) => total - (sum - total) / (totals.length - 1));
    });
    return trajectories_Q.flatMap((trajectory, q) => inLastTurn(trajectory).map((counts) => counts * compared_Q[q]));
  },
  // loss = -1/K sum of advantage times log-prob over the tokens of a micro-batch.
  objective({ sequenceStart_Q }, advantages_K, { logprobs_K }, { firstSequence, lastSequence, firstToken }) {
    const gradient_K = new Float32Array(logprobs_K.length);
    let loss = 0;
    for (let k = sequenceStart_Q[firstSequence]; k < sequenceStart_Q[lastSequence]; k++) {
      const weight = -advantages_K[k] / advantages_K.length;
      loss += weight * logprobs_K[k - firstToken];
      gradient_K[k - firstToken] = weight;
    }
    return { loss, gradients: { logprobs_K: gradient_K, entropies_K: null, values_K: null } };
  },
};

const parts = {
  model,
  loader: task.trainLoader(),
  envs: task.envs,
  renderer,
  rewards,
  random: new Random(0),
  algorithm: leaveOneOut,
  generator,
};
const loop = trainParts(parts, {
  ...{ prompts: 8, groupSize: 8, maxNewTokens: config.maxCompletionTokens, maxTurns: task.maxTurns ?? 1, temperature: 1 },
  optimizer: { kind: "adamw", learningRate: 3e-4, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, maxGradNorm: 1 },
});
for await (const { step, meanReward, loss } of loop) {
  console.log(`step ${step}  reward ${meanReward.toFixed(3)}  loss ${loss.toFixed(4)}  ${made} conversations so far`);
  if (step === steps) break;
}
process.exit(0);
