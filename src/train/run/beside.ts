// A model on a server has room for more than one step's requests: the held-out problems are asked while the next step is sampled, with the
// same weights, and its update waits for them. Evaluations draw from a generator of their own, so no record depends on it.
import { isHere } from "../../model/model.ts";
import type { StepRecord } from "../../protocol/records.ts";
import type { ActiveRun } from "../start/start.ts";
import { dueSettings } from "../step/settings.ts";
import type { PhaseEnd } from "../step/trainer.ts";

/** Whether the held-out problems may be asked beside the next step: a change that comes before it may change what they are judged by. */
export function canMeasureBeside({ model, trainer }: ActiveRun): boolean {
  return !isHere(model) && Object.keys(dueSettings(trainer.config, trainer.step)).length === 0;
}

/** What is measured beside a step; owned state. */
export class Beside {
  /** Resolves to what went wrong with it, in a list of its own since anything can be thrown. */
  #failure: Promise<readonly unknown[]> | null = null;

  begin(measured: Promise<unknown>): void {
    this.#failure = measured.then(
      () => [],
      (error: unknown) => [error],
    );
  }

  /** Waits for its end. Throws what went wrong, after the step that was begun meanwhile is as if it had not been. */
  async end(inFlight: AsyncGenerator<PhaseEnd, StepRecord> | null): Promise<void> {
    const failure = await this.#failure;
    this.#failure = null;
    if (!failure || failure.length === 0) return;
    await inFlight?.throw(failure[0]);
    throw failure[0];
  }
}
