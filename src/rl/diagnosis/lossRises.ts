// Training on worked examples makes them likelier, so that its loss, the mean surprise at their tokens, comes down. Where it goes up, a
// step is longer than the slope that it follows holds.
import { measureText } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import type { Change, Level } from "../verdict/rewardTrend.ts";
import { type Diagnosis, type RunEvidence, thirdOfRate } from "./diagnosis.ts";
import { changeByThirds } from "./recent.ts";

/** Steps of a half at least, and how many times the loss of the start is far above it. */
const FEWEST = 2;
const FAR = 1.5;

/** Half the steps and more, each far above the loss that the start had. */
function overStart({ metric }: RunEvidence): Change | null {
  const { steps, values } = metric("loss");
  const losses = Array.from(values);
  const half = Math.floor(losses.length / 2);
  const late = losses.slice(half);
  if (half < FEWEST || late.some((loss) => loss < FAR * losses[0]!)) return null;
  return {
    from: { value: losses[0]!, first: steps[0]!, last: steps[0]! },
    to: { value: meanOf(late), first: steps[half]!, last: steps[losses.length - 1]! },
  };
}

const atSteps = ({ first, last }: Level): string => (first === last ? `step ${first}` : `mean of steps ${first} to ${last}`);

export const lossRises: Diagnosis = {
  id: "loss-rises",
  title: "The loss rises",
  explains:
    "The loss of supervised training is how surprised the model is by the worked examples, in nats a token. Each step should lower it. Steps that are too long jump past the minimum, and the model gets worse at the examples.",
  isSupervised: true,
  needs: { metrics: ["loss"], steps: 2 * FEWEST },
  find(run) {
    const rise = changeByThirds(run, "loss").rise ?? changeByThirds(run, "loss", "middle").rise ?? overStart(run);
    if (!rise) return null;
    const { learningRate } = run.config;
    return {
      isCause: true,
      remedy: thirdOfRate(run.config),
      evidence: `The loss went from ${measureText(rise.from.value)} nats a token (${atSteps(rise.from)}) to ${measureText(rise.to.value)} (${atSteps(rise.to)})${learningRate === undefined ? "" : `, at a learning rate of ${learningRate}`}.`,
      tries: ["A third or a tenth of the learning rate.", "A warm-up, or a smaller gradient clip.", "More worked examples in a step."],
    };
  },
};
