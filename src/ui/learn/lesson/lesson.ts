// What a lesson is: a question, a prediction that is locked in, phases that set controls and explain a number,
// free play, and a transfer question. All of it is data and pure functions of the figure's state; that state
// comes from the functions the trainer calls, or from runs of the engine.
import type { ReactNode } from "react";
import type { LabPlan, LabRuns } from "../../experiment/lab/labRun.ts";
import type { FormulaProps } from "../../kit/formula/Formula.tsx";

/** What the controls of a figure stand at, by their ids; a choice counts its options from 0. */
export type Values = Readonly<Record<string, number>>;

export interface Control {
  readonly id: string;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly initial: number;
  /** One of these instead of a number on a range. */
  readonly options?: readonly string[];
  readonly show?: (value: number) => string;
}

/** How an answer is given: one of several, one of the tokens in the figure, or a number. */
export type Ask =
  | { readonly kind: "choice" | "token"; readonly options: readonly string[] }
  | { readonly kind: "number"; readonly label: string; readonly min: number; readonly max: number };

/** What came of a prediction: never only wrong, always why. */
export interface Verdict {
  readonly isRight: boolean;
  /** A paragraph. */
  readonly reason: ReactNode;
}

/** The verdict on one of several: the reason that each option has, if any, and the numbers that follow whichever was chosen. */
export function verdictOn(answer: number, right: number, reasons: readonly string[], numbers: string): Verdict {
  return { isRight: answer === right, reason: `${reasons[answer]} ${numbers}`.trim() };
}

/** A prediction that is one of several. */
export const oneOf = (options: readonly string[]): Ask => ({ kind: "choice", options });

/** A control that is one of several. */
export function choiceControl(id: string, label: string, options: readonly string[], initial = 0): Control {
  return { id, label, min: 0, max: options.length - 1, step: 1, initial, options };
}

export interface TransferOption {
  readonly text: string;
  /** Why it is right, or what it overlooks. */
  readonly reason: string;
  readonly isRight?: true;
}

/** Numbers of the figure as a table. */
export interface NumberTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Where in a lesson the reader is, as a figure needs to know. */
export interface FigureMoment {
  /** -1 while the prediction is open, then the phase; as many as there are phases in free play. */
  readonly phase: number;
  readonly values: Values;
  readonly setValue: (id: string, value: number) => void;
}

export interface Source {
  readonly text: string;
  readonly href?: string;
}

/** One phase of the loop, explained at the number it makes. */
export interface Phase<S> {
  readonly title: string;
  /** Controls that this phase moves. */
  readonly set?: Values;
  readonly text: (state: S, values: Values) => ReactNode;
  readonly formula?: (state: S, values: Values) => Omit<FormulaProps, "isBlock">;
}

/** A lesson as it is written; S is what its figure shows. */
export interface LessonParts<S> {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  readonly minutes: number;
  readonly intro: ReactNode;
  readonly controls: readonly Control[];
  readonly runs?: (values: Values) => readonly LabPlan[];
  readonly state: (values: Values, runs: LabRuns) => S;
  readonly figureTitle: string;
  readonly figure: (state: S, moment: FigureMoment) => ReactNode;
  readonly table: (state: S, values: Values) => NumberTable;
  /** Columns of the table that would give the prediction's answer away; they come after it. */
  readonly answerColumns?: readonly string[];
  readonly prediction: { readonly text: ReactNode; readonly ask: Ask; readonly set?: Values };
  /** Answers a prediction from the state that the prediction was about; its runs are there by then. */
  readonly judge: (answer: number, state: S, values: Values) => Verdict;
  readonly phases: readonly Phase<S>[];
  readonly play: ReactNode;
  /** What free play begins at, where the last phase leaves the controls elsewhere. */
  readonly playFrom?: Values;
  readonly transfer: { readonly text: string; readonly options: readonly TransferOption[] };
  readonly sources: readonly Source[];
  /** The state under the names of train/grpo.ts, for the lines that loop/places.ts gives to each phase. */
  readonly inLoop: (state: S, values: Values) => Readonly<Record<string, string>>;
  /** The same settings on the Train screen, as its address has them. */
  readonly train: (values: Values) => Readonly<Record<string, string>>;
}

/** Hides what a lesson's state is made of from whoever shows lessons. */
export function defineLesson<S>({ state, figure, table, judge, phases, inLoop, ...rest }: LessonParts<S>) {
  const titles: readonly Pick<Phase<S>, "title" | "set">[] = phases;
  /** The lesson with its state inside: the controls' values and the runs, bound. */
  const open = (values: Values, runs: LabRuns) => {
    const now = state(values, runs);
    return {
      figure: (moment: FigureMoment) => figure(now, moment),
      table: table(now, values),
      judge: (answer: number) => judge(answer, now, values),
      phaseText: (phase: number) => phases[phase]?.text(now, values),
      phaseFormula: (phase: number) => phases[phase]?.formula?.(now, values) ?? null,
      /** What names of the readable loop stand for here. */
      inLoop: inLoop(now, values),
    };
  };
  return { ...rest, phases: titles, open };
}
export type Lesson = ReturnType<typeof defineLesson>;

/** What the controls stand at when a lesson is opened. */
export function initialValues({ controls }: Pick<Lesson, "controls">): Values {
  return Object.fromEntries(controls.map(({ id, initial }) => [id, initial]));
}

/** The values that a moment of the lesson shows: what its prediction, its phases up to this one and free play have set. */
export function shownValues(lesson: Lesson, phase: number, base: Values): Values {
  const sets = lesson.phases.slice(0, phase + 1).map(({ set }) => set);
  return Object.assign({}, base, lesson.prediction.set, ...sets, phase < lesson.phases.length ? {} : lesson.playFrom) as Values;
}

/** A lesson's table as it may be read before the prediction is locked in. */
export function withoutAnswers({ answerColumns = [] }: Pick<Lesson, "answerColumns">, { head, rows }: NumberTable): NumberTable {
  const isOpen = head.map((name) => !answerColumns.includes(name));
  return { head: head.filter((_, c) => isOpen[c]), rows: rows.map((row) => row.filter((_, c) => isOpen[c])) };
}
