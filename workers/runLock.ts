// Web Locks: a name that one worker of all tabs has at a time, and that ends with it.

/** A worker that has just been ended gives its locks back a moment later: so often is it asked again, so far apart. */
const TRIES = 10;
const APART_MS = 100;

/** Takes a lock where it is free, and answers at once whether it was. */
function tryLock(locks: LockManager, name: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    const held = (lock: Lock | null) => (lock ? new Promise<void>((release) => resolve(release)) : resolve(null));
    locks.request(name, { ifAvailable: true }, async (lock) => held(lock)).catch(reject);
  });
}

/**
 * Waits a moment for a lock; null where another worker keeps it, else the function that gives it back. No clock
 * decides: a worker that is busy with training hears the answer late, and its timers would run out before.
 */
export async function takeRunLock(name: string): Promise<(() => void) | null> {
  // Pages without a secure context have no locks; they are then as unprotected as their storage is.
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return () => {};
  for (let tried = 1; ; tried++) {
    const release = await tryLock(locks, name);
    if (release || tried === TRIES) return release;
    await new Promise((resolve) => setTimeout(resolve, APART_MS));
  }
}
