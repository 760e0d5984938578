// The trainer worker: one engine, commands in, batches of events out.

import type { EngineEvent } from "../src/protocol/messages.ts";
import { messagesOf } from "../src/protocol/run/eventParts.ts";
import { createSession } from "../src/train/run/session.ts";
import { createBrowserHost } from "./browserHost.ts";

let waiting: EngineEvent[] = [];

/** Events of one turn of the event loop travel together, but for what is long. */
function emit(event: EngineEvent): void {
  waiting.push(event);
  if (waiting.length > 1) return;
  queueMicrotask(() => {
    const events = waiting;
    waiting = [];
    for (const message of messagesOf(events)) self.postMessage(message);
  });
}

const session = createSession(emit, createBrowserHost());

self.onmessage = async ({ data }: MessageEvent<unknown>) => (await session).handle(data);
// As an uncaught error it ends the page's wait for a first word.
session.catch((error: unknown) => reportError(new Error(`The engine did not start: ${String(error)}`)));
