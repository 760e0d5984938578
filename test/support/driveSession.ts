// Drives an engine in tests as a page would: commands in, events collected, waiting for what is expected.
import type { CommandBody } from "../../src/protocol/commands.ts";
import type { EngineEvent, EventOf, EventType, Result } from "../../src/protocol/messages.ts";
import type { Host } from "../../src/train/host.ts";
import { createSession } from "../../src/train/run/session.ts";
import { createNodeHost } from "./nodeHost.ts";

/** An engine with everything it has said so far. */
export interface DrivenSession {
  readonly events: EngineEvent[];
  /** Sends a command and waits for its answer: its result, or a rejection with the engine's sentence. */
  send<C extends CommandBody>(body: C): Promise<Result<C["type"]>>;
  /** The next event of a kind (from now on) that passes the test. */
  next<K extends EventType>(type: K, passes?: (event: EventOf<K>) => boolean): Promise<EventOf<K>>;
  all<K extends EventType>(type: K): EventOf<K>[];
  /** The first event of a kind, which may still be to come. */
  first<K extends EventType>(type: K): Promise<EventOf<K>>;
}

/** Starts an engine on Node. */
export async function driveSession(overrides: Partial<Host> = {}): Promise<DrivenSession> {
  const events: EngineEvent[] = [];
  const waiting: { type: EventType; passes: (event: never) => boolean; resolve: (event: never) => void }[] = [];
  const emit = (event: EngineEvent) => {
    events.push(event);
    for (const [index, wait] of [...waiting.entries()].reverse()) {
      if (wait.type !== event.type || !wait.passes(event as never)) continue;
      waiting.splice(index, 1);
      wait.resolve(event as never);
    }
  };
  let nextId = 0;
  const session = await createSession(emit, createNodeHost(overrides));
  const next: DrivenSession["next"] = (type, passes = () => true) =>
    new Promise((resolve) =>
      waiting.push({ type, passes: passes as (event: never) => boolean, resolve: resolve as (event: never) => void }),
    );
  const all: DrivenSession["all"] = (type) => events.filter((event) => event.type === type) as never;
  return {
    events,
    send: async (body) => {
      const id = nextId++;
      const answers = () => events.filter((event) => event.type === "answer" && event.id === id) as EventOf<"answer">[];
      await session.handle({ ...body, id });
      const [answer, ...more] = answers();
      if (!answer || more.length > 0) throw new Error(`command ${body.type} got ${more.length + (answer ? 1 : 0)} answers`);
      if (answer.outcome === "failed") throw new Error(answer.message);
      return answer.result as never;
    },
    next,
    all,
    first: async (type) => all(type)[0] ?? next(type),
  };
}
