// Charts draw in turn, and together take at most a third of the page's thread, however many have new
// data: a dozen redraws in one task would hold up clicks and typing. A chart that waits longer takes the
// newest data when it draws. The first drawing waits for its turn too. Each is a transition, which React
// renders in slices of a few milliseconds between other work.
import { type ReactNode, startTransition, useEffect, useRef, useState } from "react";

/** Begins to draw; calls `done` once that can be seen. */
type Turn = (done: () => void) => void;

/** Time between two turns in ms, so that what a drawing changed can be painted. */
const SHORTEST_REST_MS = 16;
/** Rest after a turn, in times of what the turn took. */
const REST = 2;
/** A turn that never says it is done, as of a chart that has left the page, holds up the next no longer than this. */
const LONGEST_TURN_MS = 500;
/** A chart nobody sees waits about this long, and so is never two seconds old, */
const UNSEEN_WAIT_MS = 1200;
/** and lets those in sight go first with its first drawing. */
const FIRST_UNSEEN_WAIT_MS = 400;

const waiting = new Set<Turn>();
let timer: ReturnType<typeof setTimeout> | null = null;

function giveTurnIn(ms: number): void {
  if (timer !== null) clearTimeout(timer);
  timer = setTimeout(giveTurn, ms);
}

function giveTurn(): void {
  timer = null;
  const next = waiting.values().next().value;
  if (!next) return;
  waiting.delete(next);
  const begunAt = performance.now();
  let isOver = false;
  const done = () => {
    if (isOver) return;
    isOver = true;
    giveTurnIn(Math.max(SHORTEST_REST_MS, REST * (performance.now() - begunAt)));
  };
  giveTurnIn(LONGEST_TURN_MS);
  startTransition(() => next(done));
}

/**
 * Queues a drawing behind those already waiting; returns how to give the place up.
 * @param delayMs time to let pass before queueing.
 */
export function takeTurn(turn: Turn, delayMs = 0): () => void {
  const queue = () => {
    waiting.add(turn);
    if (timer === null) giveTurnIn(0);
  };
  const delay = delayMs > 0 ? setTimeout(queue, delayMs) : null;
  if (delay === null) queue();
  return () => {
    if (delay !== null) clearTimeout(delay);
    waiting.delete(turn);
  };
}

/**
 * Shows the newest value in a turn; returns what is shown then. React draws nothing, and so would never
 * say that it has, where the value went back to the one already shown: that turn is over at once.
 */
export function drawNewest<T>(newest: T, last: T | null, show: (value: T) => void, done: () => void): T {
  if (Object.is(newest, last)) done();
  else show(newest);
  return newest;
}

const never = () => false;

/**
 * The value as of this component's last turn; null before its first.
 * @param seen whether someone can see the component; unseen ones draw seldom.
 * @param isFirst whether the value holds what nothing shown yet has; such a one is drawn soon, seen or not.
 */
export function useInTurn<T>(value: T, seen: boolean, isFirst: (value: T, shown: T) => boolean = never): T | null {
  const [shown, setShown] = useState<T | null>(null);
  const newest = useRef(value);
  // Ahead of `shown` while React still renders it.
  const last = useRef<T | null>(null);
  const place = useRef<{ readonly leave: () => void; readonly waitMs: number } | null>(null);
  const drawn = useRef<(() => void) | null>(null);
  useEffect(() => {
    newest.current = value;
    const waitMs = seen ? 0 : shown === null || isFirst(value, shown) ? FIRST_UNSEEN_WAIT_MS : UNSEEN_WAIT_MS;
    // Who comes into view no longer waits as the unseen do.
    if (place.current && waitMs < place.current.waitMs) {
      place.current.leave();
      place.current = null;
    }
    if (place.current || Object.is(shown, value)) return;
    const draw: Turn = (done) => {
      place.current = null;
      const show = (next: T) => {
        drawn.current = done;
        setShown(next);
      };
      last.current = drawNewest(newest.current, last.current, show, done);
    };
    place.current = { leave: takeTurn(draw, waitMs), waitMs };
  }, [value, seen, shown, isFirst]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when something else is shown
  useEffect(() => {
    drawn.current?.();
    drawn.current = null;
  }, [shown]);
  useEffect(
    () => () => {
      place.current?.leave();
      place.current = null;
    },
    [],
  );
  return shown;
}

/** What takes part in the turns with its first drawing, so that the browser need not lay it out together with all that comes along. */
export function InTurn({ children }: { readonly children: ReactNode }): ReactNode {
  return useInTurn(true, true) && children;
}
