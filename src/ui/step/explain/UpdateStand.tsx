// Where the update of the newest step stands, and the button that takes its next part: ratio, loss, gradient and
// optimizer of each inner epoch and minibatch. Once taken, the explained step is the one that was advanced.
import { Footprints } from "lucide-react";
import { type StepGroups, UPDATE_PARTS, type UpdatePlace } from "../../../protocol/messages.ts";
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { advance } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { useEngine, useRun, useSelect } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { arrivedAt } from "./story/phases.ts";

/** What a part has found out about its minibatch. */
export function partText({ part, metrics }: UpdatePlace): string {
  const at = (name: string) => measureText(metrics[name] ?? Number.NaN);
  const isTold = metrics.grad_norm !== undefined;
  switch (part) {
    case "ratio": {
      const clipped = metrics["clip_ratio/region_mean"];
      return `ratios from ${at("ratio/min")} to ${at("ratio/max")}${clipped === undefined ? "" : `, ${shareText(clipped)} clipped`}`;
    }
    case "loss":
      return `loss ${at("loss")}: policy ${at("loss/policy")}, KL ${at("loss/kl")}${metrics["loss/entropy"] === undefined ? "" : `, entropy ${at("loss/entropy")}`}`;
    case "gradient":
      return `gradient ${isTold ? `of norm ${at("grad_norm")}` : "by token; its norm is not told"}; nothing has moved yet`;
    case "optimizer":
      return `the optimizer has stepped against ${isTold ? `a gradient of norm ${at("grad_norm")}` : "the gradient, whose norm is not told"}`;
  }
}

function Parts({ opened }: { readonly opened: UpdatePlace }) {
  const { epoch, epochs, minibatch, minibatches, part } = opened;
  return (
    <>
      <span>
        Inner epoch <b>{epoch}</b> of {epochs}, minibatch <b>{minibatch}</b> of {minibatches}
      </span>
      <ol className="explain-parts facts" aria-label="Parts of this optimizer step">
        {UPDATE_PARTS.map((each) => (
          <li key={each} aria-current={each === part ? "step" : undefined}>
            {each}
          </li>
        ))}
      </ol>
      <span className="note">{partText(opened)}</span>
    </>
  );
}

/** Where a step stands whose update is not open. */
export function standText({ step, phase }: Pick<StepGroups, "step" | "phase">, latest: number): string {
  if (step < latest) return `Step ${step} is over.`;
  if (phase === "update" || phase === "evaluate") return "This update is over; the next one can be taken part by part.";
  if (phase === "sample") return `Step ${step} has begun, with new prompts and answers: it has been through “sample”.`;
  return `Step ${step} has been through “${phase}”.`;
}

interface UpdateStandProps {
  readonly step: StepGroups;
  readonly latest: number;
}

export function UpdateStand({ step, latest }: UpdateStandProps) {
  const select = useSelect();
  const state = useRun((facts) => facts.state);
  const isUp = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const takePart = async () => {
    await advance("part");
    engine.flush();
    const { groups } = engine.view;
    const at = groups.latestStep;
    if (at === null) return;
    const taken = groups.at(at);
    const change = taken ? { explained: arrivedAt(taken) } : {};
    select(at === step.step ? change : { step: at, promptIndex: 0, trajectoryIndex: 0, ...change });
  };
  // A refusal is among the run's facts, where the page shows it.
  const onPress = () => void takePart().catch(() => {});
  const isIdle = state === "paused" || state === "finished";
  return (
    <div className="explain-stand line">
      {step.opened ? (
        <Parts opened={step.opened} />
      ) : (
        <span className="note" role="status">
          {standText(step, latest)}
        </span>
      )}
      <Button
        isResting={!isIdle || !isUp}
        onPress={onPress}
        hint="Stops at the next phase, and in the update at ratio, loss, gradient and optimizer"
      >
        <Footprints size={16} aria-hidden="true" /> Next part
      </Button>
    </div>
  );
}
