// The lock of a run, on locks that answer as a browser's do: by a task of the event loop, behind whatever the worker does.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeRunLock } from "../../workers/runLock.ts";

type Held = (lock: { readonly name: string } | null) => Promise<void>;

/** Locks whose answers come in tasks of their own, after timers that are due. */
function fakeLocks() {
  const held = new Map<string, () => void>();
  return {
    held,
    request: (name: string, options: { readonly ifAvailable?: boolean; readonly signal?: AbortSignal }, callback: Held) =>
      new Promise<void>((resolve, reject) => {
        const grant = () => {
          if (options.signal?.aborted) return reject(options.signal.reason);
          if (held.has(name)) return options.ifAvailable ? void callback(null).then(resolve) : void setImmediate(grant);
          held.set(name, () => {});
          void callback({ name }).then(() => {
            held.delete(name);
            resolve();
          });
        };
        // There and back.
        setImmediate(() => setImmediate(grant));
      }),
  };
}

let locks = fakeLocks();
const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
beforeEach(() => {
  locks = fakeLocks();
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { locks } });
});
afterEach(() => {
  if (own) Object.defineProperty(globalThis, "navigator", own);
});

function beBusy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe("the lock of a run", () => {
  it("is taken by a worker that is busy for longer than it would wait for another", async () => {
    const taking = takeRunLock("a");
    await Promise.resolve();
    beBusy(1_300);
    const release = await taking;
    expect(release).not.toBeNull();
    expect(locks.held.has("a")).toBe(true);
  });

  it("is given back, and then another's", async () => {
    const release = await takeRunLock("a");
    release?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(locks.held.has("a")).toBe(false);
    expect(await takeRunLock("a")).not.toBeNull();
  });

  it("comes a moment after the worker that had it has ended", async () => {
    locks.held.set("a", () => {});
    const taking = takeRunLock("a");
    setTimeout(() => locks.held.delete("a"), 300);
    expect(await taking).not.toBeNull();
  });

  it("is refused where another keeps it", async () => {
    locks.held.set("a", () => {});
    expect(await takeRunLock("a")).toBeNull();
  });
});
