// The objective on the tape of the model: from weights over logits and scores to the loss in one graph,
// so that a single backward pass serves both and no number has to be read on the way.
import type * as tf from "@tensorflow/tfjs";
import type { ObjectiveTerms } from "../../backend.ts";
import type { ScoreTensors } from "../scoring.ts";
import { tokenTable, toTable } from "../tokenTable.ts";
import { fixedTables } from "./gradient.ts";
import { lossParts, totalLoss } from "./objective.ts";

/** The loss of a piece's scores as a scalar; call inside tf.tidy. `terms` are those of the piece's sequences. */
export function lossOfScores(scores: ScoreTensors, { fixed, config }: ObjectiveTerms): tf.Scalar {
  const table = tokenTable(fixed.sequenceStart_Q);
  const hasCritic = scores.values_K !== null && fixed.oldValues_K !== null && fixed.returns_K !== null;
  const tables = {
    logprobs_QT: toTable(table, scores.logprobs_K),
    entropies_QT: toTable(table, scores.entropies_K),
    values_QT: hasCritic ? toTable(table, scores.values_K!) : null,
  };
  return totalLoss(lossParts(tables, fixedTables(table, fixed), config));
}
