// Long lists come onto the page a part at a time: a thousand tokens drawn at once would hold the page's own thread for
// longer than a reader should wait for a key. What is too long to be drawn at all is drawn where it is looked at. And
// what is long shows its beginning until somebody wants all of it.
import { type ReactNode, startTransition, useEffect, useRef, useState } from "react";
import { Button } from "../controls/Button.tsx";

/**
 * How many of `total` items to draw: one part at once, and one more in each task after it until all are there.
 * @param part items of a part.
 */
export function useGradually(total: number, part: number): number {
  const [drawn, setDrawn] = useState(part);
  useEffect(() => {
    if (drawn >= total) return;
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + part)));
    return () => clearTimeout(timer);
  }, [drawn, total, part]);
  return Math.min(total, drawn);
}

interface PartInSightProps {
  /** What it scrolls in. */
  readonly within: string;
  /** Pixels that it is taken to be high before it was first drawn. */
  readonly height: number;
  /** Whether it is drawn wherever it is. */
  readonly isWanted: boolean;
  readonly children: () => ReactNode;
}

/** A part of a list that is too long to be drawn whole: there while it is near sight, and else an empty box of its height. */
export function PartInSight({ within, height, isWanted, children }: PartInSightProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [kept, setKept] = useState(height);
  useEffect(() => {
    const part = box.current;
    if (!part) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        // What leaves sight has been measured.
        if (!entry.isIntersecting && part.childElementCount > 0) setKept(entry.boundingClientRect.height);
        // Drawn in slices between frames.
        startTransition(() => setNear(entry.isIntersecting));
      },
      { root: part.closest(within), rootMargin: "100%" },
    );
    observer.observe(part);
    return () => observer.disconnect();
  }, [within]);
  const isDrawn = isNear || isWanted;
  return (
    <div ref={box} role="presentation" style={isDrawn ? undefined : { blockSize: kept }}>
      {isDrawn && children()}
    </div>
  );
}

interface ShowAllProps {
  readonly total: number;
  /** Items that are shown at first; the button is there only where there are more. */
  readonly first: number;
  /** What the items are, "tokens". */
  readonly items: string;
  readonly isWhole: boolean;
  readonly onChange: (isWhole: boolean) => void;
}

/** Shows all of a long list, or its beginning again. */
export function ShowAll({ total, first, items, isWhole, onChange }: ShowAllProps) {
  if (total <= first) return null;
  return (
    <Button kind="quiet" onPress={() => onChange(!isWhole)}>
      {isWhole ? `Show the first ${first} ${items}` : `Show all ${total} ${items}`}
    </Button>
  );
}
