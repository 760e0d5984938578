// Every lesson from its prediction to its end, on the engine in Node: all runs are made, every wrong prediction has its
// reason, every phase its text and formula, and no number is missing.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Formula } from "../../../src/ui/formula/Formula.tsx";
import { namesIn, parseFormula } from "../../../src/ui/formula/typeset.ts";
import { initialValues, type Lesson, type Values, valuesAt } from "../../../src/ui/learn/lesson.ts";
import { lessons } from "../../../src/ui/learn/lessons/index.ts";
import { runInNode } from "./nodeLab.ts";

/** A text as it is read, without marks. */
function read(node: React.ReactNode): string {
  return renderToStaticMarkup(node)
    .replace(/<[^>]*>/g, "")
    .trim();
}

/** NaN is drawn as a dash, so nothing in a text may be one by itself. */
const MISSING = /NaN|undefined|Infinity|\[object|(^|[\s(])–([\s,.)]|$)/;

async function openAt(lesson: Lesson, values: Values) {
  const runs = await Promise.all((lesson.runs?.(values) ?? []).map(runInNode));
  return lesson.open(values, runs);
}

/** Answers to try: every option, or numbers across the range. */
function answersTo({ prediction: { ask } }: Lesson): readonly number[] {
  return ask.kind === "number"
    ? Array.from({ length: 81 }, (_, i) => ask.min + (i / 80) * (ask.max - ask.min))
    : ask.options.map((_, i) => i);
}

describe("the list of lessons", () => {
  it("has eleven, each with its own id, 4 to 8 minutes, sources and one right answer to its last question", () => {
    expect(new Set(lessons.map(({ id }) => id)).size).toBe(11);
    for (const { id, minutes, sources, transfer, question } of lessons) {
      expect(minutes, id).toBeGreaterThanOrEqual(4);
      expect(minutes, id).toBeLessThanOrEqual(8);
      expect(sources.length, id).toBeGreaterThan(0);
      expect(question, id).toMatch(/\?$/);
      expect(
        transfer.options.filter(({ isRight }) => isRight),
        id,
      ).toHaveLength(1);
      for (const { reason } of transfer.options) expect(reason.length, id).toBeGreaterThan(30);
    }
  });
});

describe.each(lessons.map((lesson) => [lesson.id, lesson] as const))("the lesson %s", (_, lesson) => {
  const base = initialValues(lesson);

  it("answers every prediction, a wrong one with its reason", async () => {
    const open = await openAt(lesson, valuesAt(lesson, -1, base));
    const verdicts = answersTo(lesson).map((answer) => open.judge(answer));
    for (const { reason } of verdicts) {
      expect(read(reason).length).toBeGreaterThan(40);
      expect(read(reason)).not.toMatch(MISSING);
    }
    const right = verdicts.filter(({ isRight }) => isRight).length;
    if (lesson.prediction.ask.kind === "number") expect(right).toBeGreaterThan(0);
    else expect(right).toBe(1);
    expect(right).toBeLessThan(verdicts.length);
  });

  it("explains each phase with the numbers of its own state", async () => {
    for (const [i] of lesson.phases.entries()) {
      const values = valuesAt(lesson, i, base);
      const open = await openAt(lesson, values);
      expect(read(open.phaseText(i))).not.toMatch(MISSING);
      expect(read(open.phaseText(i)).length).toBeGreaterThan(60);
      const formula = open.phaseFormula(i);
      if (formula) {
        const names = namesIn(parseFormula(formula.tex, true));
        expect(names.filter((name) => !formula.symbols?.[name])).toEqual([]);
        expect(renderToStaticMarkup(<Formula {...formula} isBlock />)).toContain("<math");
      }
      expect(open.table.rows.length).toBeGreaterThan(0);
      const figure = renderToStaticMarkup(open.figure({ phase: i, values, setValue: () => {} }));
      expect(figure).not.toMatch(/="[^"]*(NaN|Infinity|undefined)[^"]*"/);
    }
  });

  it("gives no answer away before the prediction, and draws without its runs", () => {
    const values = valuesAt(lesson, -1, base);
    const figure = renderToStaticMarkup(lesson.open(values, []).figure({ phase: -1, values, setValue: () => {} }));
    expect(figure).not.toMatch(/="[^"]*(NaN|Infinity|undefined)[^"]*"/);
  });
});
