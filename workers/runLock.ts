// Web Locks: a name that one worker of all tabs has at a time, and that ends with it.

/** A worker that has just been ended gives its locks back a moment later. */
const WAIT_MS = 1_000;

/** Waits a moment for a lock; null where another worker keeps it, else the function that gives it back. */
export function takeRunLock(name: string): Promise<(() => void) | null> {
  // Pages without a secure context have no locks; they are then as unprotected as their storage is.
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(WAIT_MS);
    const held = () => new Promise<void>((release) => resolve(release));
    locks.request(name, { signal }, held).catch((error: unknown) => (signal.aborted ? resolve(null) : reject(error)));
  });
}
