// The engine from the outside, in this process: each command as a promise of its answer.
import type { CommandBody, CommandType } from "../protocol/commands.ts";
import type { Done, EngineEvent, Failed, Result } from "../protocol/messages.ts";
import { LabError } from "../protocol/problems.ts";
import type { Host } from "../train/host.ts";
import { createSession } from "../train/run/session.ts";

/** A running engine, asked by commands. */
export interface Engine {
  /** Resolves with what the command asks for; rejects with a LabError of the engine's sentence. */
  ask<K extends CommandType>(command: Extract<CommandBody, { readonly type: K }>): Promise<Result<K>>;
  /**
   * Ends the run and frees its models, with their memory and threads; resolves once they are gone. What its host has
   * stored stays. What is asked afterwards is refused.
   */
  close(): Promise<void>;
}

const CLOSED = "the engine is closed: start another one to ask it";

function refusal({ message, field, overtaken }: Failed): LabError {
  if (field !== undefined) return new LabError(message, "input", [{ field, message }]);
  return new LabError(message, overtaken ? "overtaken" : "failed");
}

/** Starts an engine; `listen` hears every event but the answers. */
export async function startEngine(host: Host, listen: (event: EngineEvent) => void): Promise<Engine> {
  const waiting = new Map<number, { resolve(answer: Done): void; reject(error: LabError): void }>();
  const receive = (event: EngineEvent) => {
    if (event.type !== "answer") return listen(event);
    const asked = event.id === null ? undefined : waiting.get(event.id);
    if (event.id !== null) waiting.delete(event.id);
    if (event.outcome === "done") asked?.resolve(event);
    else asked?.reject(refusal(event));
  };
  const session = await createSession(receive, host);
  let next = 0;
  let closing: Promise<void> | null = null;
  const close = async () => {
    await session.close();
    for (const { reject } of waiting.values()) reject(new LabError(CLOSED, "closed"));
    waiting.clear();
  };
  return {
    async ask<K extends CommandType>(command: Extract<CommandBody, { readonly type: K }>): Promise<Result<K>> {
      if (closing) throw new LabError(CLOSED, "closed");
      const id = next++;
      const answered = new Promise<Done>((resolve, reject) => waiting.set(id, { resolve, reject }));
      void session.handle({ id, ...command });
      // The answer with this id is that of this command.
      return (await answered).result as Result<K>;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
