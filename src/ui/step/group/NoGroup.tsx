// Beside the charts while no group is there: what will stand there, and the step that brings it.
import { takeOne } from "../../engine/actions.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { focusTransport } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Preparing } from "../../train/states.tsx";

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
    <section className="supervised stack">
      <h2>{isSupervised ? "Worked examples" : "The current group"}</h2>
      <p>
        {continued ? `The save of this run keeps no ${isSupervised ? "examples" : "rollouts"}. ` : ""}
        {isSupervised
          ? "One step shows questions with the answers that are learnt from, token by token."
          : "One step shows a prompt, every answer to it, and the reward and advantage of each."}
      </p>
      <p>
        <Button isDisabled={!engineUp} onPress={takeStep}>
          Take one step
        </Button>
      </p>
    </section>
  );
}
