// The sampled steps that can still be inspected: the newest ones, in bounded memory.
import type { SampledStep } from "../step/sampledStep.ts";

/** Steps kept for inspection. */
export const KEPT_STEPS = 200;

/** A ring of the last steps; owned state. */
export class StepHistory {
  readonly #steps = new Map<number, SampledStep>();

  /** Keeps a step, replacing what was kept under its number and dropping the oldest past the limit. */
  add(step: SampledStep): void {
    this.#steps.delete(step.step);
    this.#steps.set(step.step, step);
    for (const number of this.#steps.keys()) {
      if (this.#steps.size <= KEPT_STEPS) break;
      this.#steps.delete(number);
    }
  }

  get(step: number): SampledStep | undefined {
    return this.#steps.get(step);
  }

  /** Number of the oldest step still kept, or -1. */
  oldest(): number {
    return this.#steps.keys().next().value ?? -1;
  }
}
