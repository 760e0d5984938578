// From a lesson as it is written to one that the page shows: its questions read, and its state bound to what is drawn and said.
import { addressOf, type SmallRuns } from "../../experiment/small/smallRun.ts";
import { Figure, type NumberTable } from "../figures/Figure.tsx";
import { inline, Prose } from "./Prose.tsx";
import type { FigureMoment, LessonParts, LessonState, Prediction, Values } from "./parts.ts";
import { fill, fillTex, readQuestion, valueAt, type Words, written } from "./text.ts";

function tableOf(columns: Readonly<Record<string, string>>, rows: readonly Words[]): NumberTable {
  const cell = (row: Words, column: string) => {
    const [name = "", format] = column.split(":");
    const value = valueAt(row, name);
    return format === undefined && typeof value === "number" ? value : written(row, name, format);
  };
  return { head: Object.keys(columns), rows: rows.map((row) => Object.values(columns).map((column) => cell(row, column))) };
}

/** The question of a prediction, and what an answer to it is told. */
function readPrediction<S>({ question, ask, judge, set = {} }: Prediction<S>) {
  const { text, options } = readQuestion(question);
  const said = (answer: number) => options[answer] ?? { isRight: false, reason: "" };
  return {
    prediction: { text, ask: ask ?? { kind: "choice" as const, options: options.map((option) => option.text) }, set },
    judge: judge ?? said,
  };
}

/** Hides what a lesson's state is made of from whoever shows lessons. */
export function defineLesson<S extends LessonState>(parts: LessonParts<S>) {
  const { state, figure, figureHelp, columns, inLoop, prediction: asked, transfer, ...rest } = parts;
  const { prediction, judge } = readPrediction(asked);
  const { phases } = rest;
  /** The lesson with its state inside: the controls' values and the runs, bound. */
  const open = (values: Values, runs: SmallRuns) => {
    const now = state(values, runs);
    const words = { ...values, ...now };
    return {
      figure: ({ setValue, ...moment }: FigureMoment) => <Figure marks={figure(now, moment)} words={words} setValue={setValue} />,
      table: tableOf(columns, now.rows),
      judge: (answer: number) => {
        const { isRight, reason } = judge(answer, now);
        return { isRight, reason: inline(reason, words) };
      },
      phaseText: (phase: number) => phases[phase] && <Prose text={phases[phase].text} words={words} />,
      phaseFormula: (phase: number) => {
        const formula = phases[phase]?.formula;
        if (!formula) return null;
        const { tex, spoken, symbols = {} } = formula;
        return { tex: fillTex(tex, words), spoken: fill(spoken, words), symbols: filled(symbols, words) };
      },
      /** What names of the readable loop stand for here. */
      inLoop: filled(inLoop, words),
    };
  };
  const train = (values: Values) => {
    const last = rest.runs?.(values).at(-1);
    return last ? addressOf(last.config) : {};
  };
  const help = figureHelp ?? `Its numbers stand in the table below: ${Object.keys(columns).join(", ")}.`;
  return { train, ...rest, figureHelp: help, prediction, transfer: readQuestion(transfer), open };
}
export type Lesson = ReturnType<typeof defineLesson>;

function filled(texts: Readonly<Record<string, string>>, words: Words): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text, words)]));
}

/** What the controls stand at when a lesson is opened. */
export function initialValues({ controls }: Pick<Lesson, "controls">): Values {
  return Object.fromEntries(controls.map(({ id, initial }) => [id, initial]));
}

/** The values that a moment of the lesson shows: what its prediction, its phases up to this one and free play have set. */
export function shownValues(lesson: Lesson, phase: number, base: Values): Values {
  const sets = lesson.phases.slice(0, phase + 1).map(({ set }) => set);
  return Object.assign({}, base, lesson.prediction.set, ...sets, phase < lesson.phases.length ? {} : lesson.playFrom) as Values;
}

/** The values that an address fixes ("#/learn?lesson=ratio&clip=0.1"), within what the controls allow. */
export function fixedIn(lesson: Lesson, query: URLSearchParams): Values {
  const fixed: Record<string, number> = {};
  for (const { id, min, max, options } of lesson.controls) {
    const text = query.get(id);
    const value = Number(text);
    if (text === null || text.trim() === "" || !Number.isFinite(value)) continue;
    if (options && !Number.isInteger(value)) continue;
    fixed[id] = Math.min(options ? options.length - 1 : max, Math.max(options ? 0 : min, value));
  }
  return fixed;
}

/** A lesson's table as it may be read before the prediction is locked in. */
export function withoutAnswers({ answerColumns = [] }: Pick<Lesson, "answerColumns">, { head, rows }: NumberTable): NumberTable {
  const isOpen = head.map((name) => !answerColumns.includes(name));
  return { head: head.filter((_, c) => isOpen[c]), rows: rows.map((row) => row.filter((_, c) => isOpen[c])) };
}
