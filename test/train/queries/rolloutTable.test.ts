// All rollouts of a run as one table, held to what the steps themselves say.
import { beforeAll, describe, expect, it } from "vitest";
import type { StepGroups } from "../../../src/protocol/messages.ts";
import type { TableCondition, TableQuery } from "../../../src/protocol/rollouts/rolloutTable.ts";
import { answerForm } from "../../../src/rl/table/tableColumns.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";

const STEPS = [1, 2, 3, 4, 5];
const ALL: TableQuery = { where: [], sort: null, from: 0, count: 1000, counted: false, curve: null };

describe("the table of a run's rollouts", () => {
  let session: DrivenSession;
  let steps: readonly StepGroups[];
  const ask = (query: Partial<TableQuery> = {}) => session.send({ type: "table", steps: STEPS, query: { ...ALL, ...query } });
  const where = async (...conditions: readonly TableCondition[]) => ask({ where: [...conditions] });
  const answers = () =>
    steps.flatMap(({ groups }) =>
      groups.flatMap((group) => group.trajectories.map((answer, trajectoryIndex) => ({ ...answer, group, trajectoryIndex }))),
    );

  beforeAll(async () => {
    session = await driveSession();
    const config = { task: "digit-sum", promptsPerStep: 4, groupSize: 8, steps: 5, evalEvery: 0 };
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "start", runId: "a", config });
    await finished;
    steps = await Promise.all(STEPS.map((step) => session.send({ type: "inspect", step })));
  });

  it("has every answer with the values that its step tells", async () => {
    const { rows, total, columns } = await ask();
    expect(total).toBe(5 * 4 * 8);
    const at = (id: string) => columns.findIndex((column) => column.id === id);
    expect(rows.map(({ step, promptIndex, trajectoryIndex }) => [step, promptIndex, trajectoryIndex])).toEqual(
      answers().map(({ group, trajectoryIndex }) => [group.step, group.promptIndex, trajectoryIndex]),
    );
    for (const [i, answer] of answers().entries()) {
      const { values, begin } = rows[i]!;
      expect(begin).toBe(answer.text);
      expect(values[at("reward")]).toBe(answer.reward);
      expect(values[at("advantage")]).toBe(answer.advantage);
      expect(values[at("right")]).toBe(answer.success ? "right" : "wrong");
      for (const { name, value } of answer.rewardParts) expect(values[at(`part:${name}`)]).toBe(value);
      expect(values[at("copies")]).toBe(answers().filter(({ text }) => text === answer.text).length);
    }
  });

  it("finds what conditions on numbers and words find one by one", async () => {
    const { found } = await where(
      { is: "between", column: "advantage", from: 0.5, to: 9 },
      { is: "one-of", column: "right", words: ["right"] },
    );
    expect(found).toBe(answers().filter(({ advantage, success }) => (advantage ?? 0) >= 0.5 && success).length);
    expect(found).toBeGreaterThan(0);
    expect((await where({ is: "one-of", column: "right", words: ["never"] })).found).toBe(0);
  });

  it("looks for text and regular expressions in whole answers", async () => {
    const text = answers()[0]!.text.trim().slice(0, 2);
    expect((await where({ is: "with-text", text })).found).toBe(answers().filter((each) => each.text.includes(text)).length);
    const { found } = await where({ is: "matching", pattern: "^\\D*\\d\\D*$" });
    expect(found).toBe(answers().filter((each) => /^\D*\d\D*$/su.test(each.text)).length);
  });

  it("sorts by a column, ties as the run has them, and hands out a part", async () => {
    const sorted = await ask({ sort: { column: "reward", isDescending: true }, from: 10, count: 20 });
    const expected = answers()
      .map((answer, i) => ({ answer, i }))
      .sort((a, b) => (b.answer.reward ?? 0) - (a.answer.reward ?? 0) || a.i - b.i)
      .slice(10, 30);
    expect(sorted.rows.map(({ begin }) => begin)).toEqual(expected.map(({ answer }) => answer.text));
    expect(sorted.found).toBe(160);
  });

  it("counts values and draws a column over the steps", async () => {
    const { counts, curve } = await ask({ counted: true, curve: "reward" });
    expect(counts.map(({ column }) => column)).toEqual(expect.arrayContaining(["reward", "right", "form", "copies"]));
    for (const column of counts) {
      const parts = column.kind === "number" ? column.bins : column.words.map(({ count }) => count);
      expect(parts.reduce((sum, count) => sum + count, 0)).toBe(160);
    }
    expect(curve!.steps).toEqual(STEPS);
    for (const [i, { groups }] of steps.entries()) {
      const rewards = groups.flatMap(({ trajectories }) => trajectories.map(({ reward }) => reward!));
      expect(curve!.means[i]).toBeCloseTo(rewards.reduce((a, b) => a + b) / rewards.length, 12);
    }
  });

  it("says what is wrong with a question, and of steps that are gone why they are not there", async () => {
    await expect(ask({ sort: { column: "rewards", isDescending: true } })).rejects.toThrow(/column must be one of .*, got "rewards"/);
    await expect(where({ is: "matching", pattern: "(" })).rejects.toThrow(
      /pattern must be a regular expression that comes to an end, got "\("/,
    );
    const beyond = await session.send({ type: "table", steps: [...STEPS, 99], query: ALL });
    expect(beyond).toMatchObject({ total: 160, unread: { count: 1 } });
    expect(beyond.unread!.why).toMatch(/step 99/);
  });
});

describe("the form of an answer", () => {
  it.each([
    ["\\boxed{97}", "\\boxed{0}"],
    ["The sum of 7 and 90 is \\boxed{97}.", "a … 0 a 0 a \\boxed{0}."],
    ["", "(empty)"],
    ["  \n", "(blank)"],
    ["1, 2, 3,5", "0 …"],
  ])("of %j is %j", (text, form) => {
    expect(answerForm(text)).toBe(form);
  });
});
