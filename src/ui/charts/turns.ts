// Charts redraw one per animation frame, in turn, however many have new data: a dozen redraws in one
// task would hold up clicks and typing. A chart that waits longer takes the newest data when it draws.
import { useEffect, useRef, useState } from "react";

type Turn = () => void;

const waiting = new Set<Turn>();
let frame: number | null = null;

function giveTurn(): void {
  frame = null;
  const next = waiting.values().next().value;
  if (next) {
    waiting.delete(next);
    next();
  }
  if (waiting.size > 0) frame = requestAnimationFrame(giveTurn);
}

/** Queues a redraw behind those already waiting; returns how to give the place up. */
export function takeTurn(turn: Turn): () => void {
  waiting.add(turn);
  if (frame === null) frame = requestAnimationFrame(giveTurn);
  return () => waiting.delete(turn);
}

/** The value as of this component's last turn; `live` false stands still without waiting. */
export function useInTurn<T>(value: T, live: boolean): T {
  const [shown, setShown] = useState(value);
  const newest = useRef(value);
  const place = useRef<(() => void) | null>(null);
  useEffect(() => {
    newest.current = value;
    if (!live || place.current || Object.is(shown, value)) return;
    place.current = takeTurn(() => {
      place.current = null;
      setShown(newest.current);
    });
  }, [value, live, shown]);
  useEffect(
    () => () => {
      place.current?.();
      place.current = null;
    },
    [],
  );
  return shown;
}
