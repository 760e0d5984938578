// A KL term holds the policy near its reference. Near it the divergence of a token is half the squared log-ratio, so that a KL of d
// nats a token comes from log-ratios of about √(2d), and the term pulls each log-prob back with β √(2d), where the reward pushes
// with the token's advantage. Taken off the reward, it spreads the rewards of answers of L tokens by β √(2dL). Where the pull is the larger
// one, the reward no longer decides where the policy goes.
import { measureText, roundedSetting } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest } from "../verdict/history.ts";
import { type Diagnosis, type RunEvidence, SIZES } from "./diagnosis.ts";
import { recentOf } from "./recent.ts";

/**
 * From this share of the push the pull decides: the pushes of a group are for and against the same tokens and mostly take each other
 * back, and the pull has one direction. The usual weights stay below a quarter.
 */
const DECIDES = 0.5;
/** The pull is left this share of the push by what is tried first. */
const LEFT = 0.1;

/** How hard the KL term pulls and the reward pushes, in the same unit; NaN where one is not known. */
function forces(run: RunEvidence): { readonly weight: number; readonly kl: number; readonly pull: number; readonly push: number } {
  // Before the first update the policy is its reference.
  const kl = meanOf(latest(run, "kl").filter((each) => each > 0));
  const told = latest(run, "kl_coef");
  const weight = told.length > 0 ? meanOf(told) : (run.config.klCoef ?? Number.NaN);
  const ratio = Math.sqrt(2 * Math.max(0, kl));
  // Tied groups push nowhere, which is another cause: what counts is how hard the others push.
  const tied = latest(run, "frac_reward_zero_std");
  const pushing = tied.length > 0 ? 1 - meanOf(tied) : 1;
  if (run.config.klPlacement !== "reward")
    return { weight, kl, pull: weight * ratio, push: meanOf(latest(run, "advantages/std")) / Math.sqrt(pushing) };
  const length = meanOf(latest(run, "completions/mean_length"));
  return { weight, kl, pull: weight * ratio * Math.sqrt(length), push: meanOf(latest(run, "reward/group_std")) / pushing };
}

export const klOutweighs: Diagnosis = {
  id: "kl-outweighs",
  title: "The KL term outweighs the reward",
  explains:
    "Two forces move the policy: the reward pushes it to better answers, and the KL term pulls it back to its reference, harder with distance. If the pull is stronger than the push, the policy stays where it was, even if other answers earn more.",
  leadsTo: ["tied-groups", "near-misses"],
  needs: { metrics: ["reward", "kl", "advantages/std"], settings: ["klCoef", ...SIZES] },
  find(run) {
    const recent = recentOf(run);
    const { weight, kl, pull, push } = forces(run);
    if (!recent || !(kl > 0) || !(push > 0) || !(pull > DECIDES * push)) return null;
    const { klCoef, klTarget = 0, klPlacement } = run.config;
    const lower = roundedSetting((weight * LEFT * push) / pull, 1);
    const isInReward = klPlacement === "reward";
    const settings = klTarget > 0 ? { klTarget: Math.min(10, roundedSetting(10 * klTarget)) } : { klCoef: lower };
    return {
      isCause: true,
      remedy: klCoef === undefined ? null : { settings },
      evidence: `${recent.when} the policy was ${measureText(kl)} nats a token from its reference, under a KL weight of ${measureText(weight)}. That ${isInReward ? `spreads the rewards of answers by about ${measureText(pull)}, where the task's own rewards spread by ${measureText(push)} in a group whose answers differ` : `pulls each token back with about ${measureText(pull)}, where its advantage pushes with ${measureText(push)}`}.`,
      tries: [
        klTarget > 0
          ? "A higher KL target, so that the weight comes down by itself."
          : `A KL weight of ${lower}, at which a tenth of the push is lost.`,
        "No KL term at all, where the reward cannot be cheated.",
        "A reference that is refreshed now and then.",
      ],
    };
  },
};
