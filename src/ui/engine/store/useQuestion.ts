// Questions that a component puts to an engine, and what it shows of the answer: what came, or why nothing did, and whether it is still to
// come. One is put when somebody says so; another stands as long as the component does.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { errorText } from "../../../protocol/problems.ts";

/** Of several questions the last counts; an answer stays until another comes or it is forgotten. */
export function useQuestion<Asked extends readonly unknown[], Answer>(request: (...asked: Asked) => Promise<Answer>) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const last = useRef(0);
  const ask = (...asked: Asked) => {
    const question = ++last.current;
    const take = (act: () => void) => question === last.current && act();
    setWaiting(true);
    setProblem(null);
    request(...asked)
      .then(
        (found) => take(() => setAnswer(found)),
        (error: unknown) => take(() => setProblem(errorText(error))),
      )
      .finally(() => take(() => setWaiting(false)));
  };
  const forget = () => {
    setAnswer(null);
    setProblem(null);
  };
  return { answer, problem, isWaiting, ask, forget };
}

/** How long somebody pauses who types or drags: what hangs on it is asked for then. */
export const REST_MS = 300;

interface Found<Answer> {
  readonly to: string | null;
  readonly of: unknown;
  /** The last answer, while the next one is awaited or does not come. */
  readonly answer: Answer | null;
  readonly problem: string | null;
}

/**
 * The answer to a question that is asked as the component is drawn, and again whenever it is another.
 * @param question tells questions apart; null asks nothing.
 * @param of what they are asked about: where that is another, so is the answer.
 * @param restMs how long another question must have rested: what is typed or dragged then asks once.
 */
export function useAnswer<Answer>(question: string | null, request: () => Promise<Answer>, of: unknown = null, restMs = 0) {
  const [found, setFound] = useState<Found<Answer>>({ to: null, of, answer: null, problem: null });
  // What cannot even be asked is a problem like any other.
  const put = useEffectEvent(async () => request());
  const waitMs = useEffectEvent(() => (found.to === null ? 0 : restMs));
  useEffect(() => {
    if (question === null) return;
    let isCurrent = true;
    const take = (answer: Answer | null, problem: string | null) =>
      isCurrent && setFound((before) => ({ to: question, of, answer: answer ?? before.answer, problem }));
    const ask = () =>
      put().then(
        (answer) => take(answer, null),
        (error: unknown) => take(null, errorText(error)),
      );
    const timer = setTimeout(ask, waitMs());
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [question, of]);
  const isAnswered = found.to === question && Object.is(found.of, of);
  return { answer: found.answer, problem: isAnswered ? found.problem : null, isAsking: question !== null && !isAnswered };
}
