// A lesson of one file is all that the page needs: with it in the list, every page of Learn has it.
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { EmbedPage } from "../../../src/ui/learn/EmbedPage.tsx";
import { LessonList } from "../../../src/ui/learn/LessonList.tsx";
import { givenAnswers } from "../../../src/ui/learn/lesson/answers.ts";
import { LessonPage } from "../../../src/ui/learn/lesson/LessonPage.tsx";
import { LessonRail } from "../../../src/ui/learn/lesson/LessonRail.tsx";
import { initialValues, type Lesson, shownValues } from "../../../src/ui/learn/lesson/lesson.tsx";
import { EndPart, PhasePart, PlayPart, PredictionPart, TransferPart } from "../../../src/ui/learn/lesson/lessonParts.tsx";
import { inline } from "../../../src/ui/learn/lesson/Prose.tsx";
import { fill, readQuestion } from "../../../src/ui/learn/lesson/text.ts";
import { lessons } from "../../../src/ui/learn/lessons/index.ts";
import { LoopEssay } from "../../../src/ui/learn/loop/LoopEssay.tsx";
import { SheetPage } from "../../../src/ui/learn/SheetPage.tsx";
import { teacherLink } from "../../../src/ui/learn/TeachPage.tsx";
import { madeUp } from "./madeUpLesson.ts";

const list = lessons as Lesson[];
const begun = { stage: 4, answer: 0, isRight: false, transfer: [1] };

beforeAll(() => {
  vi.stubGlobal("window", { location: { pathname: "/lab/" } });
  list.push(madeUp as Lesson);
});
afterAll(() => {
  vi.unstubAllGlobals();
  list.pop();
});

const values = (phase: number) => shownValues(madeUp, phase, initialValues(madeUp));

describe("a lesson of one file", () => {
  it("is in the list, on the rail, on the sheet, in a teacher's link and in the file of answers", () => {
    for (const place of [<LessonList key="list" asked={{ lesson: null, page: null }} />, <LessonRail key="rail" current="made-up" />])
      expect(renderToStaticMarkup(place)).toContain("How much a coin can tell");
    const sheet = renderToStaticMarkup(<SheetPage />);
    expect(sheet).toContain("v is p times one minus p, 0.250");
    expect(sheet).toContain("Bernoulli 1713");
    expect(teacherLink("https://example.org/", madeUp, { chance: 0.5 }, [], true)).toBe("https://example.org/?embed=made-up&chance=0.5");
    const [answers] = givenAnswers({ "made-up": begun }).lessons;
    expect(answers).toMatchObject({
      prediction: "When success is rare.",
      transfer: [{ answer: "Those that are always solved.", right: false }],
    });
  });

  it("is walked from its prediction to its end", () => {
    const first = renderToStaticMarkup(<LessonPage lesson={madeUp} place={null} next={null} fixed={{}} hidden={[]} />);
    expect(first).toContain("<b>Rare</b> successes.");
    expect(first).not.toContain("Bernoulli");
    const now = madeUp.open(values(-1), []);
    expect(now.judge(1).isRight).toBe(true);
    const opened = renderToStaticMarkup(
      <>
        <PredictionPart lesson={madeUp} progress={begun} verdict={now.judge(0)} isWaiting={false} />
        <PhasePart lesson={madeUp} index={0} base={initialValues(madeUp)} />
        <PlayPart lesson={madeUp} stage={2} controls={madeUp.controls} values={values(1)} onChange={() => {}} />
        <TransferPart lesson={madeUp} stage={3} tried={begun.transfer} isOver />
        <EndPart lesson={madeUp} stage={4} next={null} values={values(1)} onAgain={() => {}} />
      </>,
    );
    for (const part of ["Not so.", "at p = 20 % the variance is 0.160", "Move the chance", "Their rewards do not vary.", "Bernoulli 1713"])
      expect(opened).toContain(part);
    expect(opened).toContain('<a href="https://example.org/bernoulli" target="_blank" rel="noreferrer">Bernoulli</a> found: ');
  });

  it("is a frame with its figure and its numbers, and marks its lines in the loop", () => {
    const frame = renderToStaticMarkup(<EmbedPage query={new URLSearchParams("embed=made-up&phase=1")} />);
    expect(frame).toContain("At p = 50 % it is ");
    expect(frame).toContain("<td>75 %</td><td>0.188</td>");
    const { inLoop } = madeUp.open(values(0), []);
    const loop = renderToStaticMarkup(<LoopEssay phases={madeUp.phases} phase={0} values={inLoop} />);
    expect(loop).toContain("GRPO divides by its root.");
    expect(loop).toMatch(/data-now="true"[^>]*>\s*const/);
  });
});

describe("a text of a lesson", () => {
  it("says which name or word it lacks, and which answer it cannot read", () => {
    expect(() => fill("{spread:+}", {})).toThrow("internal: no number or text {spread:+}");
    expect(() => inline("a [[wrod]]")).toThrow("internal: no word [[wrod]] in the glossary");
    expect(() => readQuestion("Which?\n- [y] this")).toThrow('must begin with "- [x] " or "- [ ] "');
  });

  it("has marks within marks", () => {
    const shown = renderToStaticMarkup(<p>{inline("**{a@v}** *or* `{b}`, p^{{n}} and x_{i}", { a: 0.5, b: "six", n: 8 })}</p>);
    expect(shown.replace(/<span class="symbol-number[^>]*>/, "<span>")).toBe(
      '<p><b><span>0.500</span></b> <i>or</i> <span class="mono">six</span>, p<sup>8</sup> and x<sub>i</sub></p>',
    );
  });
});
