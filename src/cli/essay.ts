// Runs the loop of train/grpo.ts on the smallest task there is: four digits whose sum is 18, from a table
// of 40 logits. Prints the mean reward on its way from chance to nearly 1.
import { digitsRenderer } from "../model/renderers/digits.ts";
import { TabularModel } from "../model/tabularModel.ts";
import { Random } from "../rl/random.ts";
import { weightedReward } from "../rl/rewards/weightedReward.ts";
import { digitSum } from "../rl/tasks/digitSum.ts";
import { type GrpoSettings, grpo } from "../train/grpo.ts";

const STEPS = 300;
const PRINTED_EVERY = 25;

const settings: GrpoSettings = {
  prompts: 1,
  groupSize: 24,
  maxNewTokens: 4,
  temperature: 1,
  clip: 0.2,
  klCoef: 0.001,
  innerEpochs: 1,
  optimizer: { kind: "adamw", learningRate: 0.05, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, maxGradNorm: 1 },
  microBatchTokens: 2048,
};

const task = digitSum.create({ length: 4, target: 18 }, 0);
const parts = {
  model: new TabularModel(4, 10),
  loader: task.trainLoader(),
  envs: task.envs,
  renderer: digitsRenderer,
  rewards: weightedReward(task, {}),
  random: new Random(0),
};

for await (const { step, meanReward, loss, gradNorm } of grpo(parts, settings)) {
  if (step % PRINTED_EVERY === 0)
    console.log(`step ${step}  reward ${meanReward.toFixed(3)}  loss ${loss.toFixed(4)}  gradient norm ${gradNorm.toFixed(4)}`);
  if (step === STEPS) break;
}
