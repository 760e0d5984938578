// Where something of an older step is missing: the offer to take that step again, how far that is, and what came of it.
import { useStore } from "zustand";
import { beginsWithRun } from "../../../protocol/config/configFacts.ts";
import { engine } from "../../engine/client.ts";
import { untilRead } from "../../engine/sourcesRead.ts";
import { useRun, useRunView, useTraced } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { ProgressLine } from "../../kit/controls/States.tsx";
import { durationText, recentMean } from "../group/runReadings.ts";
import { type Repetition, repeater } from "./stepRepeater.ts";
import "./again.css";

interface StepProps {
  readonly step: number;
}

/** Whether the screen offers to take the step again at another place, once being enough. */
export interface OfferedElsewhere {
  readonly isOffered?: boolean;
}

/** How far the repetition of a step is; null where it is another's, or none is asked for. */
export function useRepetition(step: number): Repetition | null {
  const at = useStore(repeater.facts, (facts) => facts.at);
  return at?.step === step ? at : null;
}

/** A bar with what it measures in words. */
export function WayTo({ text, reached, step }: { readonly text: string; readonly reached: number; readonly step: number }) {
  const share = step > 0 ? Math.min(1, reached / step) * 100 : 0;
  return (
    <div className="way-to">
      <p role="status">{text}</p>
      <ProgressLine label={`On the way to step ${step}`} percent={share} />
    </div>
  );
}

/** A recording's own code has never run here, and is read first. */
async function takeAgain(step: number): Promise<void> {
  await untilRead(engine.view.facts.getState().config ?? {});
  await repeater.take(step);
}

interface TakeAgainProps extends StepProps {
  /** Told as it is taken, so that what needs it can go on once it is there. */
  readonly onTake?: () => void;
}

function Offer({ step, onTake }: TakeAgainProps) {
  const { metrics } = useRunView();
  const stepTime = recentMean(metrics.series("step_time").values);
  const time = stepTime === null ? "" : `, about ${durationText(stepTime * step)}`;
  return (
    <p className="again line">
      <Button
        onPress={() => {
          onTake?.();
          void takeAgain(step).catch(() => {});
        }}
      >
        Take step {step} again
      </Button>
      <span className="note">from the run's start{time}; the run stays as it is</span>
    </p>
  );
}

/** Of the page's own run alone: runs of an experiment have no engine that could be asked again. */
export function TakeAgain({ step, ...props }: TakeAgainProps) {
  const isOwn = useRunView() === engine.view;
  const isInherited = useRun(({ config }) => config !== null && beginsWithRun(config));
  const at = useRepetition(step);
  // What was made elsewhere cannot be made again here.
  const isTraced = useTraced() !== null;
  if (!isOwn || isTraced) return null;
  if (isInherited) return <p className="note">This run began with the weights of another run, so its steps cannot be taken again.</p>;
  if (at?.stage === "under way") {
    const { reached, preparing } = at;
    return (
      <div className="again line">
        <WayTo
          step={step}
          reached={reached}
          text={`Taking step ${step} again: ${reached === 0 && preparing ? preparing : `step ${Math.min(step, reached + 1)} of ${step}`} …`}
        />
        <Button kind="quiet" onPress={() => repeater.giveUp()}>
          Give up
        </Button>
      </div>
    );
  }
  return (
    <>
      {at?.problem && <p className="note">It could not be taken again: {at.problem}</p>}
      <Offer step={step} {...props} />
    </>
  );
}

/** Over a step that comes from the run's save: what that has not, and the offer of it. */
export function KeptNote({ step, isOffered = false }: StepProps & OfferedElsewhere) {
  const { groups } = useRunView();
  const isOwn = useRunView() === engine.view;
  const isTraced = useTraced() !== null;
  if (!isOwn || isTraced || !groups.isKept(step)) return null;
  return (
    <div className="stack">
      <p className="note">
        Step {step} comes from the run's record, which holds all its numbers but not its weights. To see other likely tokens, or what moved
        a token, take the step again.
      </p>
      {!isOffered && <TakeAgain step={step} />}
    </div>
  );
}

/** In the place of an answer of which a recording has only what it earned. */
export function BareNote({ step }: StepProps) {
  return (
    <div className="stack">
      <p className="note">
        This recording came in a link, which holds little: it has the reward of this answer but not its text. The file of the run has
        everything.
      </p>
      <TakeAgain step={step} />
    </div>
  );
}

/** Over a step that was taken again; it says so, and where it came out otherwise. */
export function AgainNote({ step }: StepProps) {
  const at = useRepetition(step);
  if (at?.stage !== "there") return null;
  return (
    <p className="note">
      Step {step} was taken again beside the run
      {at.isSame
        ? "."
        : ", and its numbers differ from the record, as can happen on another backend or processor. You see the repeated step."}
    </p>
  );
}
