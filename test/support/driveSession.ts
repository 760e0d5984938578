// Drives an engine in tests as a page would: commands in, events collected, waiting for what is expected.
import type { CommandBody } from "../../src/protocol/commands.ts";
import type { EngineEvent, EventOf, EventType, Result } from "../../src/protocol/messages.ts";
import type { Host, RunStore, SavedRun } from "../../src/train/host.ts";
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
}

/** A store of saved runs in memory. */
export function memoryStore(): RunStore & { readonly runs: Map<string, SavedRun> } {
  const runs = new Map<string, SavedRun>();
  return {
    runs,
    list: async () => [...runs.values()].map(({ bytes: _, ...run }) => run).reverse(),
    save: async (run) => {
      runs.set(run.runId, { ...run, bytes: run.bytes.slice() });
    },
    load: async (runId) => runs.get(runId) ?? null,
    remove: async (runId) => {
      runs.delete(runId);
    },
  };
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
    next: (type, passes = () => true) =>
      new Promise((resolve) =>
        waiting.push({ type, passes: passes as (event: never) => boolean, resolve: resolve as (event: never) => void }),
      ),
    all: (type) => events.filter((event) => event.type === type) as never,
  };
}
