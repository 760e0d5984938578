// A file that is damaged may be one that its library reads for ever. The program cannot end that in its own thread, so it tells the
// process what it reads, and the process ends it when that takes too long.
import { parentPort } from "node:worker_threads";

/** A file that is being read, or no longer is. */
export interface FileReading {
  readonly type: "reading";
  readonly name: string;
  /** Null once it has been read. */
  readonly limitMs: number | null;
}

const LEAST_MS = 15_000;
const MS_A_MEGABYTE = 1000;

/** Reads a file of so many bytes within a time that is enough for a sound one of its size. */
export async function withinLimit<T>(name: string, bytes: number, read: () => Promise<T> | T): Promise<T> {
  const say = (limitMs: number | null) => parentPort?.postMessage({ type: "reading", name, limitMs } satisfies FileReading);
  say(LEAST_MS + Math.ceil(bytes / 2 ** 20) * MS_A_MEGABYTE);
  try {
    return await read();
  } finally {
    say(null);
  }
}

/** The process's side. @param end is called with a sentence when a file took too long. */
export function createReadingLimits(end: (message: string) => void): (reading: FileReading) => void {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  return ({ name, limitMs }) => {
    clearTimeout(timers.get(name));
    if (limitMs === null) return;
    const late = `${name} must be read within ${limitMs / 1000} s, as sound files of its size are: it is damaged`;
    timers.set(
      name,
      setTimeout(() => end(late), limitMs),
    );
  };
}
