// Those who wait to look at a model while nothing else works on it.

/** A queue of visits; owned state. */
export class Visits {
  readonly #waiting: (() => Promise<void>)[] = [];

  /** Waits for its turn; settles as the visit does. */
  wait<T>(visit: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => visit().then(resolve, reject));
    });
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Lets in all who wait, one after another; never rejects. By the time it resolves others may have come. */
  async letIn(): Promise<void> {
    for (let visit = this.#waiting.shift(); visit; visit = this.#waiting.shift()) await visit();
  }
}
