// A question that asks itself again whenever what it is about changes, once that has rested for a moment: typing asks once,
// not with every key. The last question counts, and its answer stays until the next one comes.
import { useEffect, useEffectEvent, useState } from "react";
import { errorText } from "../../../../../protocol/problems.ts";

const REST_MS = 300;

interface Found<T> {
  /** What the answer is to. */
  readonly about: string;
  readonly answer: T | null;
  readonly problem: string | null;
}

/** @param about all that the answer hangs on, as one text; null asks nothing. */
export function useAnswerTo<T>(about: string | null, ask: () => Promise<T>) {
  const [found, setFound] = useState<Found<T> | null>(null);
  const asked = useEffectEvent(ask);
  useEffect(() => {
    if (about === null) return;
    let isWanted = true;
    const take = (answer: T | null, problem: string | null) => {
      // What was found before stays beside why nothing is found now.
      if (isWanted) setFound((before) => ({ about, answer: answer ?? before?.answer ?? null, problem }));
    };
    const timer = setTimeout(() => {
      // What cannot even be asked is a problem like any other.
      (async () => asked())().then(
        (answer) => take(answer, null),
        (error: unknown) => take(null, errorText(error)),
      );
    }, REST_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [about]);
  const isOf = about !== null && found?.about === about;
  return { answer: found?.answer ?? null, problem: isOf ? found.problem : null, isWaiting: about !== null && !isOf };
}
