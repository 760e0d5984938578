// One update moves the policy further than the samples it was computed from can vouch for. How far is
// measured after every update, on the very tokens it was made from; trust-region methods keep it near 0.01
// to 0.03 nats (Schulman et al. 2015, arXiv 1502.05477; the KL targets of Schulman et al. 2017, arXiv 1707.06347).
import { measureText, shareText } from "../../protocol/quantities.ts";
import { meanOf, medianOf } from "../advantage/statistics.ts";
import { shareDifference } from "../verdict/estimate.ts";
import { latest } from "../verdict/history.ts";
import { type Diagnosis, type RunEvidence, thirdOfRate } from "./diagnosis.ts";

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

/** Steps until which a fall is the first updates' doing, the share that it leaves of what was right, and its standard deviations. */
const BY = 3;
const LEFT = 0.25;
const SURELY = 4;

/** How far updates went, where they are measured. */
function farMoves(run: RunEvidence): string | null {
  const updates = Array.from(run.metric("update/kl").values);
  const moves = updates.filter((move) => move > NO_UPDATE);
  const far = moves.filter((move) => move > FAR_NATS);
  const settled = updates.slice(FIRST).filter((move) => move > NO_UPDATE);
  const settledFar = settled.filter((move) => move > FAR_NATS).length;
  // Where it moves no more, the first updates were all there was.
  const isFew = settled.length < SETTLED && settledFar < settled.length;
  if (updates.length < FIRST + FEWEST || isFew || settledFar < FAR_SHARE * settled.length) return null;
  if (moves.length < FEWEST || far.length < FAR_SHARE * moves.length) return null;
  const still = updates.length - moves.length;
  return `${far.length} of ${updates.length} updates moved the policy by more than ${FAR_NATS} nats a token, half of those by more than ${measureText(medianOf(far))}${still > 0 ? `, and ${still} hardly at all` : ""}; up to ${USUAL_NATS} is usual.`;
}

/** What the start knew and the first updates took, reward and right answers alike. */
function lost(run: RunEvidence): string | null {
  const [rights, rewards] = ["success_rate", "reward"].map((key) => Array.from(run.metric(key).values));
  const { promptsPerStep = 0, groupSize = 0 } = run.config;
  const later = rights!.slice(BY - 1);
  if (later.length === 0 || rights!.length !== rewards!.length || promptsPerStep * groupSize === 0) return null;
  const first = rights![0]!;
  const left = meanOf(later);
  // Answers of a group are alike, so that they count half.
  const share = (value: number, steps: number) => {
    const of = (steps * promptsPerStep * groupSize) / 2;
    return { right: value * of, of };
  };
  const [, high] = shareDifference(share(first, 1), share(left, later.length), SURELY);
  if (high >= 0 || left > LEFT * first || meanOf(rewards!.slice(BY - 1)) >= rewards![0]!) return null;
  return `In the first step ${shareText(first)} of the answers were right, and from step ${BY} on ${shareText(left)}: ${BY - 1} updates undid what the start knew.`;
}

export const learningRateTooHigh: Diagnosis = {
  id: "learning-rate-too-high",
  title: "Learning rate too high",
  explains:
    "An update is computed from answers of the policy before it, and is reliable only near that policy. Each of these updates moves the policy so far that its samples say nothing about the new one. The distance is the KL between the policy before and after, in nats a token: 0 is no change at all.",
  leadsTo: ["cut-off", "nothing-earned", "tied-groups"],
  needs: { metrics: ["update/kl"], steps: FIRST + FEWEST },
  find(run) {
    const evidence = farMoves(run) ?? lost(run);
    if (evidence === null) return null;
    const isClipped = latest(run, "clip_ratio/region_mean").length > 0;
    const { innerEpochs: epochs = 1, learningRate = Number.NaN } = run.config;
    const rate = learningRate > 0 ? ` The learning rate is ${learningRate}` : " The learning rate is not recorded";
    return {
      remedy: thirdOfRate(run.config),
      evidence: `${evidence}${rate}${epochs > 1 ? `, used in ${epochs} inner epochs` : ""}${isClipped ? "" : ", and nothing clips the ratio"}.`,
      tries: [
        "A third or a tenth of the learning rate.",
        ...(epochs > 1 ? ["Fewer inner epochs."] : []),
        "More prompts or completions a step: a better estimate allows a longer step.",
        "A KL weight, a smaller gradient clip, or a warm-up.",
      ],
    };
  },
};
