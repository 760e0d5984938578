// Who waits for a run: for a step or phase that was asked for to be over, or for the run to stand still.

/** How far to go before pausing. */
export type Unit = "step" | "phase" | "part";

/** Whether what was asked for is over where something ends: a phase that has no parts, or its last one, ends a part too. */
export function isOver(asked: Unit | null, ended: Unit): boolean {
  return asked === ended || (asked === "part" && ended === "phase");
}

/** Somebody who asked for a step, a phase or a part and waits for its end. */
interface Advance {
  readonly unit: Unit;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Those who wait for one run; owned state. */
export class Waiters {
  #advances: Advance[] = [];
  #halts: ((isStill: boolean) => void)[] = [];

  /** Resolves when the step or the phase is over; rejects when it fails or the run stops before. */
  advance(unit: Unit): Promise<void> {
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
  arrive(unit: Unit): void {
    const arrived = this.#advances.filter((each) => isOver(each.unit, unit));
    this.#advances = this.#advances.filter((each) => !isOver(each.unit, unit));
    for (const { resolve } of arrived) resolve();
  }

  /** The run stands still; a step or phase that was asked for does not come to its end. */
  settle(error: Error): void {
    for (const halted of this.#halts.splice(0)) halted(true);
    for (const { reject } of this.#advances.splice(0)) reject(error);
  }
}
