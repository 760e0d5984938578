// One update moves the policy further than the samples it was computed from can vouch for. How far is
// measured after every update, on the very tokens it was made from; trust-region methods keep it near 0.01
// to 0.03 nats (Schulman et al. 2015, arXiv 1502.05477; the KL targets of Schulman et al. 2017, arXiv 1707.06347).
import { measureText } from "../../protocol/quantities.ts";
import { medianOf } from "../advantage/statistics.ts";
import { latest } from "../verdict/history.ts";
import { type Diagnosis, thirdOf } from "./diagnosis.ts";

const FEWEST = 2;
const USUAL_NATS = 0.03;
const FAR_NATS = 0.1;
const FAR_SHARE = 0.25;
/** Adam's first updates have its full length whatever the gradient, and say little of those to come. */
const FIRST = 2;
/** Later updates of which a quarter say enough; of fewer, all must have gone far. */
const SETTLED = 6;
/** Updates of nothing, as of groups without spread, say nothing about the step size. */
const NO_UPDATE = 1e-4;

export const learningRateTooHigh: Diagnosis = {
  id: "learning-rate-too-high",
  title: "Learning rate too high",
  explains:
    "An update is worked out from answers of the policy before it, and says where to go only near that policy. Each of these updates moves it so far that the samples say nothing about where it arrives. How far is the KL between the policy before and after, in nats a token: 0 is no change at all.",
  find(history) {
    const updates = Array.from(history.metric("update/kl").values);
    const moves = updates.filter((move) => move > NO_UPDATE);
    const far = moves.filter((move) => move > FAR_NATS);
    const settled = updates.slice(FIRST).filter((move) => move > NO_UPDATE);
    const settledFar = settled.filter((move) => move > FAR_NATS).length;
    // Where it moves no more, the first updates were all there was.
    const isFew = settled.length < SETTLED && settledFar < settled.length;
    if (
      updates.length < FIRST + FEWEST ||
      isFew ||
      settledFar < FAR_SHARE * settled.length ||
      moves.length < FEWEST ||
      far.length < FAR_SHARE * moves.length
    )
      return null;
    const clipped = latest(history, "clip_ratio/region_mean");
    const { innerEpochs: epochs = 1, learningRate = Number.NaN } = history.config;
    const still = updates.length - moves.length;
    return {
      remedy: learningRate > 0 ? { settings: { learningRate: thirdOf(learningRate) } } : null,
      evidence: `${far.length} of ${updates.length} updates moved the policy by more than ${FAR_NATS} nats a token, half of those by more than ${measureText(medianOf(far))}${still > 0 ? `, and ${still} hardly at all` : ""}; up to ${USUAL_NATS} is usual.${learningRate > 0 ? ` The learning rate is ${learningRate}` : " The learning rate is not recorded"}${epochs > 1 ? `, used in ${epochs} inner epochs` : ""}${clipped.length > 0 ? "" : ", and nothing clips the ratio"}.`,
      tries: [
        "A third or a tenth of the learning rate.",
        ...(epochs > 1 ? ["Fewer inner epochs."] : []),
        "More prompts or completions a step: a better estimate bears a longer step.",
        "A KL weight, a smaller gradient clip, or a warm-up.",
      ],
    };
  },
};
