// What a driven browser offers, and how its programs and their pages are waited for: by conditions, each with a limit.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Driver {
  readonly version: string;
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Runs the text of an async function's body in the page; what it returns comes back through JSON. */
  evaluate(body: string): Promise<unknown>;
  /** Clicks what the text of a function's body returns, as a person would. */
  click(body: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Longest wait for one call; only to end what hangs. */
export const CALL_MS = 60_000;

/** Rejects where something takes longer than any call may. */
export async function withLimit<T>(what: string, work: Promise<T>): Promise<T> {
  const gone = new AbortController();
  const late = sleep(CALL_MS, null, { signal: gone.signal }).then(() => Promise.reject(new Error(`${what} took more than ${CALL_MS} ms`)));
  try {
    return await Promise.race([work, late]);
  } finally {
    gone.abort();
    late.catch(() => {});
  }
}

/** Tries until something is there. */
export async function eventually<T>(what: string, look: () => T | null | Promise<T | null>): Promise<T> {
  for (const until = performance.now() + CALL_MS; performance.now() < until; await sleep(50)) {
    const found = await look();
    if (found !== null) return found;
  }
  throw new Error(`${what} was not there after ${CALL_MS} ms`);
}

/** A script that tells its last argument what an async body returns or throws. */
export const asyncScript = (body: string) =>
  `const tell = arguments[arguments.length - 1]; (async () => { ${body} })().then((value) => tell(JSON.stringify({ value })), (error) => tell(JSON.stringify({ error: String(error) })))`;

/** What such a script has told. */
export function toldBy(text: unknown): unknown {
  const { value, error } = JSON.parse(String(text)) as { readonly value?: unknown; readonly error?: string };
  if (error !== undefined) throw new Error(error);
  return value;
}

export interface Programs {
  /** A folder of their own. */
  readonly folder: string;
  start(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  /** Ends them, last first, and removes the folder. */
  end(): Promise<void>;
}

/** Programs that end with the test that started them. */
export function createPrograms(): Programs {
  const folder = mkdtempSync(join(tmpdir(), "rollout-lab-browser-"));
  const started: ChildProcess[] = [];
  return {
    folder,
    start(program, args, env = {}) {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
      child.stdout.resume();
      started.push(child);
      return child;
    },
    async end() {
      for (const child of started.toReversed()) {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
        const ended = once(child, "exit");
        child.kill();
        await withLimit("the end of a browser", ended).catch(() => child.kill("SIGKILL"));
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
