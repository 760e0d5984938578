// The critic's loss: ½·max((V - R)², (clip(V, V_old ± ε) - R)²), mean over the trained tokens of the
// optimizer batch (arXiv 1707.06347; arXiv 2005.12729).
import * as tf from "@tensorflow/tfjs";
import type { ObjectiveConfig } from "../../../rl/objective/types.ts";
import { greater } from "./held.ts";
import type { FixedTables, ScoreTables } from "./types.ts";

/** The critic's loss times valueCoef; needs values, old values and returns. */
export function valueLoss(scores: ScoreTables, fixed: FixedTables, config: Pick<ObjectiveConfig, "valueCoef" | "valueClip">): tf.Tensor {
  const { values_QT } = scores;
  const { oldValues_QT, returns_QT, mask_QT, totals } = fixed;
  if (!values_QT || !oldValues_QT || !returns_QT) throw new Error("internal: the value loss needs values, old values and returns");
  const free_QT = tf.square(tf.sub(values_QT, returns_QT));
  const range = config.valueClip;
  const clipped_QT = tf.maximum(tf.minimum(values_QT, tf.add(oldValues_QT, range)), tf.sub(oldValues_QT, range));
  const error_QT = range > 0 ? greater(free_QT, tf.square(tf.sub(clipped_QT, returns_QT))) : free_QT;
  return tf.mul(tf.sum(tf.mul(error_QT, mask_QT)), (0.5 * config.valueCoef) / Math.max(1, totals.tokens));
}
