// What a driver waits with: those who want to look at the model once it is at rest, and an error for news of a lost GPU.
import type { Clock } from "../host.ts";

/** Those who wait to look at a model while nothing else works on it; owned state. */
export class Queries {
  readonly #waiting: (() => Promise<void>)[] = [];

  /** Waits for its turn; settles as the query does. */
  wait<T>(query: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => query().then(resolve, reject));
    });
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Lets in all who wait, one after another, once what must be over before is; rejects as that does alone. By the time
   * it resolves others may have come.
   */
  async letIn(before?: () => Promise<void>): Promise<void> {
    if (before && !this.isEmpty) await before();
    for (let query = this.#waiting.shift(); query; query = this.#waiting.shift()) await query();
  }
}

/** How long an error waits for a better explanation, and how often it looks for one. */
const LOSS_MS = 500;
const LOSS_POLL_MS = 20;

/**
 * Waits until a loss is announced, or for so long that there is none: a GPU that goes away fails whatever waits for it,
 * in browsers some time before.
 */
export async function awaitLoss({ sleep }: Pick<Clock, "sleep">, isLost: () => boolean): Promise<void> {
  for (let waited = 0; waited < LOSS_MS && !isLost(); waited += LOSS_POLL_MS) await sleep(LOSS_POLL_MS);
}
