// The trainer worker: one engine, commands in, batches of events out.

import { commandSchema } from "../src/protocol/commandSchema.ts";
import type { Command, EngineEvent } from "../src/protocol/messages.ts";
import { parseOrThrow } from "../src/protocol/problems.ts";
import { createSession } from "../src/train/run/session.ts";
import { createBrowserHost } from "./browserHost.ts";

let waiting: EngineEvent[] = [];

/** Events of one turn of the event loop travel together. */
function emit(event: EngineEvent): void {
  waiting.push(event);
  if (waiting.length > 1) return;
  queueMicrotask(() => {
    const events = waiting;
    waiting = [];
    self.postMessage(events);
  });
}

const session = createBrowserHost().then((host) => createSession(emit, host));

self.onmessage = async ({ data }: MessageEvent<unknown>) => {
  try {
    const command: Command = parseOrThrow(commandSchema, data) as Command;
    await (await session).handle(command);
  } catch (error) {
    emit({ type: "error", runId: null, message: error instanceof Error ? error.message : String(error), recoverable: true });
  }
};
session.catch((error: unknown) =>
  emit({ type: "error", runId: null, message: `The engine did not start: ${String(error)}`, recoverable: false }),
);
