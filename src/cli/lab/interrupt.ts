// Ctrl-C: asks to come to a good end, with what was done kept.
import { parentPort } from "node:worker_threads";
import { CommandError, EXIT } from "./exit.ts";

export interface Interrupt {
  /** Whether somebody asked to stop. */
  readonly isAsked: boolean;
  /** Called when somebody asks to stop, at once where that has happened. */
  onAsked(listener: () => void): void;
}

/** Hears what the process was asked by a signal. @param end says so and ends it, where nothing is waited for. */
export function listenForInterrupt(end: (error: CommandError) => void): Interrupt {
  const listeners: (() => void)[] = [];
  let isAsked = false;
  parentPort?.on("message", () => {
    isAsked = true;
    parentPort?.postMessage({ type: "heard" });
    // Nobody waits for it: the verb has nothing that would be worth keeping.
    if (listeners.length === 0) end(new CommandError("interrupted: nothing was kept, the same command begins again", EXIT.interrupted));
    for (const listener of listeners) listener();
  });
  parentPort?.postMessage({ type: "up" });
  // Who only waits for a signal waits for nothing.
  parentPort?.unref();
  return {
    get isAsked() {
      return isAsked;
    },
    onAsked(listener) {
      listeners.push(listener);
      if (isAsked) listener();
    },
  };
}
