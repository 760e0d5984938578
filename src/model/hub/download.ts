// A file of the network on its way to wherever it is kept: plain GETs that go on where one broke off, in pieces, so that
// no more than one is held.
import { answerOf, Denied, type HubAccess } from "./hub.ts";

/** Where a file goes as it comes. */
export interface Sink {
  /** Bytes that are there already, of an earlier try. */
  readonly begun: number;
  write(chunk: Uint8Array, at: number): void | Promise<void>;
}

export interface DownloadOptions {
  /** What the file is called in sentences. */
  readonly what: string;
  /** Its size, where it is known. */
  readonly bytes: number | null;
  readonly signal?: AbortSignal;
  readonly onBytes: (done: number) => void;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 500;

/** Adds what one answer brings behind `done` bytes; resolves to how many there are then, and whether the answer came to its end. */
async function receive(access: HubAccess, url: string, sink: Sink, done: number, options: DownloadOptions): Promise<number> {
  const { what, signal, onBytes } = options;
  const headers: Record<string, string> = done > 0 ? { range: `bytes=${done}-` } : {};
  const response = await answerOf(access, url, what, { headers, ...(signal ? { signal } : {}) });
  if (!response.body) throw new Error(`${what} came without a body`);
  // A server that knows no ranges sends all of it: what is there already is passed over.
  let at = response.status === 206 ? done : 0;
  const reader = response.body.getReader();
  let reached = done;
  try {
    for (;;) {
      const { done: isOver, value } = await reader.read();
      if (isOver) return reached;
      const fresh = value.subarray(Math.min(value.length, Math.max(0, reached - at)));
      at += value.length;
      if (fresh.length === 0) continue;
      await sink.write(fresh, reached);
      reached += fresh.length;
      onBytes(reached);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw new Broken(reached, error);
  }
}

/** An answer that ended before the file did. */
class Broken extends Error {
  readonly reached: number;
  constructor(reached: number, cause: unknown) {
    super(String(cause), { cause });
    this.reached = reached;
  }
}

/** Brings a file, going on where it broke off; an answer that brought something makes up for those before that brought nothing. Throws a sentence. */
export async function downloadTo(access: HubAccess, url: string, sink: Sink, options: DownloadOptions): Promise<void> {
  const { what, bytes, signal } = options;
  let done = sink.begun;
  for (let attempt = 1; done !== bytes || bytes === null; ) {
    const before = done;
    try {
      done = await receive(access, url, sink, done, options);
      if (bytes === null) return;
      if (done > bytes) throw new Denied(`${what} must have ${bytes} bytes, got ${done}`);
    } catch (error) {
      if (signal?.aborted || !(error instanceof Broken)) throw error;
      done = error.reached;
    }
    if (done === bytes) return;
    attempt = done > before ? 1 : attempt + 1;
    if (attempt > TRIES) throw new Error(`${what} broke off after ${done} of ${bytes} bytes, again and again`);
    await access.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}
