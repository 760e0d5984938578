// Milestones for screen readers: states and evaluations, never every step.
import { formatShare } from "../charts/format.ts";
import { useRun } from "../store/runStore.ts";

export function LiveStatus() {
  const state = useRun((facts) => facts.state);
  const status = useRun((facts) => facts.engine);
  const evaluation = useRun((facts) => facts.evaluations.at(-1));
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
  const evaluated = evaluation ? ` Evaluation after step ${evaluation.step}: ${formatShare(evaluation.greedyAccuracy)} right.` : "";
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {engineText || `${stateText}${evaluated}`}
    </p>
  );
}
