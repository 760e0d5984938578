// What a lesson is: texts, controls, a state that they lead to, and a figure of it. The state comes from the functions the
// trainer calls, or from runs of the engine; texts, figure and table call its numbers by name (text.ts).
import type { SmallPlan, SmallRuns } from "../../experiment/small/smallRun.ts";
import type { FormulaProps } from "../../kit/formula/Formula.tsx";
import type { Mark } from "../figures/Figure.tsx";
import type { LoopPlace } from "../loop/source.ts";
import type { Words } from "./text.ts";

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

/** A control that is one of several. */
export function choiceControl(id: string, label: string, options: readonly string[], initial = 0): Control {
  return { id, label, min: 0, max: options.length - 1, step: 1, initial, options };
}

/** How an answer is given: one of several, one of the tokens in the figure, or a number. */
export type Ask =
  | { readonly kind: "choice" | "token"; readonly options: readonly string[] }
  | { readonly kind: "number"; readonly label: string; readonly min: number; readonly max: number };

/** What came of a prediction: never only wrong, always why. */
export interface Judged {
  readonly isRight: boolean;
  /** One paragraph. */
  readonly reason: string;
}

/** What the reader predicts. */
export interface Prediction<S> {
  /** With its answers below it (text.ts), unless `ask` says otherwise. */
  readonly question: string;
  readonly ask?: Ask;
  /** Judges an answer where the question does not say which is right, from the state that it was about. */
  readonly judge?: (answer: number, state: S) => Judged;
  /** Controls that it moves. */
  readonly set?: Values;
}

/** One phase of the loop, explained at the number it makes. */
export interface Phase {
  readonly title: string;
  /** Controls that this phase moves. */
  readonly set?: Values;
  /** TeX calls numbers as \num{name}; `spoken` and `symbols` as texts do. */
  readonly formula?: Omit<FormulaProps, "isBlock">;
  readonly text: string;
  /** The lines of the readable loop that run in it. */
  readonly loop: LoopPlace;
}

/** Where in a lesson the reader is, as a figure needs to know. */
export interface FigureMoment {
  /** -1 while the prediction is open, then the phase; as many as there are phases in free play. */
  readonly phase: number;
  readonly values: Values;
  readonly setValue: (id: string, value: number) => void;
}

/** A lesson as it is written; S is what its figure shows. Texts are written as Prose.tsx reads them. */
export interface LessonParts<S> {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  readonly minutes: number;
  readonly intro: string;
  readonly controls: readonly Control[];
  readonly runs?: (values: Values) => readonly SmallPlan[];
  readonly state: (values: Values, runs: SmallRuns) => S;
  readonly figureTitle: string;
  /** What the figure draws, for whoever asks its title. */
  readonly figureHelp?: string;
  readonly figure: (state: S, moment: Omit<FigureMoment, "setValue">) => readonly Mark[];
  /** What stands for the figure in the list of lessons, where that needs runs of the engine: the same drawing of numbers that need none. */
  readonly picture?: readonly Mark[];
  /** The figure's numbers as a table: for each heading the column of the state's rows, with a format behind a colon. */
  readonly columns: Readonly<Record<string, string>>;
  /** Headings of columns that would give the prediction's answer away; they come after it. */
  readonly answerColumns?: readonly string[];
  readonly prediction: Prediction<S>;
  readonly phases: readonly Phase[];
  readonly play: string;
  /** What free play begins at, where the last phase leaves the controls elsewhere. */
  readonly playFrom?: Values;
  /** A question with its answers below it. */
  readonly transfer: string;
  /** Each is one line, a link where there is one. */
  readonly sources: readonly string[];
  /** Names of train/grpo.ts on the lines of the phases, and what they stand for here. */
  readonly inLoop: Readonly<Record<string, string>>;
  /** The same settings on the Train screen, as its address has them; those of the last run where left out. */
  readonly train?: (values: Values) => Readonly<Record<string, string>>;
}

/** The state of every lesson has the rows of its table. */
export interface LessonState {
  readonly rows: readonly Words[];
}
