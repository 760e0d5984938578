// One figure of a lesson by itself, for a slide or another page: "?embed=ratio&clip=0.1&hide=passes&phase=1". It fills
// its frame, fixes values, hides controls, and needs no other part of the page.
import { useMemo, useState } from "react";
import { hashOf, placeIn } from "../engine/route.ts";
import { SymbolScope } from "../kit/formula/symbolScope.tsx";
import { FigureFrame } from "./figures/Figure.tsx";
import { Controls } from "./lesson/Controls.tsx";
import { fixedIn, initialValues, type Lesson, shownValues } from "./lesson/lesson.tsx";
import type { Values } from "./lesson/parts.ts";
import { useLessonRuns } from "./lesson/useLessonRuns.ts";
import { lessons } from "./lessons/index.ts";
import "./learn.css";
import "./lesson/lesson.css";
import "./teach.css";
import "./figures/figures.css";

/** The moment that an address asks for: a phase counted from 1, or free play where it names none. */
function phaseIn(lesson: Lesson, query: URLSearchParams): number {
  const phase = Number(query.get("phase") ?? Number.NaN);
  return Number.isInteger(phase) && phase >= 1 && phase <= lesson.phases.length ? phase - 1 : lesson.phases.length;
}

/** @param query of the page's own address. */
export function EmbedPage({ query }: { readonly query: URLSearchParams }) {
  const lesson = lessons.find(({ id }) => id === query.get("embed"));
  if (!lesson)
    return (
      <main className="embed grid content-start gap-1">
        <p>
          There is no figure “{query.get("embed")}”. There are {lessons.map(({ id }) => id).join(", ")}.
        </p>
      </main>
    );
  return (
    <main className="embed grid content-start gap-1">
      <EmbeddedFigure lesson={lesson} query={query} />
    </main>
  );
}

/** Give it a key of the address: values that are set by hand belong to one. */
export function EmbeddedFigure({ lesson, query }: { readonly lesson: Lesson; readonly query: URLSearchParams }) {
  const phase = phaseIn(lesson, query);
  const start = useMemo(
    () => ({ ...shownValues(lesson, Math.min(phase, lesson.phases.length - 1), initialValues(lesson)), ...fixedIn(lesson, query) }),
    [lesson, phase, query],
  );
  const [values, setValues] = useState<Values>(start);
  const { now, isBusy, problem, again } = useLessonRuns(lesson, values, true);
  const setValue = (id: string, value: number) => setValues((before) => ({ ...before, [id]: value }));
  const hidden = placeIn("learn", query).hide;
  const controls = hidden.includes("all") ? [] : lesson.controls.filter(({ id }) => !hidden.includes(id));
  return (
    <>
      <SymbolScope>
        <FigureFrame
          title={lesson.figureTitle}
          help={lesson.figureHelp}
          table={now.table}
          isBusy={isBusy}
          problem={problem}
          onAgain={again}
        >
          {now.figure({ phase, values, setValue })}
        </FigureFrame>
        {controls.length > 0 && <Controls controls={controls} values={values} onChange={setValue} />}
      </SymbolScope>
      <p className="fine-print embed-home">
        From the lesson{" "}
        <a href={`${window.location.pathname}${hashOf("learn", { lesson: lesson.id })}`} target="_blank" rel="noreferrer">
          {lesson.title}
        </a>{" "}
        of Rollout Lab
      </p>
    </>
  );
}
