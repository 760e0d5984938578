import { describe, expect, it } from "vitest";
import { formatSlip, RECIPE_PENALTIES, routerScore } from "../../../src/rl/rewards/routerReward.ts";
import { enclosed } from "../../../src/rl/rewards/taggedAnswer.ts";

const experts = ["qwen2.5-7b-instruct", "llama-3.1-70b-instruct", "mixtral-8x22b-instruct"];
const isExpert = (name: string) => experts.includes(name.trim().toLowerCase());
const slip = (transcript: string) => formatSlip(transcript, isExpert);

// A transcript in the form that Router-R1's prompt asks for and its rollouts have.
const transcript = `<think>
I need to find out who wrote the novel on which the film is based. I am not certain, so I will ask.
</think>

<search> LLaMA-3.1-70B-Instruct: Who wrote the novel on which the 1982 film Blade Runner is based? </search>

<information>Blade Runner (1982) is loosely based on Philip K. Dick's novel Do Androids Dream of Electric Sheep?</information>

<think> The author is Philip K. Dick. Now I need his place of birth. </think>
<search>Qwen2.5-7B-Instruct: Where was Philip K. Dick born?</search>

<information>Philip K. Dick was born in Chicago, Illinois.</information>

<think>That is enough.</think>
<answer>Chicago, Illinois</answer>`;

describe("what stands between tags", () => {
  it("is read in order, without what lies within it, and once however many tags stay open", () => {
    const open = "<think><search>".repeat(50_000);
    expect(enclosed("<a>1<b>2</b></a><b></b><b>3", ["a", "b"])).toEqual([
      { tag: "a", content: "1<b>2</b>" },
      { tag: "b", content: "" },
    ]);
    expect(enclosed(`${open}</think>`, ["search", "think"])).toEqual([{ tag: "think", content: open.slice("<think>".length) }]);
    expect(slip(open)).toBe("large");
  });
});

describe("the form of Router-R1", () => {
  it("finds nothing wrong with a real transcript, with line breaks and several calls", () => expect(slip(transcript)).toBe("none"));

  it.each([
    ["no tags at all", "Chicago", "large"],
    ["an answer without thought", "<answer>Chicago</answer>", "large"],
    ["no answer", transcript.replace(/<answer>.*/s, ""), "large"],
    ["two answers", `${transcript}<answer>Chicago</answer>`, "large"],
    ["words after the answer", `${transcript} I hope so.`, "large"],
    ["words before the first thought", `Well. ${transcript}`, "large"],
    ["a tag that is not closed", transcript.replace("</think>", ""), "large"],
    ["an empty thought", transcript.replace("That is enough.", " "), "large"],
    ["a thought of dots", transcript.replace("That is enough.", "..."), "large"],
    ["a tag within another", transcript.replace("That is enough.", "<search>Qwen2.5-7B-Instruct: x</search>"), "large"],
    ["information that nobody gave", transcript.replace("<answer>", "<information>Chicago</information><answer>"), "large"],
    ["a call without a colon", transcript.replace("Qwen2.5-7B-Instruct: Where", "Qwen2.5-7B-Instruct where"), "medium"],
    ["a call with two colons", transcript.replace("Where was", "Tell me: where was"), "medium"],
    ["a call without a query", transcript.replace("Where was Philip K. Dick born?", " "), "medium"],
    ["the prompt's own placeholder", transcript.replace("Where was Philip K. Dick born?", "Your-Query"), "medium"],
    ["an expert nobody knows", transcript.replace("Qwen2.5-7B-Instruct", "Qwen9"), "small"],
    [
      "an unknown expert beside a malformed call",
      transcript.replace("Qwen2.5-7B-Instruct: W", "W").replace("LLaMA-3.1", "LLaMA-9"),
      "medium",
    ],
  ])("%s is a slip: %s", (_, text, expected) => expect(slip(text)).toBe(expected));

  it("costs what the recipe says", () => expect(RECIPE_PENALTIES).toEqual({ none: 0, small: -0.25, medium: -0.5, large: -1 }));
});

describe("the reward of Router-R1", () => {
  const recipe = { form: "recipe", costCoefficient: 0.2, maxCalls: 4 } as const;
  const dominant = { ...recipe, form: "dominant" } as const;

  it.each([
    [1, "none", 0, 1],
    [1, "none", 1.5, 0.7],
    [1, "large", 1, -0.2],
    [0, "small", 0.5, -0.35],
    [0.5, "medium", 0, 0],
  ] as const)("adds up in the recipe: metric %d, slip %s, cost %d", (metric, slipped, cost, expected) =>
    expect(routerScore(recipe, metric, slipped, cost)).toBeCloseTo(expected, 12),
  );

  it.each([
    [1, "none", 0, 1],
    [1, "none", 4, 0.8],
    [1, "none", 1, 0.9],
    [1, "small", 0, -1],
    [0, "large", 0, -1],
    [0, "none", 0, 0],
    [0.5, "none", 4, 0.4],
  ] as const)("lets the form decide in the dominant one: metric %d, slip %s, cost %d", (metric, slipped, cost, expected) =>
    expect(routerScore(dominant, metric, slipped, cost)).toBeCloseTo(expected, 12),
  );
});
