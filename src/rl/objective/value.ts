// The critic's loss: ½·max((V - R)², (clip(V, V_old ± ε) - R)²), mean over the trained tokens of the
// optimizer batch (Schulman et al. 2017; Engstrom et al. 2020, arXiv 2005.12729; verl, TRL).
import type { ObjectiveConfig } from "../../protocol/config/configFacts.ts";
import type { ObjectiveInput } from "./types.ts";

/** Adds valueCoef·dLoss/dV to `grad_K`; returns the weighted loss and how many tokens the clip decided. */
export function valueLoss(
  input: Pick<ObjectiveInput, "values_K" | "oldValues_K" | "returns_K" | "mask_K" | "totals">,
  config: Pick<ObjectiveConfig, "valueCoef" | "valueClip">,
  grad_K: Float64Array,
): { readonly loss: number; readonly clipped: number } {
  const { values_K, oldValues_K, returns_K, mask_K, totals } = input;
  if (!values_K || !oldValues_K || !returns_K) throw new Error("internal: the value loss needs values, old values and returns");
  const range = config.valueClip > 0 ? config.valueClip : Number.POSITIVE_INFINITY;
  const weight = config.valueCoef / Math.max(1, totals.tokens);
  let loss = 0;
  let clipped = 0;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const value = values_K[k]!;
    const old = oldValues_K[k]!;
    const bounded = Math.max(old - range, Math.min(old + range, value));
    const error = value - returns_K[k]!;
    const boundedError = bounded - returns_K[k]!;
    const free = error * error;
    const held = boundedError * boundedError;
    loss += 0.5 * weight * Math.max(free, held);
    if (held > free) clipped += 1;
    // Where the clip decides, the value is out of range and its derivative is 0.
    if (bounded === value || free > held) grad_K[k]! += weight * error;
    else if (free === held) grad_K[k]! += 0.5 * weight * error;
  }
  return { loss, clipped };
}
