import { describe, expect, it } from "vitest";
import { judgeSchema } from "../../../src/protocol/custom/judges.ts";
import { InputError } from "../../../src/protocol/problems.ts";
import { judgeMessages, readScale, readWritten, typedInput } from "../../../src/rl/judge/judge.ts";
import { planRun } from "../../../src/train/start/plan.ts";

const YES_NO = { scale: { yes: 1, no: 0 } };
const SCALE = { scale: { "0": 0, "1": 1, "2": 2 } };
const sum = typedInput({ question: "What is 1 + 1?", answer: "2", text: "It is {answer}." });

const problemsOf = (judge: unknown, rest: object = {}) => {
  try {
    planRun({ config: { task: "boxed-arithmetic", judges: { polite: judge }, ...rest } as never });
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.problems.map(({ field, message }) => `${field}: ${message}`);
  }
};

describe("a judge's prompt", () => {
  it("has its places filled once, so that an answer that spells a place stays what was said", () => {
    const judge = { system: "You judge.", prompt: "Q: {question} A: {text} Right: {answer} {other}", asTurns: false };
    expect(judgeMessages(judge, sum)).toEqual([
      { role: "system", content: "You judge." },
      { role: "user", content: "Q: What is 1 + 1? A: It is {answer}. Right: 2 {other}" },
    ]);
  });

  it("stands behind the conversation's own turns where that is asked for, a tool's result as words", () => {
    const input = { ...sum, messages: [...sum.messages, { role: "tool" as const, content: "2", toolCallId: "a" }] };
    expect(judgeMessages({ system: "", prompt: "Is this right?", asTurns: true }, input)).toEqual([
      { role: "user", content: "What is 1 + 1?" },
      { role: "assistant", content: "It is {answer}." },
      { role: "user", content: "2" },
      { role: "user", content: "Is this right?" },
    ]);
  });
});

describe("a judge's answer", () => {
  it("is the expectation over its scale, with the share that the scale holds", () => {
    const verdict = readScale({ ...SCALE, read: "expected" }, [Math.log(0.1), Math.log(0.2), Math.log(0.1)]);
    expect(verdict).toMatchObject({ value: expect.closeTo(1, 12), held: expect.closeTo(0.4, 12) });
    expect((verdict as { odds: object }).odds).toEqual({
      "0": expect.closeTo(0.25, 12),
      "1": expect.closeTo(0.5, 12),
      "2": expect.closeTo(0.25, 12),
    });
  });

  it("is the worth of the likeliest answer where that is read, however little lies on the scale", () => {
    expect(readScale({ ...YES_NO, read: "likeliest" }, [-900, -901])).toMatchObject({ value: 1, held: 0 });
  });

  it("is nothing, with the reason, where the model's numbers are not finite", () => {
    expect(readScale({ ...YES_NO, read: "expected" }, [Number.NaN, -1])).toEqual({
      reason: "its model gave log-probs that are not finite",
    });
  });

  it.each([
    ["17 no", 0],
    ["Yes, surely. No doubt: yes!", 1],
    ["No.", 0],
  ])("is the last of the scale's answers in what was written: %s", (said, value) => {
    expect(readWritten(YES_NO, said)).toEqual({ value, said });
  });

  it("finds a number as a whole number alone", () => {
    const scale = { scale: { "1": 1, "10": 10 } };
    expect(readWritten(scale, "I give it 10")).toMatchObject({ value: 10 });
    expect(readWritten(scale, "1 of 10, so 1")).toMatchObject({ value: 1 });
    expect(readWritten(scale, "10.5 or 100")).toEqual({ reason: expect.stringContaining("no answer of its scale") });
  });
});

describe("a judge as data", () => {
  it("is filled in, and names a model or the frozen start", () => {
    expect(judgeSchema.parse({ prompt: "{text}", ...YES_NO })).toEqual({
      ...{ contract: 1, checkpoint: null, system: "", prompt: "{text}", asTurns: false, read: "expected", maxTokens: 24 },
      ...YES_NO,
    });
  });

  it.each([
    [{ prompt: "Is it polite?", ...YES_NO }, /judges\.polite\.prompt.*must hold \{text\} or \{conversation\}/],
    [{ prompt: "{text}", scale: { yes: 1 } }, /judges\.polite\.scale.*must have 2 to 16 answers/],
    [{ prompt: "{text}", ...YES_NO, checkpoint: "no such: name" }, /judges\.polite\.checkpoint.*must be the name of a folder/],
    [{ prompt: "{text}", ...YES_NO, maxTokens: 0 }, /judges\.polite\.maxTokens.*>= 1/],
    [{ prompt: "{text}", ...YES_NO, polite: true }, /judges\.polite\.polite/],
  ])("is refused with its field and rule: %o", (judge, sentence) => {
    expect(problemsOf(judge).join()).toMatch(sentence);
  });

  const judge = { prompt: "{text}", ...YES_NO };
  it.each([
    [{ startFrom: "random" }, "weights that are drawn at random say nothing"],
    [{ startFrom: "run" }, "what the run before learnt is not kept as a model"],
    [{ task: "digit-sum", model: "tabular" }, "a logits table cannot read"],
  ])("has no frozen start to ask where a run has none: %o", (settings, why) => {
    expect(problemsOf(judge, settings)).toEqual([`judges.polite.checkpoint: judges.polite.checkpoint must name a model, got null: ${why}`]);
    expect(problemsOf({ ...judge, checkpoint: "base" }, settings)).toEqual([]);
  });

  it("is weighed and gated by name like every part, and must not have a name that is taken", () => {
    expect(problemsOf(judge, { rewardWeights: { polite: 0.5 }, rewardGates: { polite: 0 } })).toEqual([]);
    expect(problemsOf(judge, { customRewards: { polite: { source: "export const reward = () => 1" } } })).toEqual([
      "judges.polite: judges.polite must have another name: a reward has that one already",
    ]);
  });
});
