// Nothing is ever clipped: with one update from each batch every ratio is 1 (trl#3120).
import { inSteps, type Signature, valuesOf } from "./signature.ts";

const KEYS = ["clip_ratio/region_mean", "clip_ratio/high_mean", "clip_ratio/low_mean"] as const;

export const clipRatioZero: Signature = {
  id: "clip-ratio-zero",
  title: "Nothing is clipped",
  kind: "normal",
  lesson: "ratio",
  explains:
    "The ratio compares the policy that is updated with the one that sampled. With one update from each batch (TRL: num_iterations 1, verl: ppo_epochs 1 and a minibatch as large as the batch) they are the same, every ratio is 1, and there is nothing to clip. The gradient is that of REINFORCE with the group's advantages.",
  tries: [
    "Nothing, if one update from each batch is meant.",
    "More updates from each batch, if clipping is: then the ratio moves away from 1.",
  ],
  find(run) {
    const key = KEYS.find((each) => valuesOf(run, each).length > 0);
    if (key === undefined) return null;
    const values = valuesOf(run, key);
    if (values.some((value) => value !== 0)) return null;
    const epochs = run.config.innerEpochs;
    // Several updates from a batch move the ratio: there it would be odd.
    if (epochs !== undefined && epochs > 1) return null;
    return `This is no fault: ${inSteps(values.length, values.length).replace(/^In/, "in")} the share of clipped tokens is 0, as it is with one update from each batch${epochs === 1 ? ", which is set here" : ""}.`;
  },
};
