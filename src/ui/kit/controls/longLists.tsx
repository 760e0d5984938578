// Long lists come onto the page a part at a time: a thousand tokens drawn at once would hold the page's own thread for
// longer than a reader should wait for a key. And what is long shows its beginning until somebody wants all of it.
import { startTransition, useEffect, useState } from "react";
import { Button } from "./Button.tsx";

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
