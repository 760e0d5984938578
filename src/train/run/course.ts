// How far a run is to go, whether it is to go on at all, and who waits for it to get there or to stand still.
import { Overtaken } from "../../protocol/problems.ts";

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
function isOver(asked: Target, ended: AdvanceUnit, step: number): boolean {
  if (typeof asked === "object") return ended === "step" && asked?.until === step;
  return asked === ended || (asked === "part" && ended === "phase");
}

/** Somebody who asked for a step, a phase or a part and waits for its end. */
interface Advance {
  readonly unit: AdvanceUnit;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What was asked of one run, and by whom; owned state. */
export class Course {
  #target: Target = null;
  #isGoing = false;
  #isHalted = false;
  #advances: Advance[] = [];
  #halts: ((isStill: boolean) => void)[] = [];

  get target(): Target {
    return this.#target;
  }

  /** Whether the run is to go on at the next phase boundary. */
  get isGoing(): boolean {
    return this.#isGoing;
  }

  /** Whether it was stopped for something else while it went, and nobody has paused it since. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  /** It is to go on, so far; nobody sees it stand still. */
  go(target: Target): void {
    this.#target = target;
    this.#isGoing = true;
    this.#isHalted = false;
    for (const halted of this.#halts.splice(0)) halted(false);
  }

  /** It is to stop for something else. */
  halt(): void {
    this.#isHalted ||= this.#isGoing;
    this.#isGoing = false;
  }

  /** It is to stop by itself: where it was halted, it is not to go on from there. */
  pause(): void {
    this.#isGoing = false;
    this.#isHalted = false;
  }

  /** It goes no further for now; where it was halted, it is still to go on. */
  end(): void {
    this.#isGoing = false;
  }

  /** True once the run stands still, false when it was told to go on before. */
  untilStill(): Promise<boolean> {
    return new Promise((resolve) => this.#halts.push(resolve));
  }

  /** Resolves when the step, phase or part is over; rejects when it fails or the run stops before. */
  untilOver(unit: AdvanceUnit): Promise<void> {
    return new Promise((resolve, reject) => this.#advances.push({ unit, resolve, reject }));
  }

  /** Whether the run was to go as far as the end of this. */
  endsWith(unit: AdvanceUnit, step: number): boolean {
    return isOver(this.#target, unit, step);
  }

  /** A step, phase or part is over. */
  arrive(unit: AdvanceUnit, step: number): void {
    const arrived = this.#advances.filter((each) => isOver(each.unit, unit, step));
    this.#advances = this.#advances.filter((each) => !arrived.includes(each));
    for (const { resolve } of arrived) resolve();
  }

  /** The run stands still; what was asked for and is not over does not come to its end. */
  settle(error: Error = new Overtaken("the run was stopped before that was over")): void {
    for (const halted of this.#halts.splice(0)) halted(true);
    for (const { reject } of this.#advances.splice(0)) reject(error);
  }
}
