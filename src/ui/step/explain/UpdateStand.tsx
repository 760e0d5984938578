// Where the update of a step stands: at ratio, loss, gradient or optimizer of an inner epoch and minibatch.
import { type StepGroups, UPDATE_PARTS, type UpdatePlace } from "../../../protocol/messages.ts";
import { measureText, shareText } from "../../../protocol/quantities.ts";

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
      return `gradient ${isTold ? `of norm ${at("grad_norm")}` : "by token; its norm is not known"}; nothing has moved yet`;
    case "optimizer":
      return `the optimizer has stepped against ${isTold ? `a gradient of norm ${at("grad_norm")}` : "the gradient, whose norm is not known"}`;
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
  if (phase === "update" || phase === "evaluate") return "This update is over. You can take the next one part by part.";
  if (phase === "sample") return `Step ${step} has begun, with new prompts and answers: it has been through “sample”.`;
  return `Step ${step} has been through “${phase}”.`;
}

export function UpdateStand({ step, latest }: { readonly step: StepGroups; readonly latest: number }) {
  return (
    <div className="explain-stand line justify-between">
      {step.opened ? (
        <Parts opened={step.opened} />
      ) : (
        <span className="note" role="status">
          {standText(step, latest)}
        </span>
      )}
    </div>
  );
}
