// An update that is looked into on its way: what a minibatch's ratios, loss and gradient are before its
// optimizer step, and the stops at which that is shown. The measurement is a pass of its own and leaves the
// model as it is, so an update that was opened ends at the same weights, to the bit.
import type { AnyModel, GradientRequest } from "../../../model/model.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { UpdatePart, UpdatePlace } from "../../../protocol/messages.ts";
import { lossMetrics } from "../../../rl/metrics/lossMetrics.ts";
import { emptySums, type ObjectiveSums } from "../../../rl/objective/sums.ts";
import type { SampledStep } from "../sampledStep.ts";
import type { IsOpened, PhaseEnd } from "../trainer.ts";

/** One optimizer step of an update, and how many came before it. */
export interface Opening {
  readonly step: SampledStep;
  readonly place: Omit<UpdatePlace, "part" | "metrics">;
  readonly isOpened: IsOpened;
  readonly done: number;
  readonly total: number;
}

/** Losses, ratios and the gradient's norm of a minibatch, with the weights as they are. */
export async function measureMinibatch(
  model: Pick<AnyModel, "gradient">,
  request: (into: ObjectiveSums) => GradientRequest,
  config: RunConfig,
): Promise<UpdatePlace["metrics"]> {
  const sums = emptySums();
  const gradient = await model.gradient(request(sums));
  let squares = 0;
  for (const value of gradient?.values ?? []) squares += value * value;
  const metrics: Record<string, number> = {};
  lossMetrics(sums, config, 1, metrics);
  return { ...metrics, ...normMetric(gradient && Math.sqrt(squares)) };
}

/** A gradient's norm as a metric; none where the model does not show it. */
export const normMetric = (norm: number | null): { readonly grad_norm?: number } => (norm === null ? {} : { grad_norm: norm });

/** Stops at these parts, one after another, as long as the update is opened. */
export async function* stopAt(
  { step, place, isOpened, done, total }: Opening,
  parts: readonly UpdatePart[],
  metrics: UpdatePlace["metrics"],
): AsyncGenerator<PhaseEnd, void> {
  for (const part of parts) {
    if (!isOpened()) return;
    step.opened = { part, ...place, metrics };
    yield { phase: "update", sampled: step, within: { done, total } };
    step.opened = null;
  }
}
