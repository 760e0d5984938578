import { describe, expect, it } from "vitest";
import type { EnvReport } from "../../../src/protocol/records.ts";
import { combineParts } from "../../../src/rl/rewards/combineParts.ts";
import { libraryParts, rewardRules } from "../../../src/rl/rewards/library/index.ts";
import { ruleProblems, rulesOf } from "../../../src/rl/rewards/ruleProblems.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import type { Trajectory } from "../../../src/rl/types.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { asRule } from "../../support/scoring.ts";
import { answered } from "../trajectoryFixture.ts";

const r = String.raw;

interface Said {
  readonly gold?: string;
  readonly stopReason?: Trajectory["stopReason"];
  /** Sampled tokens. */
  readonly length?: number;
  readonly report?: Partial<EnvReport>;
  /** Turns before the last. */
  readonly before?: readonly string[];
}

function score(name: string, settings: Readonly<Record<string, unknown>>, text: string, said: Said = {}): number | null {
  const { gold = "18", stopReason = "completed", length = 0, report, before = [] } = said;
  const example = { id: "e", messages: [{ role: "user" as const, content: "18?" }], answer: gold };
  const last = answered(example, text, stopReason);
  const earlier = before.map((content) => ({ role: "assistant" as const, content }));
  const [part] = libraryParts({ [name]: settings });
  return asRule(part).score(example, {
    ...last,
    messages: [...example.messages, ...earlier, ...last.messages.slice(1)],
    logprobs: Array.from({ length }, () => -1),
    ...(report ? { report: { metrics: {}, turns: [], ...report } } : {}),
  });
}

describe("the library of reward rules", () => {
  it("has a name of its own for each rule, beside those of every task", () => {
    const names = [...rewardRules.map(({ name }) => name), "overlong"];
    expect(new Set(names).size).toBe(names.length);
    const ofTasks = tasks.flatMap(({ entry }) => entry.rewards.map(({ name }) => name));
    expect(names.filter((name) => ofTasks.includes(name))).toEqual([]);
    for (const rule of rewardRules) expect(rule.title.length * rule.help.length).toBeGreaterThan(0);
  });

  it("scores every text as a finite number or not at all, whatever the settings' defaults meet", () => {
    const texts = ["", "18", "<think>", "a ".repeat(500), r`\boxed{`, "####", "\ud800"];
    for (const { name } of rewardRules)
      for (const text of texts) {
        const value = score(name, {}, text);
        expect(value === null || Number.isFinite(value), `${name} of ${text}`).toBe(true);
      }
  });

  it("looks at a row of marks once, however long it is", () => {
    for (const mark of [".", "!?", ".'", "…”"]) {
      expect(score("sentences", {}, `${mark.repeat(200_000)}x`)).toBe(0);
      expect(score("sentences", {}, `Music is a form${mark.repeat(200_000)}`)).toBe(1);
    }
  });

  it.each([
    ["The answer is 18.", "18", 1],
    ["9 + 9 = 18", "18", 1],
    ["18 apples, that is $18.00", "18", 1],
    ["First 17, then 18", "17", 0],
    ["x=-5", "-5", 1],
    ["It falls to −5 degrees.", "-5", 1],
    // A difference is no number that stands there: neither of its parts is the answer.
    ["10-5", "5", 0],
    ["10-5", "-5", 0],
    ["between 3 and -5", "5", 0],
    ["so 1,250 in all", "1250", 1],
    ["so 1/2 of it", "0.5", 1],
    [r`so \frac{1}{2} of it`, "0.5", 1],
    ["that is 50%.", "1/2", 1],
    ["that is 2.50, or so", "5/2", 1],
    ["72 / 2 = 36\n#### 36", "36", 1],
    ["#### 36 apples\nI had 40 before", "36", 1],
    ["<answer>18</answer> not 20", "18", 1],
    [r`\boxed{18} not 20`, "18", 1],
    [r`\boxed{} 18`, "18", 0],
    ["-0", "0", 1],
    ["eighteen", "18", 0],
    ["", "18", 0],
  ])("numericMatch of %j against %j is %d", (text, gold, value) => expect(score("numericMatch", {}, text, { gold })).toBe(value));

  it("numericMatch does not judge where the gold answer is no number", () => {
    expect(score("numericMatch", {}, "18", { gold: "red" })).toBeNull();
  });

  it.each([
    ["exactMatch", {}, "The 18!", 1],
    ["exactMatch", {}, "18 or 19", 0],
    ["exactMatch", { place: "box" }, r`so \boxed{18}`, 1],
    ["exactMatch", { place: "tag" }, r`so \boxed{18}`, 0],
    ["exactMatch", { place: "tag" }, "so <answer> 18 </answer>", 1],
    ["contains", {}, "17, 18, 19", 1],
    ["contains", {}, "180", 0],
    ["contains", {}, "1.8 or 1/8", 0],
    ["exactMatch", {}, "-18", 0],
    ["pattern", { pattern: "^a.b$" }, "a\nb", 1],
    ["pattern", { pattern: "^ab$" }, "a\nb", 0],
    ["tagForm", {}, "<think>9+9</think>\n<answer>18</answer>", 1],
    ["tagForm", {}, "Well <think>9+9</think><answer>18</answer>", 0],
    ["tagForm", {}, "<answer>18</answer><think>9+9</think>", 0],
    ["tagForm", {}, "<think></think><answer>18</answer>", 0],
    ["tagForm", {}, "<think>a</think><answer>1</answer><answer>2</answer>", 0],
    ["tagForm", { partial: true }, "<think>a</think> 18", 0.5],
    ["tagForm", { tags: "answer" }, "<answer>18</answer>", 1],
    ["repetition", { n: 2 }, "a b c", 0],
    ["repetition", { n: 2 }, "a b a b a b", -3 / 5],
    ["repetition", { n: 3 }, "a b", 0],
    ["repetition", { n: 1 }, "A a", -1 / 2],
  ] as const)("%s with %j of %j is %d", (name, settings, text, value) => expect(score(name, settings, text)).toBeCloseTo(value, 12));

  it.each([
    ["ending", {}, "Do you like salt? ", 1],
    ["ending", {}, "Do you like salt? I do.", 0],
    ["ending", { text: "!" }, "Salt!", 1],
    ["sentences", {}, "Music is a form of sound.", 1],
    ["sentences", {}, 'They call it "music."', 1],
    ["sentences", {}, "It costs 3.50 a pound.", 1],
    ["sentences", {}, "Music is a form of sound", 0],
    ["sentences", {}, "Music is sound. We like it.", 0],
    ["sentences", { most: 2 }, "Music is sound. We like it.", 1],
    ["sentences", {}, "Music is sound.\n", 1],
    ["sentences", {}, "Music:\nit is sound.", 0],
    ["sentences", {}, "Yes.", 0],
    ["sentences", { words: 1 }, "Yes.", 1],
    ["sentences", { words: 1 }, "...", 0],
    ["sentences", {}, "", 0],
    ["answerAlone", {}, "18.", 1],
    ["answerAlone", {}, "It is 18.", 0.5],
    ["answerAlone", { named: 1 }, "It is 18.", 1],
    ["answerAlone", {}, "It is 180.", 0],
    ["answerAlone", {}, "1.8", 0],
    ["oneNumber", {}, "It is 18.", 1],
    ["oneNumber", {}, "18 is larger than 17.", 0],
    ["oneNumber", {}, "18, yes: 18.", 1],
    ["oneNumber", {}, "It is 17.", 0],
    ["oneNumber", { wrong: 0.25 }, "It is 2 2/18.", 0.25],
    ["oneNumber", { wrong: 0.25 }, "It is 17 or 18.", 0],
    ["oneNumber", { wrong: 0.25 }, r`It is \sqrt{18}.`, 0.25],
    ["oneNumber", { wrong: 0.25 }, "It is 17.", 0.25],
    ["oneNumber", {}, "Eighteen.", 0],
    ["capitals", {}, "LIMA", 1],
    ["capitals", {}, "Lima, PERU!", 5 / 8],
    ["capitals", {}, "ÉÉéé 18", 1 / 2],
    ["capitals", {}, "18!", 0],
    ["capitals", {}, "", 0],
  ] as const)("%s with %j of %j is %d", (name, settings, text, value) => expect(score(name, settings, text)).toBeCloseTo(value, 12));

  it("what a policy did not end by itself has no ending, no sentences and no answer", () => {
    const cut = { stopReason: "max-tokens" } as const;
    expect(score("ending", {}, "Do you like salt?", cut)).toBe(0);
    expect(score("sentences", {}, "Music is a form of sound.", cut)).toBe(0);
    expect(score("answerAlone", {}, "18", cut)).toBe(0);
    expect(score("oneNumber", {}, "18", cut)).toBe(0);
  });

  it("wordOverlap is the harmonic mean of precision and recall", () => {
    // 2 of 3 words said, 2 of 4 wanted.
    expect(score("wordOverlap", {}, "red green blue", { gold: "red blue black white" })).toBeCloseTo((2 * 2) / (3 + 4), 12);
  });

  it("repetition compares word sequences within each turn", () => {
    expect(score("repetition", { n: 2 }, "b c", { before: ["a b"] })).toBe(0);
    expect(score("repetition", { n: 2 }, "c d", { before: ["a a a"] })).toBeCloseTo(-1 / 3, 12);
  });

  it.each([
    [16, 1],
    [12, 0.5],
    [20, 0.5],
    [40, 0],
  ])("lengthTarget of %d tokens is %d", (length, value) => {
    expect(score("lengthTarget", { target: 16, width: 8 }, "", { length })).toBe(value);
  });

  it.each([
    [30, 0],
    [35, -0.5],
    [40, -1],
    [90, -1],
  ])("overlongConversation has a limit of its own: %d tokens are %d", (length, value) => {
    expect(score("overlongConversation", { limit: 40, buffer: 10 }, "", { length })).toBe(value);
  });

  it.each([
    [0, 0],
    [1, 0],
    [2, -0.25],
    [9, -1],
  ])("toolLoop with one free repetition of %d is %d", (repeated_calls, value) => {
    expect(score("toolLoop", { free: 1, most: 4 }, "", { report: { metrics: { repeated_calls } } })).toBe(value);
  });

  it("cost is what was paid in its unit", () => {
    expect(score("cost", { unit: 4 }, "", { report: { metrics: { cost: 6 } } })).toBe(-1.5);
    expect(score("cost", {}, "", { report: { metrics: { cost: 0 } } })).toBe(0);
  });

  it.each([
    ["sum", 0.5],
    ["mean", 0.25],
    ["least", -0.5],
    ["last", 1],
  ])("turnRewards as %s leave out turns that have none", (together, value) => {
    const report = { turns: [{ reward: -0.5 }, {}, { reward: 1 }] };
    expect(score("turnRewards", { together }, "", { report })).toBe(value);
  });

  it("tell what cannot be judged from what is worth nothing", () => {
    for (const name of ["toolLoop", "cost", "turnRewards"]) expect(score(name, {}, "18"), name).toBeNull();
    expect(score("turnRewards", {}, "", { report: { turns: [{}] } })).toBeNull();
    expect(score("turnRewards", {}, "", { report: { turns: [{ reward: 0 }] } })).toBe(0);
    expect(score("contains", {}, "18", { gold: "the" })).toBeNull();
    expect(score("answerAlone", {}, "18", { gold: "" })).toBeNull();
    expect(score("oneNumber", {}, "18", { gold: "red" })).toBeNull();
  });

  it("trueAnswer sees through a policy that lists all answers", () => {
    const list = Array.from({ length: 30 }, (_, i) => i).join(" ");
    expect(score("contains", {}, list)).toBe(1);
    expect(score("trueAnswer", {}, list)).toBe(0);
    expect(score("trueAnswer", {}, "18")).toBe(1);
    expect(score("trueAnswer", {}, "18", { stopReason: "max-tokens" })).toBe(0);
    expect(score("trueAnswer", {}, "<answer>the Red</answer>", { gold: "red" })).toBe(1);
    expect(rewardRules.find(({ name }) => name === "trueAnswer")!.weight).toBe(0);
  });

  it.each([
    [
      { nothing: {} },
      `rewardRules must be one of "numericMatch", "exactMatch", "contains", "pattern" or ${rewardRules.length - 4} others, got "nothing"`,
    ],
    [{ lengthTarget: { width: 0 } }, "rewardRules.lengthTarget.width must be >= 1, got 0"],
    [{ lengthTarget: { wide: 1 } }, 'unknown field "rewardRules.lengthTarget.wide"'],
    [{ pattern: { pattern: "(" } }, 'rewardRules.pattern.pattern must be a regular expression, got "("'],
    [{ tagForm: { tags: "a b" } }, 'rewardRules.tagForm.tags must be names of tags with commas between them, got "a b"'],
  ])("refuses %j", (chosen, message) => {
    expect(ruleProblems(chosen as Parameters<typeof ruleProblems>[0], rewardRules).map((problem) => problem.message)).toEqual([message]);
    // The page, which has the catalog alone, says the same.
    expect(ruleProblems(chosen as Parameters<typeof ruleProblems>[0], rulesOf(catalog)).map((problem) => problem.message)).toEqual([
      message,
    ]);
    expect(() => libraryParts(chosen as Parameters<typeof libraryParts>[0])).toThrow(message);
  });
});

describe("combining parts", () => {
  const parts = [
    { name: "right", value: 1, weight: 2 },
    { name: "form", value: 0.5, weight: 0 },
    { name: "short", value: -1, weight: 0.5 },
    { name: "unknown", value: null, weight: 1 },
  ];

  it("adds what is weighted and could score", () => expect(combineParts(parts, { gates: {}, clip: 0 })).toBe(1.5));

  it("gives a closed gate's reward in place of the sum, and the sum where all are open", () => {
    expect(combineParts(parts, { gates: { form: -1 }, clip: 0 })).toBe(-1);
    expect(combineParts(parts, { gates: { form: 0, short: -0.5 }, clip: 0 })).toBe(-0.5);
    expect(combineParts(parts, { gates: { right: -1 }, clip: 0 })).toBe(1.5);
  });

  it("has no reward where a gate could not score", () => expect(combineParts(parts, { gates: { unknown: -1 }, clip: 0 })).toBeNull());

  it("clips both ways, but not what is no reward", () => {
    expect(combineParts(parts, { gates: {}, clip: 1 })).toBe(1);
    expect(combineParts(parts, { gates: { form: -3 }, clip: 1 })).toBe(-1);
    expect(combineParts([parts[3]!], { gates: {}, clip: 1 })).toBeNull();
  });
});
