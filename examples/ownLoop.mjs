// A loop of one's own: the library samples, scores and carries a gradient back; what is done with the rewards
// stands here. It is REINFORCE with the mean of the others in the group as baseline (RLOO).
// Usage: node examples/ownLoop.mjs [STEPS]
import { generate, openModel, packGroups, Random, scoreGroups } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const steps = Number(process.argv[2] ?? 30);
const [PROMPTS, GROUP, TEMPERATURE] = [8, 8, 1];

const { config, model, task, renderer, rewards } = await openModel({ task: "boxed-arithmetic", seed: 0 }, createNodeHost());
const loader = task.trainLoader();
const random = new Random(0);
const optimizer = { kind: "adamw", learningRate: 3e-4, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, maxGradNorm: 1 };

for (let step = 1; step <= steps; step++) {
  // 1. Roll out: one group of finished conversations for each problem.
  const groups = await generate({ policy: model.policy(), envs: task.envs, renderer }, loader.next(PROMPTS), {
    ...{ copies: GROUP, maxNewTokens: config.maxCompletionTokens, maxTurns: task.maxTurns ?? 1 },
    ...{ temperature: TEMPERATURE, topK: 0, topP: 1, minP: 0, random },
  });

  // 2. Score, and compare each conversation with the mean of the others about its problem.
  const judged = await scoreGroups(groups, rewards, config);
  const scores = judged.map((group) => group.map(({ total }) => total ?? 0));
  const advantages = scores.flatMap((group) => {
    const sum = group.reduce((total, reward) => total + reward, 0);
    return group.map((reward) => reward - (sum - reward) / (group.length - 1));
  });

  // 3. Lay all sequences end to end: each prompt once, its completions behind it.
  const batch = packGroups(
    groups.map(({ trajectories }) => ({
      promptTokens: trajectories[0].promptTokens,
      completions: trajectories.map(({ tokens }) => tokens),
      masks: trajectories.map(({ mask }) => mask),
    })),
    TEMPERATURE,
  );

  // 4. Update. The objective gets log-probs of whole sequences and returns the derivative of the loss with
  //    respect to each: here loss = -1/Q sum of advantage times log-prob.
  const total = advantages.length;
  const { gradNorm } = await model.update({
    batch,
    objective({ logprobs_K }, { firstSequence, lastSequence, firstToken }) {
      const gradient = new Float32Array(logprobs_K.length);
      for (let q = firstSequence; q < lastSequence; q++)
        for (let k = batch.sequenceStart_Q[q]; k < batch.sequenceStart_Q[q + 1]; k++) gradient[k - firstToken] = -advantages[q] / total;
      return { logprobs_K: gradient, entropies_K: null, values_K: null };
    },
    ...{ exactKlCoef: 0, optimizer, microBatchTokens: 2048 },
  });

  const mean = scores.flat().reduce((sum, reward) => sum + reward, 0) / total;
  console.log(`step ${step}  reward ${mean.toFixed(3)}  gradient norm ${gradNorm.toFixed(3)}`);
}
process.exit(0);
