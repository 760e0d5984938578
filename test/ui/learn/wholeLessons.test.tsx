// Every lesson as the page shows it, from its first words to its end: a word that the glossary lacks, a number that the state lacks
// or a control that is not there would take the screen down.
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { LessonPage } from "../../../src/ui/learn/lesson/LessonPage.tsx";
import { initialValues, shownValues } from "../../../src/ui/learn/lesson/lesson.tsx";
import { EndPart, PhasePart, PlayPart, PredictionPart, TransferPart } from "../../../src/ui/learn/lesson/lessonParts.tsx";
import type { Values } from "../../../src/ui/learn/lesson/parts.ts";
import { lessons } from "../../../src/ui/learn/lessons/index.ts";
import { LESSON_IDS } from "../../browser/lessonIds.ts";

beforeAll(() => void vi.stubGlobal("window", { location: { pathname: "/lab/" } }));
afterAll(() => void vi.unstubAllGlobals());

it("walks every lesson in a browser", () => {
  expect(lessons.map(({ id }) => id)).toEqual(LESSON_IDS);
});

describe.each(lessons.map((lesson) => [lesson.id, lesson] as const))("the lesson %s", (_, lesson) => {
  const base = initialValues(lesson);

  it("is drawn whole", () => {
    const now = lesson.open(shownValues(lesson, -1, base), []);
    const end = lesson.phases.length;
    const { ask } = lesson.prediction;
    const answers = ask.kind === "number" ? [ask.min, ask.max] : ask.options.map((_option, i) => i);
    const tried = lesson.transfer.options.map((_option, i) => i);
    const begun = { stage: end + 2, answer: answers[0]!, isRight: false, transfer: tried };
    const shown = renderToStaticMarkup(
      <>
        <LessonPage lesson={lesson} place={null} next={null} fixed={{}} hidden={[]} />
        {answers.map((answer) => (
          <PredictionPart key={answer} lesson={lesson} progress={{ ...begun, answer }} verdict={now.judge(answer)} isWaiting={false} />
        ))}
        {lesson.phases.map(({ title }, index) => (
          <PhasePart key={title} lesson={lesson} index={index} base={base} />
        ))}
        <PlayPart lesson={lesson} stage={end + 1} controls={lesson.controls} values={shownValues(lesson, end, base)} onChange={() => {}} />
        <TransferPart lesson={lesson} stage={end + 2} tried={tried} isOver />
        <EndPart lesson={lesson} stage={end + 3} next={null} values={shownValues(lesson, end, base)} onAgain={() => {}} />
      </>,
    );
    for (const { title } of lesson.phases) expect(shown).toContain(title);
  });

  it("sets controls that it has, and reads each of them", () => {
    const ids = lesson.controls.map(({ id }) => id);
    const { prediction, playFrom = {}, phases } = lesson;
    for (const set of [prediction.set, playFrom, ...phases.map(({ set = {} }) => set)])
      expect(ids).toEqual(expect.arrayContaining(Object.keys(set)));
    const read = new Set<string>();
    const values: Values = new Proxy(base, {
      get: (target, name) => {
        read.add(String(name));
        return Reflect.get(target, name) as unknown;
      },
    });
    lesson.runs?.(values);
    const now = lesson.open(values, []);
    for (const [phase] of phases.entries()) {
      now.phaseText(phase);
      renderToStaticMarkup(now.figure({ phase, values, setValue: () => {} }));
    }
    expect([...read]).toEqual(expect.arrayContaining(ids));
  });
});
