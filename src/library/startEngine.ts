// The engine from the outside, in this process: each command as a promise of its answer.
import type { CommandBody, CommandType } from "../protocol/commands.ts";
import type { Done, EngineEvent, Failed, Result } from "../protocol/messages.ts";
import { Overtaken, Refused } from "../protocol/problems.ts";
import type { Host } from "../train/host.ts";
import { createSession } from "../train/run/session.ts";

/** A running engine, asked by commands. */
export interface Engine {
  /** Resolves with what the command asks for; rejects with the engine's sentence. */
  ask<K extends CommandType>(command: Extract<CommandBody, { readonly type: K }>): Promise<Result<K>>;
}

/** Starts an engine; `listen` hears every event but the answers. */
export async function startEngine(host: Host, listen: (event: EngineEvent) => void): Promise<Engine> {
  const waiting = new Map<number, (answer: Done | Failed) => void>();
  const receive = (event: EngineEvent) => {
    if (event.type !== "answer") return listen(event);
    if (event.id !== null) waiting.get(event.id)?.(event);
  };
  const session = await createSession(receive, host);
  let next = 0;
  return {
    ask<K extends CommandType>(command: Extract<CommandBody, { readonly type: K }>): Promise<Result<K>> {
      const id = next++;
      return new Promise((resolve, reject) => {
        waiting.set(id, (answer) => {
          waiting.delete(id);
          // The answer with this id is that of this command.
          if (answer.outcome === "done") resolve(answer.result as Result<K>);
          else reject(answer.overtaken ? new Overtaken(answer.message) : new Refused(answer.message));
        });
        void session.handle({ id, ...command });
      });
    },
  };
}
