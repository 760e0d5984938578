// In the place of a step that cannot be shown: one that the run has yet to take, with how far it is, or one that its engine has let go of,
// with the offer to take it again.
import { engine } from "../../engine/client.ts";
import { useEngine, useRun, useRunView, useSelect, useTraced } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { TakeAgain, WayTo } from "./TakeAgain.tsx";

interface StepProps {
  readonly step: number;
}

/** Lets the run go on to the end of a step, with more steps where it was given fewer. */
export async function trainTo(step: number): Promise<void> {
  const limit = engine.view.facts.getState().config?.steps ?? 0;
  if (limit > 0 && limit < step) await engine.request({ type: "set", settings: { steps: step } });
  await engine.request({ type: "resume", until: step });
}

function FollowNewest() {
  const select = useSelect();
  return <Button onPress={() => select({ step: null })}>Follow the newest step</Button>;
}

/** A step that the run has yet to take. */
function Ahead({ step }: StepProps) {
  const reached = useRun((run) => run.step);
  const state = useRun((run) => run.state);
  const isUp = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const isGoing = state === "running" || state === "preparing";
  return (
    <section className="instead">
      <h1>{isGoing ? `On the way to step ${step}` : `Step ${step} has not been taken yet`}</h1>
      {isGoing ? <WayTo text={`Step ${reached} of ${step}`} reached={reached} step={step} /> : <p>The run stands at step {reached}.</p>}
      <div className="actions">
        {!isGoing && (
          // A refusal is among the run's facts, where the page shows it.
          <Button kind="primary" isDisabled={!isUp || state === "failed"} onPress={() => void trainTo(step).catch(() => {})}>
            Train on to step {step}
          </Button>
        )}
        <FollowNewest />
      </div>
    </section>
  );
}

const MOST_NAMED = 12;

function stepsText(steps: readonly number[]): string {
  return steps.length <= MOST_NAMED ? `steps ${steps.join(", ")}` : `${steps.length} steps from ${steps[0]} to ${steps.at(-1)}`;
}

function Gone({ step }: StepProps) {
  const { latestStep, oldestStep, recordedSteps } = useRunView().groups;
  return (
    <section className="instead">
      <h1>Step {step} is not kept</h1>
      <p>
        {recordedSteps.length > 0
          ? `Of this run the rollouts of ${stepsText(recordedSteps)} are saved. They are evenly spaced, so that they do not fill the storage.`
          : latestStep !== null
            ? `The engine keeps the rollouts of the newest steps only, to bound its memory; steps ${oldestStep} to ${latestStep} are there.`
            : "The saved run holds no rollouts."}
      </p>
      <TakeAgain step={step} />
      {latestStep !== null && (
        <div className="actions">
          <FollowNewest />
        </div>
      )}
    </section>
  );
}

/** A step that the files of another program do not hold. */
function NotInFiles({ step, steps }: StepProps & { readonly steps: readonly number[] }) {
  return (
    <section className="instead">
      <h1>Step {step} is not in the files</h1>
      <p>They hold the rollouts of {stepsText(steps)}.</p>
      <div className="actions">
        <FollowNewest />
      </div>
    </section>
  );
}

export function StepNotHere({ step }: StepProps) {
  const reached = useRun((run) => run.step);
  const { latestStep } = useRunView().groups;
  const traced = useTraced();
  if (traced) return <NotInFiles step={step} steps={traced.steps} />;
  return step > Math.max(reached, latestStep ?? 0) ? <Ahead step={step} /> : <Gone step={step} />;
}
