// A file of the network on its way to the disk: plain GETs that go on where one broke off, in pieces, so that no more
// than one piece is held. What came so far lies beside it as NAME.part and is gone on with at the next call.
import { open, rename, stat } from "node:fs/promises";
import { CommandError } from "../lab/exit.ts";

export interface Download {
  readonly url: string;
  readonly path: string;
  /** What is sent along, such as a key; never to another host that an answer sends on to. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onBytes: (done: number, total: number | null) => void;
}

const TRIES = 4;
const FIRST_PAUSE_MS = 500;

/** An answer that trying again does not mend. */
class Denied extends CommandError {}

function denied(url: string, { status, statusText }: Response): Denied {
  const why = status === 404 ? "there is no such file" : status === 401 || status === 403 ? "it may not be read without a key" : statusText;
  return new Denied(`${url} answered ${status}: ${why}`);
}

/** The length of the whole file, from an answer to a request that began at `from`; null where it does not say. */
function totalOf(response: Response, from: number): number | null {
  const range = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  const length = response.headers.get("content-length");
  if (range !== undefined) return Number(range);
  return length === null || response.headers.has("content-encoding") ? null : from + Number(length);
}

/** Adds what one answer brings; throws where it breaks off. */
async function receive({ url, path, headers, onBytes }: Download): Promise<void> {
  const part = `${path}.part`;
  const begun = (await stat(part).catch(() => null))?.size ?? 0;
  const response = await fetch(url, { headers: begun > 0 ? { ...headers, range: `bytes=${begun}-` } : headers });
  // All of it was there already.
  if (response.status === 416 && begun > 0) return rename(part, path);
  if (response.status >= 400 && response.status < 500 && response.status !== 408 && response.status !== 429) throw denied(url, response);
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
  // A server that does not know ranges begins anew.
  const from = response.status === 206 ? begun : 0;
  const total = totalOf(response, from);
  const file = await open(part, from > 0 ? "a" : "w");
  let done = from;
  try {
    for await (const chunk of response.body) {
      await file.write(chunk);
      done += chunk.length;
      onBytes(done, total);
    }
  } finally {
    await file.close();
  }
  if (total !== null && done !== total) throw new Error(`${url} broke off after ${done} of ${total} bytes`);
  await rename(part, path);
}

/** Brings a file, trying again where the network fails. Throws a CommandError that says why it could not. */
export async function download(asked: Download, pauseMs = FIRST_PAUSE_MS): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await receive(asked);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const { message, cause } = error as Error;
      if (attempt === TRIES) throw new CommandError(`${asked.url} cannot be fetched: ${cause instanceof Error ? cause.message : message}`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** (attempt - 1)));
    }
  }
}
