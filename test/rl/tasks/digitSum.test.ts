import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { Random } from "../../../src/rl/random.ts";
import { digitSum } from "../../../src/rl/tasks/digitSum.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { answered } from "../trajectoryFixture.ts";

describe("digit sum", () => {
  it("starts as four digits that sum to 18, on a table with ten columns", () => {
    const task = digitSum.create({}, 0);
    expect([task.fixedLength, task.tableTokens, task.evaluation(1)[0]?.answer]).toEqual([4, 10, "18"]);
    expect(digitSum.entry.config).toMatchObject({
      groupSize: 24,
      steps: 300,
      learningRate: 0.5,
      klCoef: 0.02,
      promptsPerStep: 1,
      algorithm: "builtin",
    });
  });

  it("succeeds on 670 of the 10,000 answers", () => {
    const task = digitSum.create({}, 0);
    const [example] = task.evaluation(1);
    if (!example) throw new Error("no example");
    const answers = Array.from({ length: 10_000 }, (_, i) => String(i).padStart(4, "0"));
    expect(answers.filter((answer) => task.isSuccess(example, answered(example, answer)))).toHaveLength(670);
  });

  it("refuses a target that cannot be reached", () => {
    expect(() => digitSum.create({ length: 2, target: 19 }, 0)).toThrow(
      "taskOptions.target must be <= 18 (9 times taskOptions.length 2), got 19",
    );
    expect(() => digitSum.create({ length: 0 }, 0)).toThrow("taskOptions.length must be >= 1, got 0");
  });

  it("asks one question, in training and in evaluation, however many are wanted", () => {
    const task = digitSum.create({}, 0);
    expect(task.evaluation(64)).toEqual(task.trainLoader().next(1));
  });

  it("shows each target where they vary, holds some out, and judges by the one that was shown", () => {
    const task = digitSum.create({ length: 3, varied: true }, 0);
    const heldOut = task.evaluation(64);
    const trained = task.trainLoader().next(500);
    const answers = new Set([...heldOut, ...trained].map(({ answer }) => answer));
    expect(answers.size).toBe(28);
    expect(new Set(trained.map(({ answer }) => answer)).size).toBe(28 - heldOut.length);
    expect(heldOut.length).toBeGreaterThan(1);
    for (const example of [...heldOut, ...trained]) {
      expect(example.messages[0]?.content).toBe(example.answer.padStart(2, "0"));
      const right = task.demonstration(example, new Random(1), 0)({ messages: example.messages }).content;
      expect(task.isSuccess(example, answered(example, right))).toBe(true);
    }
  });

  it("asks for lengths of their own where they vary, holds some pairs out, and wants the places that are left blank", () => {
    const task = digitSum.create({ length: 3, variedLengths: true }, 0);
    expect([task.fixedLength, task.tableTokens]).toEqual([3, undefined]);
    const heldOut = task.evaluation(64);
    const trained = task.trainLoader().next(2000);
    const ids = (examples: readonly { readonly id: string }[]) => new Set(examples.map(({ id }) => id));
    expect([...ids(heldOut)].filter((id) => ids(trained).has(id))).toEqual([]);
    // 10, 19 and 28 sums of one, two and three digits.
    expect(ids(heldOut).size + ids(trained).size).toBe(57);
    expect(new Set(heldOut.map(({ id }) => id[0])).size).toBeGreaterThan(1);
    for (const example of [...heldOut, ...trained]) {
      const digits = Number(example.id[0]);
      expect(example.messages[0]?.content).toBe(`${digits} ${example.answer.padStart(2, "0")}`);
      const right = task.demonstration(example, new Random(1), 0)({ messages: example.messages }).content;
      expect(right.replaceAll("<begin>", "")).toHaveLength(digits);
      expect(digitsRenderer.renderCompletion({ role: "assistant", content: right })).toHaveLength(3);
      expect([task.hasForm(example, answered(example, right)), task.isSuccess(example, answered(example, right))]).toEqual([true, true]);
      const filled = answered(example, right.replace("<begin>", "0"));
      expect(task.isSuccess(example, filled)).toBe(digits === 3);
    }
    expect(digitsRenderer.renderPrompt({ messages: heldOut[0]?.messages ?? [] })).toHaveLength(4);
  });

  it("has no table for varying targets, which a table could not read", () => {
    const config = { task: "digit-sum", model: "tabular", taskOptions: { varied: true } } as const;
    expect(() => planRun({ config })).toThrow('model must be "transformer" for the task digit-sum with these options, got "tabular"');
  });

  it.each([
    [1, 0],
    [1, 9],
    [2, 18],
    [16, 144],
    [16, 70],
  ])("demonstrates %d digits with sum %d, and misses it on purpose", (length, target) => {
    const task = digitSum.create({ length, target }, 0);
    const [example] = task.trainLoader().next(1);
    if (!example) throw new Error("no example");
    const random = new Random(0);
    for (let i = 0; i < 100; i++) {
      expect(
        task.isSuccess(example, answered(example, task.demonstration(example, random, 0)({ messages: example.messages }).content)),
      ).toBe(true);
      const missed = answered(example, task.demonstration(example, random, 1)({ messages: example.messages }).content);
      expect([task.hasForm(example, missed), task.isSuccess(example, missed)]).toEqual([true, false]);
    }
  });
});
