// Every lesson from its prediction to its end, on the engine in Node: all runs are made, every wrong prediction has its
// reason, every phase its text and formula, and no number is missing.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Formula } from "../../../src/ui/kit/formula/Formula.tsx";
import { namesIn, parseFormula } from "../../../src/ui/kit/formula/typeset.ts";
import { initialValues, type Lesson, shownValues, withoutAnswers } from "../../../src/ui/learn/lesson/lesson.tsx";
import type { Values } from "../../../src/ui/learn/lesson/parts.ts";
import { CRITIC_RUN, harmfulAnswers, meanSurprise } from "../../../src/ui/learn/lessons/critic.ts";
import {
  ALL,
  settingsOf as adapterSettings,
  LARGE,
  RANK_1,
  shareOfGain,
  stateOf,
  YARDSTICK,
} from "../../../src/ui/learn/lessons/fewNumbers.ts";
import { lessons } from "../../../src/ui/learn/lessons/index.ts";
import { LOOP_LINES, linesAt, piecesOfLine } from "../../../src/ui/learn/loop/source.ts";
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
  it("is of lessons, each with its own id, 4 to 8 minutes, sources and one right answer to its last question", () => {
    expect(new Set(lessons.map(({ id }) => id)).size).toBe(lessons.length);
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

it("has the right answer to its last question now here, now there", () => {
  const places = lessons.map(({ transfer }) => transfer.options.findIndex(({ isRight }) => isRight));
  for (const place of [0, 1, 2]) expect(places.filter((other) => other === place).length).toBeGreaterThanOrEqual(2);
});

describe("the readable loop beside the lessons", () => {
  it("has one line for each piece that a phase of a lesson names, and a place for each phase", () => {
    for (const { id, phases } of lessons) {
      for (const piece of phases.flatMap(({ loop }) => loop.at))
        expect(
          LOOP_LINES.filter((line) => line.includes(piece)),
          `${id}: ${piece}`,
        ).toHaveLength(1);
    }
    expect(linesAt(["no line of the loop"])).toEqual([]);
  });

  it("cuts a line at names that have a value, once each, and not at fields of others", () => {
    const parts = piecesOfLine("  A = b.A + A - Ab + max(...all);", { A: "+1", Ab: "2", all: "3" });
    expect(parts.map(({ text }) => text)).toEqual(["  ", "A", " = b.A + A - ", "Ab", " + max(...", "all", ");"]);
    expect(parts.flatMap(({ value }) => value ?? [])).toEqual(["+1", "2", "3"]);
  });
});

describe.each(lessons.map((lesson) => [lesson.id, lesson] as const))("the lesson %s", (_, lesson) => {
  const base = initialValues(lesson);

  it("answers every prediction, a wrong one with its reason", async () => {
    const open = await openAt(lesson, shownValues(lesson, -1, base));
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
      const values = shownValues(lesson, i, base);
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
      for (const [name, value] of Object.entries(open.inLoop)) expect(`${name}: ${value}`).not.toMatch(MISSING);
      const figure = renderToStaticMarkup(open.figure({ phase: i, values, setValue: () => {} }));
      expect(figure).not.toMatch(/="[^"]*(NaN|Infinity|undefined)[^"]*"/);
    }
  });

  it("has its formulas before any run, for the sheet, with no number missing", () => {
    for (const [i] of lesson.phases.entries()) {
      const formula = lesson.open(shownValues(lesson, i, base), []).phaseFormula(i);
      if (formula) expect([formula.tex, ...Object.values(formula.symbols ?? {})].join(" ; ")).not.toMatch(MISSING);
    }
  });

  it("gives every phase's lines in the loop a name with a number, and every number a line", () => {
    const values = shownValues(lesson, lesson.phases.length, base);
    const { inLoop } = lesson.open(values, []);
    const named = lesson.phases.map(({ loop }) =>
      linesAt(loop.at).flatMap((line) =>
        piecesOfLine(LOOP_LINES[line]!, inLoop).flatMap(({ text, value }) => (value === undefined ? [] : [text])),
      ),
    );
    expect(named.filter((names) => names.length === 0)).toEqual([]);
    expect(Object.keys(inLoop).filter((name) => !named.flat().includes(name))).toEqual([]);
  });

  it("gives no answer away before the prediction, and draws without its runs", () => {
    const values = shownValues(lesson, -1, base);
    const { figure, table } = lesson.open(values, []);
    expect(renderToStaticMarkup(figure({ phase: -1, values, setValue: () => {} }))).not.toMatch(/="[^"]*(NaN|Infinity|undefined)[^"]*"/);
    // Every column that waits is there to wait, and those that do not wait keep their cells.
    const shown = withoutAnswers(lesson, table);
    expect(table.head.filter((name) => !shown.head.includes(name))).toEqual(lesson.answerColumns ?? []);
    expect(shown.rows.every((row) => row.length === shown.head.length)).toBe(true);
  });
});

describe("the runs bear out what the lessons say:", () => {
  it("a reward that can be cheated is cheated without a KL, which keeps what the start could do", async () => {
    const lesson = lessons.find(({ id }) => id === "what-the-kl-is-for")!;
    const { rows } = (await openAt(lesson, shownValues(lesson, 1, initialValues(lesson)))).table;
    // Paid and right without the KL, then both with it, each in the first five steps and in the last.
    const mean = (column: number, part: typeof rows) =>
      part.reduce((sum, row) => sum + Number.parseFloat(String(row[column])), 0) / part.length;
    const [paid, right, heldPaid, heldRight] = [1, 2, 3, 4].map(
      (column) => [mean(column, rows.slice(0, 5)), mean(column, rows.slice(-5))] as const,
    );
    expect(paid![1]).toBeGreaterThan(60);
    expect(right![0]).toBeGreaterThan(20);
    expect(right![1]).toBeLessThan(10);
    expect(heldRight![1]).toBeGreaterThan(15);
    expect(heldPaid![1]).toBeLessThan(paid![1]);
  });

  it("tied groups leave a run where it is, to the last bit and at any rate, and an easier reward moves it", async () => {
    const lesson = lessons.find(({ id }) => id === "nothing-moves")!;
    const base = initialValues(lesson);
    const columns = async (values: Values) => (await openAt(lesson, values)).table.rows.map((row) => [row[1], row[3]]);
    const still = await columns(shownValues(lesson, 0, base));
    expect(still.every(([paid, gradNorm]) => paid === "0 %" && gradNorm === 0)).toBe(true);
    expect(await columns(shownValues(lesson, -1, base))).toEqual(still);
    const moving = await columns(shownValues(lesson, 3, base));
    expect(Number.parseFloat(String(moving.at(-1)![0]))).toBeGreaterThan(50);
  });

  it("a stand-in gets all of the reward and none of the task, the checker both, and an accident part of it", async () => {
    const lesson = lessons.find(({ id }) => id === "reward-hacking")!;
    const ends = [];
    for (const i of [0, 2, 3]) {
      const rows = (await openAt(lesson, shownValues(lesson, i, initialValues(lesson)))).table.rows.slice(-10);
      ends.push([1, 2].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0) / rows.length));
    }
    const [[standIn, hacked], [, learnt], [, lucky]] = ends as [number[], number[], number[]];
    expect(standIn).toBeGreaterThan(0.95);
    expect(hacked).toBeLessThan(0.02);
    expect(learnt).toBeGreaterThan(0.9);
    expect(lucky).toBeGreaterThan(0.2);
  });

  it("rank 1 gains nearly what all weights do, which the adapters' rate leads too far", async () => {
    const at = async (values: Values) =>
      stateOf(values, await Promise.all([YARDSTICK, values].map((each) => runInNode({ config: adapterSettings(each), inspect: [] }))));
    const [one, far] = [await at({ trained: RANK_1, places: 0, rate: LARGE }), await at({ trained: ALL, places: 0, rate: LARGE })];
    expect(one.chosen!.trained / one.all!.trained).toBeLessThan(0.02);
    expect(one.all!.last - one.all!.first).toBeGreaterThan(0.1);
    expect(shareOfGain(one)).toBeGreaterThan(2 / 3);
    expect(far.chosen!.last).toBeLessThan(far.all!.first);
  });

  it("a critic falls at a small digit as it is said, and rises at 9s", async () => {
    const run = await runInNode(CRITIC_RUN);
    const answers = harmfulAnswers(run.steps[0]?.groups[0]?.trajectories ?? []);
    const [first] = answers;
    expect(Number(first!.pieces[first!.worst])).toBeLessThan(5);
    expect(first!.surprise[first!.worst]).toBeLessThan(-0.2);
    expect(meanSurprise(answers, (digit) => digit === 9)).toBeGreaterThan(0.03);
    expect(meanSurprise(answers, (digit) => digit < 5)).toBeLessThan(-0.08);
  });
});
