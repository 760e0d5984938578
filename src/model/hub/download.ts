// A file of the network on its way to wherever it is kept: plain GETs that go on where one broke off, in pieces, so that
// no more than one is held.
import { beginsAsPage, isPage, pageInstead } from "../../protocol/models/fetched.ts";
import { answerOf, Denied, type HubAccess } from "./hub.ts";

/** Where a file goes as it comes. */
interface Sink {
  /** Bytes that are there already, of an earlier try. */
  readonly begun: number;
  write(chunk: Uint8Array, at: number): void | Promise<void>;
  /** Lets go of what is there: the file comes from its beginning. */
  restart(): void | Promise<void>;
}

interface DownloadOptions {
  /** What the file is called in sentences. */
  readonly what: string;
  readonly bytes: number;
  /** Whether its hash is known, so that parts of two answers may be joined: only then is it told whether they belong together. */
  readonly isPromised: boolean;
  readonly signal?: AbortSignal;
  readonly onBytes: (done: number) => void;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 500;

/** Throws where a part is of another place or of another file than was asked for; a host may not let a page read that. */
function checkRange({ headers }: Response, done: number, { what, bytes }: DownloadOptions): void {
  const [, begin, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "") ?? [];
  if (begin === undefined) return;
  if (Number(begin) !== done || (total !== "*" && Number(total) !== bytes))
    throw new Denied(`${what} must go on at byte ${done} of ${bytes}, got a part from byte ${begin} of ${total}`);
}

/** Adds what one answer brings behind `done` bytes, or in their place; resolves to how many there are then. */
async function receive(access: HubAccess, url: string, sink: Sink, begun: number, options: DownloadOptions): Promise<number> {
  const { what, bytes, signal, onBytes } = options;
  const headers: Record<string, string> = begun > 0 ? { range: `bytes=${begun}-` } : {};
  const response = await answerOf(access, url, what, { headers, ...(signal ? { signal } : {}) });
  if (!response.body) throw new Error(`${what} came without a body`);
  const reader = response.body.getReader();
  let done = begun;
  try {
    if (isPage(response)) throw new Denied(pageInstead(what));
    let isFirstOfFile = response.status !== 206;
    if (!isFirstOfFile) checkRange(response, done, options);
    for (;;) {
      const { done: isOver, value } = await reader.read().catch((error) => {
        throw new Broken(done, error);
      });
      if (isOver) return done;
      if (isFirstOfFile) {
        if (beginsAsPage(value)) throw new Denied(pageInstead(what));
        // A server that knows no ranges sends the whole file, and so may any but the hub: nothing is joined to what is there.
        if (done > 0) await sink.restart();
        done = 0;
        isFirstOfFile = false;
      }
      const length = Math.max(done + value.length, response.status === 200 ? Number(response.headers.get("content-length")) : 0);
      if (done + value.length > bytes) throw new Denied(`${what} must have ${bytes} bytes, got ${length}`);
      await sink.write(value, done);
      done += value.length;
      onBytes(done);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
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

/** Brings a file, going on where it broke off; an answer that brought more than all before makes up for those. Throws a sentence. */
export async function downloadTo(access: HubAccess, url: string, sink: Sink, options: DownloadOptions): Promise<void> {
  const { what, bytes, isPromised, signal } = options;
  let done = sink.begun;
  let most = done;
  for (let attempt = 1; done !== bytes; ) {
    if (!isPromised && done > 0) {
      await sink.restart();
      done = 0;
    }
    try {
      done = await receive(access, url, sink, done, options);
    } catch (error) {
      if (signal?.aborted || !(error instanceof Broken)) throw error;
      done = error.reached;
    }
    if (done === bytes) return;
    attempt = done > most ? 1 : attempt + 1;
    most = Math.max(most, done);
    if (attempt > TRIES) throw new Error(`${what} broke off after ${done} of ${bytes} bytes, again and again`);
    await access.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}
