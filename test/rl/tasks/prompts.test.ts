import { describe, expect, it } from "vitest";
import { fewProblems } from "../../../src/rl/accuracy.ts";
import { Random } from "../../../src/rl/random.ts";
import { prompts } from "../../../src/rl/tasks/prompts/prompts.ts";
import { WANTED_KINDS } from "../../../src/rl/tasks/prompts/wanted.ts";
import type { Example } from "../../../src/rl/types.ts";
import { pretrainedPresets } from "../../../src/train/pretrainedPresets.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { answered } from "../trajectoryFixture.ts";

const created = (options: Readonly<Record<string, unknown>>, seed = 1) => prompts.create(options, seed);
const all = (options: Readonly<Record<string, unknown>>) => {
  const task = created(options);
  return new Map(
    [...task.trainLoader().next(4000), ...task.evaluation(1000)].map((example) => [example.messages.at(-1)!.content, example.answer]),
  );
};

describe("custom prompts", () => {
  it("are lines, with an answer behind an arrow where there is one", () => {
    const text = "What is salt?\n\n  Name the capital of Peru. => Lima  \nIs 2 => 1? => yes\r\n";
    expect([...all({ prompts: text })].sort()).toEqual([
      ["Is 2 => 1?", "yes"],
      ["Name the capital of Peru.", "Lima"],
      ["What is salt?", ""],
    ]);
  });

  it("are asked in training or held out, and never both, but for a single one", () => {
    const task = created({ prompts: Array.from({ length: 16 }, (_, i) => `Prompt ${i}`).join("\n") });
    const held = task.evaluation(100).map(({ id }) => id);
    const trained = new Set(
      task
        .trainLoader()
        .next(500)
        .map(({ id }) => id),
    );
    expect([held.length, trained.size]).toEqual([2, 14]);
    expect(held.filter((id) => trained.has(id))).toEqual([]);
    const one = created({ prompts: "Hello" });
    expect([one.trainLoader().next(1), one.evaluation(3)]).toEqual([one.evaluation(1), one.evaluation(1)]);
  });

  it("hold out enough of 32 or more that an evaluation decides something", () => {
    const held = [31, 32, 40, 64, 80].map((count) => {
      const text = Array.from({ length: count }, (_, i) => `Prompt ${i}`).join("\n");
      return created({ prompts: text }).evaluation(100).length;
    });
    expect(held).toEqual([4, 8, 8, 8, 10]);
    for (const { id, config } of pretrainedPresets)
      expect(fewProblems(planRun({ config }).instance.evaluation(8).length, false), id).toBeNull();
  });

  it("keep braces that stand for nothing", () => {
    expect([...all({ prompts: "What is {} or {else} in JavaScript? => {x}" }).entries()]).toEqual([
      ["What is {} or {else} in JavaScript?", "{x}"],
    ]);
  });

  it("open with the system prompt where there is one", () => {
    const roles = (options: Readonly<Record<string, unknown>>) =>
      created(options)
        .evaluation(1)[0]
        ?.messages.map(({ role }) => role);
    expect(roles({})).toEqual(["user"]);
    expect(roles({ systemPrompt: "Be brief." })).toEqual(["system", "user"]);
  });
});

describe("braces in a prompt", () => {
  it("make a prompt of each thing, and of each country with its capital", () => {
    expect(all({}).size).toBe(40);
    const capitals = all({ prompts: "Capital of {country}? => {capital}", wanted: "named" });
    expect(capitals.size).toBe(32);
    expect(capitals.get("Capital of Japan?")).toBe("Tokyo");
  });

  it("are numbers whose sum and order the answer has", () => {
    const pairs = all({ prompts: "{a} {b} => {sum} {larger} {smaller}", largest: 6 });
    expect(pairs.size).toBe(30);
    for (const [question, answer] of pairs) {
      const [a, b] = question.split(" ").map(Number) as [number, number];
      expect(answer).toBe(`${a + b} ${Math.max(a, b)} ${Math.min(a, b)}`);
    }
  });
});

describe("what is wanted", () => {
  const example = (answer: string): Example => ({ id: "e", messages: [{ role: "user", content: "?" }], answer });
  const judged = (wanted: string, text: string, answer = "Lima", stopReason: "completed" | "max-tokens" = "completed") => {
    const task = created({ prompts: "? => 7", wanted });
    const trajectory = answered(example(answer), text, stopReason);
    const [part] = task.rewards;
    return [part && "score" in part ? part.score(example(answer), trajectory) : null, task.isSuccess(example(answer), trajectory)];
  };

  it.each([
    ["question", "Do you like it?", 1],
    ["question", "I like it.", 0],
    ["sentence", "It is a city by the sea.", 1],
    ["sentence", "It is a city. It is old.", 0],
    ["named", "The capital is Lima.", 1],
    ["named", "The capital is Cusco.", 0],
    ["alone", "Lima.", 1],
    ["alone", "The capital is Lima.", 0.5],
  ])("%s makes %j worth %d", (wanted, text, worth) => {
    expect(judged(wanted, text)).toEqual([worth, worth === 1]);
    expect(judged(wanted, text, "Lima", "max-tokens")).toEqual([0, false]);
  });

  it.each([
    ["It is 12.", 1],
    ["12 is larger than 7.", 0],
    ["7", 0.2],
  ])("number makes %j worth %d where 12 is right", (text, worth) => expect(judged("number", text, "12")).toEqual([worth, worth === 1]));

  it("is said by each kind's own worked answers", () => {
    for (const wanted of WANTED_KINDS) {
      const task = created({ prompts: "{a} and {b}? => {sum}", wanted });
      const [problem] = task.evaluation(1) as [Example];
      const said = (noise: number) => task.demonstration(problem, new Random(1), noise)({ messages: problem.messages });
      expect(task.isSuccess(problem, answered(problem, said(0).content)), wanted).toBe(true);
      expect(task.isSuccess(problem, answered(problem, said(1).content)), wanted).toBe(false);
    }
  });
});

describe("what cannot be asked", () => {
  it.each([
    [{ prompts: " \n" }, "taskOptions.prompts must have a prompt on at least one line, got none"],
    [{ prompts: "What?\n => Lima" }, 'taskOptions.prompts must have a prompt before "=>" on each line, line 2 has none'],
    [
      { prompts: "What? => {capital}" },
      "taskOptions.prompts may have {capital} in an answer where its question has {country}, line 1 has not",
    ],
    [{ prompts: "{a}? => {sum}" }, "taskOptions.prompts may have {sum} in an answer where its question has {a} and {b}, line 1 has not"],
    [{ prompts: "{a} {b} {country} {thing}", largest: 99 }, "taskOptions.prompts must make at most 50000 problems, line 1 makes more"],
    [
      { prompts: "What is salt?", wanted: "named" },
      'taskOptions.prompts must have an answer behind "=>" where taskOptions.wanted is "named", "What is salt?" has none',
    ],
    [
      { prompts: "What is 7 + 2? => nine", wanted: "number" },
      'taskOptions.prompts must have a number behind "=>" where taskOptions.wanted is "number", "What is 7 + 2?" has none',
    ],
  ])("%j is refused with a sentence", (options, sentence) => expect(() => created(options)).toThrow(sentence));
});
