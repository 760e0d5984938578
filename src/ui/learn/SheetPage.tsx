// A sheet to print: every formula of the lessons with what its symbols stand for, and with the sentences and numbers of
// the reader's own runs where a lesson was begun.
import { useMemo } from "react";
import { Button } from "../controls/Button.tsx";
import { Formula } from "../formula/Formula.tsx";
import { SymbolScope } from "../formula/symbolScope.tsx";
import { hashOf } from "../route.ts";
import { useLab } from "./lab/useLab.ts";
import { initialValues, type Lesson, valuesAt } from "./lesson/lesson.ts";
import { lessons } from "./lessons/index.ts";
import { useProgress } from "./progress.ts";

/** Whether any phase has a formula; none needs a run for it. */
function hasFormula(lesson: Lesson): boolean {
  return lesson.phases.some((_, phase) => lesson.open(valuesAt(lesson, phase, initialValues(lesson)), []).phaseFormula(phase) !== null);
}

export function SheetPage() {
  return (
    <div className="learn-front sheet">
      <header>
        <p className="sheet-tools">
          <a href={hashOf("learn")}>All lessons</a>
          <Button onPress={() => window.print()}>Print</Button>
        </p>
        <h1>GRPO on one sheet</h1>
        <p className="sheet-tools note">A lesson that you have begun stands here with its sentences and the numbers of your run.</p>
      </header>
      {lessons.filter(hasFormula).map((lesson) => (
        <SymbolScope key={lesson.id}>
          <SheetPart lesson={lesson} />
        </SymbolScope>
      ))}
    </div>
  );
}

function SheetPart({ lesson }: { readonly lesson: Lesson }) {
  const isBegun = useProgress(({ lessons: known }) => known[lesson.id]?.answer != null);
  return (
    <section className="sheet-part">
      <h2>{lesson.title}</h2>
      {lesson.phases.map(({ title }, phase) => (
        <SheetPhase key={title} lesson={lesson} phase={phase} isBegun={isBegun} />
      ))}
      <p className="note">{lesson.sources.map(({ text }) => text).join("; ")}</p>
    </section>
  );
}

/** A phase with its formula; its sentences too, where the reader's run has their numbers. */
function SheetPhase({ lesson, phase, isBegun }: { readonly lesson: Lesson; readonly phase: number; readonly isBegun: boolean }) {
  const values = useMemo(() => valuesAt(lesson, phase, initialValues(lesson)), [lesson, phase]);
  const { now, runs } = useLab(lesson, values, isBegun);
  const hasNumbers = isBegun && (!lesson.runs || runs.length > 0);
  const formula = now.phaseFormula(phase);
  if (!formula) return null;
  const symbols = Object.values(formula.symbols ?? {});
  return (
    <div className="sheet-phase">
      <Formula {...formula} isBlock />
      {hasNumbers ? <div>{now.phaseText(phase)}</div> : symbols.length > 0 && <p className="note">Here: {symbols.join("; ")}.</p>}
    </div>
  );
}
