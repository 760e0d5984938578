// Ctrl-C: the first asks to come to a good end, with what was done kept; a second one ends at once.
import { CommandError, EXIT } from "./exit.ts";

export interface Interrupt {
  /** Whether somebody asked to stop. */
  readonly isAsked: boolean;
  /** Called when somebody asks to stop, at once where that has happened. */
  onAsked(listener: () => void): void;
}

/** Listens to the signals that end a process. @param endNow says so and ends it, where nothing is waited for. */
export function listenForInterrupt(endNow: (error: CommandError) => never): Interrupt {
  const listeners: (() => void)[] = [];
  let isAsked = false;
  const ask = () => {
    if (isAsked) endNow(new CommandError("interrupted twice: what was written so far stays", EXIT.interrupted));
    isAsked = true;
    // Nobody waits for it: the verb has nothing that would be worth keeping.
    if (listeners.length === 0) endNow(new CommandError("interrupted: nothing was kept, the same command begins again", EXIT.interrupted));
    for (const listener of listeners) listener();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, ask);
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
