// Which two runs stand side by side, and which answers of each: those of a step, or of each prompt those of the last step that asked it.
import { ArrowLeftRight } from "lucide-react";
import type { PairAnswer, PairSide, PairStep } from "../../../protocol/rollouts/runPair.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import type { PairPlace } from "./pairAddress.ts";

export interface PairProps {
  readonly answer: PairAnswer;
  readonly place: PairPlace;
  readonly onGo: (change: Partial<PairPlace>) => void;
}

const LAST = "The last of each prompt";
const idOf = (step: PairStep) => String(step);
const stepOf = (id: string): PairStep => (id === "last" ? id : Number(id));

interface SideProps {
  readonly title: string;
  readonly side: PairSide;
  readonly runs: readonly string[];
  readonly onRun: (name: string) => void;
  readonly onStep: (step: PairStep) => void;
}

function Side({ title, side, runs, onRun, onStep }: SideProps) {
  const steps = [{ id: "last", title: LAST }, ...side.steps.map((step) => ({ id: idOf(step), title: String(step) })).reverse()];
  return (
    <fieldset className="pair-side flex flex-wrap gap-1 min-w-0">
      <legend className="visually-hidden">{title} run</legend>
      <Choice label={title} value={side.name} options={runs.map((name) => ({ id: name, title: name }))} onChange={onRun} />
      <Choice label="Step" value={idOf(side.step)} options={steps} onChange={(id) => onStep(stepOf(id))} />
    </fieldset>
  );
}

export function PairSides({ answer: { left, right, runs, stepsBy }, place, onGo }: PairProps) {
  // A prompt and its answers are those of the runs that were chosen, and another run's step is another.
  const other = (name: string, side: PairSide) => (name === side.name ? runs.find((each) => each !== name) : side.name) ?? null;
  const swapped: Partial<PairPlace> = {
    left: right.name,
    right: left.name,
    leftStep: place.rightStep,
    rightStep: place.leftStep,
    leftAnswer: place.rightAnswer,
    rightAnswer: place.leftAnswer,
    show: place.show === "left" ? "right" : place.show === "right" ? "left" : place.show,
  };
  return (
    <section className="pair-sides items-end gap-y-1 gap-x-2 flex flex-wrap" aria-label="The two runs">
      <Side
        title="Left"
        side={left}
        runs={runs}
        onRun={(name) => onGo({ left: name, right: other(name, right), leftStep: null, rightStep: null, leftAnswer: "best" })}
        // Whoever chooses a step means it of both, as far as the other has it.
        onStep={(step) => onGo({ leftStep: step, rightStep: place.rightStep })}
      />
      <Button label="Swap the two runs" hint="Swap the two runs" className="button-icon" onPress={() => onGo(swapped)}>
        <ArrowLeftRight size={16} aria-hidden="true" />
      </Button>
      <Side
        title="Right"
        side={right}
        runs={runs}
        onRun={(name) => onGo({ right: name, left: other(name, left), leftStep: null, rightStep: null, rightAnswer: "best" })}
        onStep={(step) => onGo({ rightStep: step, leftStep: place.leftStep })}
      />
      {stepsBy !== null && <p className="note">Compared at {stepsBy}.</p>}
    </section>
  );
}
