// Milestones for screen readers: states and evaluations, never every step, and evaluations no faster than
// they can be listened to.
import { useEffect, useRef, useState } from "react";
import { shareText } from "../../protocol/quantities.ts";
import { useEngine, useRun } from "../engine/store/useRunView.ts";

/** A sentence takes about this long to say. */
const SAY_EVERY_MS = 8000;

/** The value, or while it changes faster than `everyMs` an earlier one, until the newest gets its time. */
function useSlowly<T>(value: T, everyMs: number): T {
  const [slow, setSlow] = useState(value);
  const changedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const take = () => {
      changedAt.current = performance.now();
      setSlow(value);
    };
    const timer = setTimeout(take, Math.max(0, changedAt.current + everyMs - performance.now()));
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return slow;
}

export function LiveStatus() {
  const state = useRun((facts) => facts.state);
  const status = useEngine((facts) => facts.status);
  const evaluation = useSlowly(
    useRun((facts) => facts.evaluations.at(-1)),
    SAY_EVERY_MS,
  );
  const reason = useRun((facts) => facts.stateReason);
  const engineText = status === "died" ? "The engine stopped." : status === "starting" ? "The engine is loading." : "";
  const stateText = {
    idle: "Ready to train.",
    preparing: "Preparing the run.",
    running: "Training.",
    paused: "Paused.",
    finished: `Finished${reason ? `: ${reason}` : ""}.`,
    failed: "The run failed.",
  }[state];
  const evaluated = evaluation
    ? ` Evaluation after step ${evaluation.step}: ${shareText(evaluation.sampledAccuracy)} right when sampling.`
    : "";
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {engineText || `${stateText}${evaluated}`}
    </p>
  );
}
