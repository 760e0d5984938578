// In the place of a group while none is there: what will stand there and the step that brings it, or how far the engine is with it.
import { takeOne } from "../../engine/actions.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { focusTransport } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { ProgressLine } from "../../kit/controls/States.tsx";
import "./preparing.css";

function takeStep(): void {
  focusTransport("step");
  takeOne("step");
}

export function NoGroup() {
  const state = useRun((facts) => facts.state);
  const continued = useRun((facts) => facts.continued);
  const isSupervised = useRun((facts) => facts.config?.kind === "supervised");
  const engineUp = useEngine((facts) => facts.status === "ready");
  if (state === "running" || state === "preparing") return <Preparing />;
  return (
    <section className="supervised stack soft">
      <h2>{isSupervised ? "Worked examples" : "The current group"}</h2>
      <p>
        {continued ? `The saved run holds no ${isSupervised ? "examples" : "rollouts"}. ` : ""}
        {isSupervised
          ? "Take one step to see questions and the answers it learns from, token by token."
          : "Take one step to see a prompt, every answer to it, and the reward and advantage of each."}
      </p>
      <p>
        <Button isDisabled={!engineUp} onPress={takeStep}>
          Take one step
        </Button>
      </p>
    </section>
  );
}

export function Preparing() {
  const preparing = useRun((facts) => facts.preparing);
  const phase = useRun((facts) => facts.phase);
  const measuring = preparing === null && phase?.phase === "evaluate";
  const done = preparing ?? (measuring && phase ? phase : null);
  const share = done && done.total > 0 ? Math.min(1, done.done / done.total) : null;
  const what = preparing ? preparing.what : measuring ? "measuring where the policy starts" : "waiting for the first group";
  return (
    <div className="preparing stack soft">
      <p>{what.slice(0, 1).toUpperCase() + what.slice(1)}</p>
      <ProgressLine label={what} percent={share && share * 100} />
    </div>
  );
}
