// The rollouts of one run of an experiment, in the place of its table and curves: the steps whose rollouts the page
// holds, and while the run goes on the others too, from its engine.

import { ArrowLeft } from "lucide-react";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { ShownRun, useRunView, useSelect, useSelection } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { StepView } from "../../step/rollouts/StepView.tsx";
import { inspectRun } from "../run/actions.ts";
import type { Combination, ExperimentRun } from "../run/experiments.ts";
import "../../step/rollouts/rollouts.css";

interface RunRolloutsProps {
  readonly combination: Combination;
  readonly run: ExperimentRun;
  /** What is gone back to. */
  readonly what: string;
  readonly onClose: () => void;
}

export function RunRollouts({ combination: { id, label, runs }, run, what, onClose }: RunRolloutsProps) {
  const title = `Rollouts of ${id} ${label}${runs.length > 1 ? `, seed ${run.seed}` : ""}`;
  return (
    <ShownRun view={run.view}>
      <section className="run-rollouts" aria-label={title}>
        <div className="line run-rollouts-head">
          <Button onPress={onClose}>
            <ArrowLeft size={14} aria-hidden="true" /> Back to the {what}
          </Button>
          <h2>{title}</h2>
        </div>
        <Steps id={run.id} />
      </section>
    </ShownRun>
  );
}

/** The chosen one of the steps that are held, the newest one where none is chosen. */
function Steps({ id }: { readonly id: string }) {
  const { groups } = useRunView();
  useVersion(groups);
  const selection = useSelection((all) => all);
  const select = useSelect();
  const held = groups.heldSteps();
  const step = selection.step !== null && held.includes(selection.step) ? selection.step : (held.at(-1) ?? null);
  const shown = step === null ? null : groups.at(step);
  const isHere = step !== null && groups.group(step, selection.promptIndex) !== null;
  const { problem } = useAnswer(step === null || isHere ? null : `${id} ${step}`, () => inspectRun(id, step!));
  if (step === null || !shown) return <p className="pane-wait soft">This run has sampled nothing yet.</p>;
  const options = held.map((each) => ({ id: String(each), title: `step ${each}` }));
  return (
    <div className="rollouts grid content-start gap-2 min-w-0">
      <Choice
        className="run-rollouts-step"
        label="Step"
        value={String(step)}
        options={options}
        onChange={(next) => select({ step: Number(next), promptIndex: 0, trajectoryIndex: 0 })}
      />
      {!isHere && problem && (
        <p role="status" className="pane-note aside">
          These rollouts cannot be shown: {problem}.
        </p>
      )}
      <StepView groups={shown} selection={selection} />
    </div>
  );
}
