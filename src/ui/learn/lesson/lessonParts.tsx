// The parts of a lesson's text, in the order in which they open.
import { Check, X } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { Radio, RadioGroup } from "react-aria-components";
import { CONFIG_VERSION } from "../../../protocol/config/migrations.ts";
import { hashOf } from "../../engine/route.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Formula } from "../../kit/formula/Formula.tsx";
import { forgetProgress, type LessonProgress, setProgress } from "../progress.ts";
import { Controls } from "./Controls.tsx";
import { type Lesson, shownValues } from "./lesson.tsx";
import { PredictionForm } from "./PredictionForm.tsx";
import { inline, Prose } from "./Prose.tsx";
import type { Control, Values } from "./parts.ts";
import { useLessonRuns } from "./useLessonRuns.ts";

/** The Train screen with a lesson's settings. */
function trainHash(lesson: Lesson, values: Values): string {
  return hashOf("train", new URLSearchParams({ version: String(CONFIG_VERSION), ...lesson.train(values) }));
}

interface PartProps {
  readonly stage: number;
  readonly kicker: string;
  readonly title: string;
  readonly children: ReactNode;
}

function Part({ stage, kicker, title, children }: PartProps) {
  return (
    <section className="lesson-part grid justify-items-start gap-2 rule-above" data-stage={stage}>
      <p className="lesson-kicker small semibold">{kicker}</p>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}

/** A verdict, with a sign beside its colour. */
function MarkedAnswer({ isRight, children }: { readonly isRight: boolean; readonly children: ReactNode }) {
  const Icon = isRight ? Check : X;
  return (
    <div className="lesson-verdict grid gap-half w-full padded" data-right={isRight || undefined} role="status">
      <p className="lesson-verdict-word flex items-center semibold">
        <Icon size={16} aria-hidden="true" /> {isRight ? "As you said." : "Not so."}
      </p>
      <div>{children}</div>
    </div>
  );
}

interface PredictionPartProps {
  readonly lesson: Lesson;
  readonly progress: LessonProgress;
  readonly verdict: { readonly isRight: boolean; readonly reason: ReactNode } | null;
  readonly isWaiting: boolean;
}

export function PredictionPart({ lesson, progress, verdict, isWaiting }: PredictionPartProps) {
  const { id, prediction } = lesson;
  return (
    <Part stage={0} kicker="Predict" title="What do you expect?">
      <div>
        <Prose text={prediction.text} />
      </div>
      <PredictionForm
        key={progress.answer === null ? "open" : "locked"}
        ask={prediction.ask}
        locked={progress.answer}
        onLock={(answer) => setProgress(id, { answer, stage: 1 })}
        does={lesson.runs ? "Lock in and run" : "Lock in"}
      />
      {progress.answer !== null && (
        <div className="lesson-outcome w-full">
          {isWaiting && <p className="note">Your run is on its way …</p>}
          {verdict && (
            <MarkedAnswer isRight={verdict.isRight}>
              <p>{verdict.reason}</p>
            </MarkedAnswer>
          )}
        </div>
      )}
    </Part>
  );
}

interface PhasePartProps {
  readonly lesson: Lesson;
  readonly index: number;
  /** Values before any phase has set one. */
  readonly base: Values;
  readonly onNext?: () => void;
}

/** A phase says what it said when it was opened, whatever later ones and free play have set since. */
export function PhasePart({ lesson, index, base, onNext }: PhasePartProps) {
  const values = useMemo(() => shownValues(lesson, index, base), [lesson, index, base]);
  const { now, isBusy } = useLessonRuns(lesson, values, true);
  const formula = now.phaseFormula(index);
  const { phases } = lesson;
  return (
    <Part stage={index + 1} kicker={`Phase ${index + 1} of ${phases.length}`} title={phases[index]?.title ?? ""}>
      {isBusy ? (
        <p className="note">The run will bring its numbers …</p>
      ) : (
        <>
          {formula && <Formula {...formula} isBlock />}
          <div>{now.phaseText(index)}</div>
        </>
      )}
      {onNext && (
        <Button kind="primary" onPress={onNext}>
          Next: {phases[index + 1]?.title ?? "Try it yourself"}
        </Button>
      )}
    </Part>
  );
}

interface PlayPartProps {
  readonly lesson: Lesson;
  readonly stage: number;
  readonly controls: readonly Control[];
  readonly values: Values;
  readonly onChange: (id: string, value: number) => void;
  readonly onNext?: () => void;
}

export function PlayPart({ lesson, stage, controls, values, onChange, onNext }: PlayPartProps) {
  return (
    <Part stage={stage} kicker="Free play" title="Try it yourself">
      <div>
        <Prose text={lesson.play} />
      </div>
      <Controls controls={controls} values={values} onChange={onChange} />
      <p>
        <a href={trainHash(lesson, values)}>Open these settings in Train</a>
      </p>
      {onNext && (
        <Button kind="primary" onPress={onNext}>
          Next: one last question
        </Button>
      )}
    </Part>
  );
}

interface TransferPartProps {
  readonly lesson: Lesson;
  readonly stage: number;
  /** Options in the order they were tried. */
  readonly tried: readonly number[];
  readonly isOver: boolean;
}

export function TransferPart({ lesson, stage, tried, isOver }: TransferPartProps) {
  const { text, options } = lesson.transfer;
  const last = tried.at(-1);
  const [picked, setPicked] = useState<number | null>(last ?? null);
  const answer = last === undefined ? null : options[last];
  const check = () => {
    if (picked === null) return;
    setProgress(lesson.id, { transfer: [...tried, picked], ...(options[picked]?.isRight ? { stage: stage + 1 } : {}) });
  };
  return (
    <Part stage={stage} kicker="Transfer" title="Does it carry over?">
      <p>{text}</p>
      <RadioGroup
        className="answers"
        aria-label="Your answer"
        value={picked === null ? null : String(picked)}
        onChange={(value) => setPicked(Number(value))}
        isDisabled={isOver}
      >
        {options.map((option, i) => (
          <Radio key={option.text} className="answer" value={String(i)}>
            <span className="answer-mark" aria-hidden="true" />
            {option.text}
          </Radio>
        ))}
      </RadioGroup>
      {!isOver && (
        <Button kind="primary" onPress={check} isResting={picked === null}>
          Check
        </Button>
      )}
      {answer && (
        <div className="lesson-outcome w-full">
          <MarkedAnswer isRight={answer.isRight === true}>{inline(answer.reason)}</MarkedAnswer>
        </div>
      )}
    </Part>
  );
}

interface EndPartProps {
  readonly lesson: Lesson;
  readonly stage: number;
  readonly next: Lesson | null;
  readonly values: Values;
  readonly onAgain: () => void;
}

export function EndPart({ lesson, stage, next, values, onAgain }: EndPartProps) {
  const again = () => {
    onAgain();
    forgetProgress(lesson.id);
  };
  return (
    <Part stage={stage} kicker="Done" title="Where this comes from">
      <ul className="grid gap-half">
        {lesson.sources.map((source) => (
          <li key={source}>{inline(source)}</li>
        ))}
      </ul>
      <p className="lesson-onward flex flex-wrap items-center">
        {next ? <a href={hashOf("learn", { lesson: next.id })}>Next lesson: {next.title}</a> : <a href={hashOf("learn")}>All lessons</a>}
        <a href={trainHash(lesson, values)}>Open these settings in Train</a>
        <Button kind="quiet" onPress={again}>
          Begin again
        </Button>
      </p>
    </Part>
  );
}
