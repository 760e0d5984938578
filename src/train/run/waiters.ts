// Who waits for a run: for a step or a phase to be over, for the run to stand still, for the model to be at rest, or for news of a lost GPU.
import type { Clock } from "../host.ts";

/** How far to go before pausing. */
export type AdvanceUnit = "step" | "phase" | "part";

/** The same, or up to the end of a step on the way to the limit, which is looked at like one taken by itself, or to the limit alone. */
export type Target = AdvanceUnit | { readonly until: number } | null;

/** The target of a run that has taken `step` steps and goes on to the end of step `until`, or to its limit. */
export function upTo(until: number | undefined, step: number): Target {
  if (until === undefined) return null;
  if (until <= step) throw new Error(`until must be greater than the run's step ${step}, got ${until}`);
  return { until };
}

/** Whether what was asked for is over where something of the step ends: a phase that has no parts, or its last one, ends a part too. */
export function isOver(asked: Target, ended: AdvanceUnit, step: number): boolean {
  if (typeof asked === "object") return ended === "step" && asked?.until === step;
  return asked === ended || (asked === "part" && ended === "phase");
}

/** Somebody who asked for a step, a phase or a part and waits for its end. */
interface Advance {
  readonly unit: AdvanceUnit;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Those who wait for one run; owned state. */
export class Waiters {
  #advances: Advance[] = [];
  #halts: ((isStill: boolean) => void)[] = [];

  /** Resolves when the step or the phase is over; rejects when it fails or the run stops before. */
  advance(unit: AdvanceUnit): Promise<void> {
    return new Promise((resolve, reject) => this.#advances.push({ unit, resolve, reject }));
  }

  /** True once the run stands still, false when it was told to go on before. */
  halt(): Promise<boolean> {
    return new Promise((resolve) => this.#halts.push(resolve));
  }

  /** The run goes on: nobody sees it stand still. */
  goOn(): void {
    for (const halted of this.#halts.splice(0)) halted(false);
  }

  /** A step or a phase is over. */
  arrive(unit: AdvanceUnit, step: number): void {
    const arrived = this.#advances.filter((each) => isOver(each.unit, unit, step));
    this.#advances = this.#advances.filter((each) => !isOver(each.unit, unit, step));
    for (const { resolve } of arrived) resolve();
  }

  /** The run stands still; a step or phase that was asked for does not come to its end. */
  settle(error: Error): void {
    for (const halted of this.#halts.splice(0)) halted(true);
    for (const { reject } of this.#advances.splice(0)) reject(error);
  }
}

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

  /** Lets in all who wait, one after another, once what must be over before is; rejects as that does alone. By the time it resolves others may have come. */
  async letIn(before?: () => Promise<void>): Promise<void> {
    if (before && !this.isEmpty) await before();
    for (let query = this.#waiting.shift(); query; query = this.#waiting.shift()) await query();
  }
}

/** How long an error waits for a better explanation, and how often it looks for one. */
const LOSS_MS = 500;
const LOSS_POLL_MS = 20;

/** Waits until a loss is announced, or for so long that there is none: a GPU that goes away fails whatever waits for it, in browsers some time before. */
export async function awaitLoss({ sleep }: Pick<Clock, "sleep">, isLost: () => boolean): Promise<void> {
  for (let waited = 0; waited < LOSS_MS && !isLost(); waited += LOSS_POLL_MS) await sleep(LOSS_POLL_MS);
}
