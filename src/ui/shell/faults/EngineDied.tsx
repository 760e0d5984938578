// After the engine's worker has ended: what it was, what is saved of the run, as the store itself says, and
// the button that goes on from there.
import { useEffect, useRef } from "react";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { engine } from "../../engine/client.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { focusTransport } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";

function count(steps: number): string {
  return steps === 1 ? "1 step" : `${steps} steps`;
}

/** What a restart brings back; `saves` are null until the store has answered. */
export function lossText({ runId, step }: Pick<RunFacts, "runId" | "step">, saves: readonly SaveSummary[] | null): string {
  if (runId === null) return "There was no run.";
  if (saves === null) return "Looking for what is saved of the run …";
  const save = saves.find((each) => each.runId === runId);
  if (!save) return `There is no save of this run, so ${step === 0 ? "it begins anew" : `its ${count(step)} cannot be continued`}.`;
  if (!save.config) return `Its save cannot be read: ${save.problem ?? "unknown reason"}.`;
  if (save.step >= step) return `Nothing is lost: the run is saved up to step ${save.step}.`;
  return `The run is saved up to step ${save.step}; ${count(step - save.step)} after it ${step - save.step === 1 ? "is" : "are"} lost.`;
}

/** The notice goes away with the button, as soon as the new engine is there. */
function restart(): void {
  focusTransport("train");
  engine.restart();
}

export function EngineDied() {
  const message = useEngine((facts) => facts.message);
  const saves = useEngine((facts) => facts.saves);
  const runId = useRun((facts) => facts.runId);
  const step = useRun((facts) => facts.step);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    frame.current?.focus();
    if (runId !== null) engine.findSaves();
  }, [runId]);
  const save = saves?.find((each) => each.runId === runId && each.config);
  return (
    <section className="notice notice-strong" role="alert" tabIndex={-1} ref={frame}>
      <div>
        <h2 className="large">The engine stopped</h2>
        <p>
          Its worker ended: {message}. {lossText({ runId, step }, saves)}
        </p>
      </div>
      <Button kind="primary" onPress={restart}>
        {save ? `Continue from step ${save.step}` : "Restart the engine"}
      </Button>
    </section>
  );
}
