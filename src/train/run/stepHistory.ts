// The sampled steps that can still be inspected: the newest ones, in bounded memory.
import { type SampledStep, sampledBytes } from "../step/sampledStep.ts";

/** Steps kept for inspection, and the bytes of those before the newest. */
export const KEPT_STEPS = 200;
export const KEPT_BYTES = 256 * 2 ** 20;

/** A ring of the last steps; owned state. */
export class StepHistory {
  readonly #steps = new Map<number, { readonly step: SampledStep; readonly bytes: number }>();
  #bytes = 0;

  /** Keeps a step, replacing what was kept under its number and dropping the oldest past the limits; the newest always stays. */
  add(step: SampledStep): void {
    this.#drop(step.step);
    const bytes = sampledBytes(step.batch);
    this.#steps.set(step.step, { step, bytes });
    this.#bytes += bytes;
    for (const number of this.#steps.keys()) {
      if (number === step.step || (this.#steps.size <= KEPT_STEPS && this.#bytes <= KEPT_BYTES)) break;
      this.#drop(number);
    }
  }

  #drop(number: number): void {
    this.#bytes -= this.#steps.get(number)?.bytes ?? 0;
    this.#steps.delete(number);
  }

  get(step: number): SampledStep | undefined {
    return this.#steps.get(step)?.step;
  }

  /** Number of the oldest step still kept, or -1. */
  oldest(): number {
    return this.#steps.keys().next().value ?? -1;
  }
}
