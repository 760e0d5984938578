// A clock for tests: once all that could be done at a moment is done, it goes on to the next moment that somebody waits for.
// What is under way at once, a held request and another beside it, takes its time side by side.

export interface FakeClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export function fakeClock(): FakeClock {
  let now = 0;
  let isGoing = false;
  const waiting: { readonly until: number; readonly resolve: () => void }[] = [];
  const goOn = () => {
    isGoing = false;
    const next = waiting.reduce((a, b) => (b.until < a.until ? b : a));
    waiting.splice(waiting.indexOf(next), 1);
    now = next.until;
    next.resolve();
    if (waiting.length > 0) go();
  };
  // Whatever the last moment set going is done by the next turn of the event loop.
  const go = () => {
    if (isGoing) return;
    isGoing = true;
    setImmediate(goOn);
  };
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      waiting.push({ until: now + ms, resolve });
      go();
    });
  return { now: () => now, sleep };
}
