// A question that a component puts to an engine when it is told to, and shows the answer of: what came, or why nothing
// did, and whether it is still to come.

import { useRef, useState } from "react";
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
