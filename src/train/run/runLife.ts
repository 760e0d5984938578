// The state of a run as the page is told it: running, paused, finished or failed. A closed run tells nothing any more.
import type { EventBody, RunState } from "../../protocol/messages.ts";
import type { DriverSignals } from "./runFeed.ts";

/** The state of one run; owned state. */
export class RunLife {
  readonly #signals: Pick<DriverSignals, "send" | "onState">;
  #state: RunState = "paused";
  #reason: string | undefined;
  /** Nothing is told of the run any more; what still goes on for it ends at the next phase. */
  isOver = false;

  constructor(signals: Pick<DriverSignals, "send" | "onState">) {
    this.#signals = signals;
  }

  get state(): RunState {
    return this.#state;
  }

  /** The state with its reason, as it is told. */
  get told(): { readonly state: RunState; readonly reason?: string } {
    return { state: this.#state, ...(this.#reason === undefined ? {} : { reason: this.#reason }) };
  }

  /** Throws where the run has failed. */
  checkAlive(): void {
    if (this.#state === "failed") throw new Error("the run has failed: start it anew or continue its save");
  }

  move(state: RunState, reason?: string, fault?: { readonly message: string; readonly recoverable: boolean }): void {
    this.#state = state;
    this.#reason = reason;
    if (!this.isOver) this.#signals.onState(fault);
  }

  send(event: EventBody): void {
    if (!this.isOver) this.#signals.send(event);
  }
}
