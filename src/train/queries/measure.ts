// What an update made of its tokens, measured when somebody looks: runs that leave that pass out still have it for the steps
// whose weights are there.
import type { CommandOf } from "../../protocol/commands.ts";
import type { ActiveRun } from "../start/start.ts";

type Request = Omit<CommandOf<"measure">, "id" | "type">;

/** Whether a kept step has been through its update. */
export function isUpdated({ history }: ActiveRun, step: number): boolean {
  return ["update", "evaluate"].includes(history.get(step)?.phase ?? "");
}

/** The step whose update made the weights of now. */
export function stepOfNow(run: ActiveRun): number {
  const { step } = run.trainer;
  return isUpdated(run, step + 1) ? step + 1 : step;
}

/** Scores a step's tokens with the weights after its update; returns the step that was looked at. The model must be at rest. */
export async function measureKept(run: ActiveRun, { step, orNewer }: Request): Promise<number> {
  const { model, history, before } = run;
  const now = stepOfNow(run);
  const isHere = step >= now || before?.step === step + 1 || history.get(step)?.newLogprobs_K;
  const at = orNewer && !isHere && history.get(now) ? now : step;
  const sampled = history.get(at);
  if (!sampled || sampled.newLogprobs_K || sampled.config.kind === "supervised" || !isUpdated(run, at)) return at;
  const { batch } = sampled;
  if (at === now) sampled.newLogprobs_K = (await model.score(batch, "policy")).logprobs_K;
  // What the next step was sampled with is what this one's update made.
  else if (before?.step === at + 1)
    sampled.newLogprobs_K = (await model.withReference(before.state.policy, () => model.score(batch, "reference"))).logprobs_K;
  return at;
}
