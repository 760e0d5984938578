// Where an engine stands and how it says so: the state of its current run and, beside it, of the run
// that is being prepared to take that one's place. Every event leaves through here, stamped with its run.
import type { EngineEvent, EventBody, RunState } from "../../protocol/messages.ts";
import { InputError } from "../../protocol/problems.ts";

/** A run on its way: a pause or resume meanwhile changes how it begins. */
export interface Preparation {
  readonly runId: string;
  paused: boolean;
}

/** State of the current run and of the one on its way; owned state. */
export class Standing {
  readonly #emit: (event: EngineEvent) => void;
  #runId: string | null = null;
  #state: RunState = "idle";
  #reason: string | undefined;
  #preparing: Preparation | null = null;

  constructor(emit: (event: EngineEvent) => void) {
    this.#emit = emit;
  }

  /** State of the current run, also while another is being prepared. */
  get state(): RunState {
    return this.#state;
  }

  /** The newest start that has not begun yet; one that is no longer this one gives up. */
  get preparing(): Preparation | null {
    return this.#preparing;
  }

  /** What a run says about itself carries its own id: another one may be on its way already. */
  send(event: EventBody, runId: string | null = this.#preparing?.runId ?? this.#runId): void {
    this.#emit({ ...event, runId });
  }

  tellError(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const field = error instanceof InputError ? error.problems[0]?.field : undefined;
    this.send({ type: "error", message, recoverable: true, ...(field ? { field } : {}) });
  }

  tellState(): void {
    if (this.#preparing) this.send({ type: "state", state: "preparing" });
    else this.send({ type: "state", state: this.#state, ...(this.#reason ? { reason: this.#reason } : {}) });
  }

  /** Moves the current run to a state; told later, if at all, where another run is being prepared. */
  move(state: RunState, reason?: string): void {
    this.#state = state;
    this.#reason = reason;
    if (!this.#preparing) this.tellState();
  }

  /** A start takes over, from an earlier one too; the current run pauses. */
  prepare(runId: string, paused: boolean): Preparation {
    const preparation = { runId, paused };
    this.#preparing = preparation;
    if (this.#state === "running") this.#state = "paused";
    this.tellState();
    return preparation;
  }

  /** Nothing is being prepared any more; says nothing yet. */
  abandon(): void {
    this.#preparing = null;
  }

  /** The run that was prepared becomes the current one; its state is told by the `move` that follows. */
  begin(runId: string): void {
    this.#preparing = null;
    this.#runId = runId;
  }

  /** There is no current run any more. */
  forget(): void {
    this.#runId = null;
    this.#state = "idle";
    this.#reason = undefined;
    this.tellState();
  }
}
