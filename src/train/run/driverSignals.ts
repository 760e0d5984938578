// What a run in motion tells whoever drives it, and asks of them.
import type { EventBody } from "../../protocol/messages.ts";

export interface DriverSignals {
  /** Tells an event of this run. */
  send(event: EventBody): void;
  /** The run is in another state; `fault` says what went wrong, if that is why. */
  onState(fault?: { readonly message: string; readonly recoverable: boolean }): void;
  /** Why the run is not saved; null when it is again. */
  onTrouble(reason: string | null): void;
  /** The run's save is there; told once. */
  onSave(): void;
  /** Wait after each phase, to watch. */
  delayMs(): number;
}
