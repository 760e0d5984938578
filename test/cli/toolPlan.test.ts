// What the exported programs are told of a run with tools.
import { describe, expect, it } from "vitest";
import { trlTexts } from "../../src/cli/exports/trl/files.ts";
import { type PythonRules, pythonRules } from "../../src/cli/exports/trl/pythonRules.ts";
import { EXPORTED_TOOL_TASKS, toolColumns, toolPlan } from "../../src/cli/exports/trl/toolPlan.ts";
import { rolloutRow } from "../../src/cli/exports/trl.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { Trajectory } from "../../src/rl/types.ts";
import { planRun } from "../../src/train/start/plan.ts";

const planned = (config: RunConfigInput) => {
  const { config: resolved, instance } = planRun({ config });
  return { config: resolved, instance, plan: toolPlan(resolved, instance.maxTurns ?? 1, 2048)! };
};

describe("the plan of a run with tools", () => {
  it("names the tools and limits of the task", () => {
    const { plan } = planned({ task: "calculator", taskOptions: { maxCalls: 2 }, maxCompletionTokens: 40 });
    expect(plan).toEqual({
      tools: [expect.objectContaining({ name: "calculate" })],
      ...{ announces: false, maxCalls: 2, maxTurns: 3, maxTokens: 40, positions: 2048 },
    });
    expect(planned({ task: "search", taskOptions: { returned: 2, announceTools: true } }).plan).toMatchObject({
      returned: 2,
      announces: true,
    });
  });

  it("is of the tools that the environment has", () => {
    for (const task of EXPORTED_TOOL_TASKS) {
      const { plan, instance } = planned({ task, taskOptions: { announceTools: true } });
      expect(instance.envs.build(instance.trainLoader().next(1)[0]!, 0).start().tools).toEqual(plan.tools);
    }
  });

  it("has none for other tasks", () => {
    expect(planned({ task: "boxed-arithmetic" }).plan).toBe(null);
    expect(planned({ task: "router" }).plan).toBe(null);
  });

  it("is of tasks whose rewards all have a Python form", () => {
    for (const task of EXPORTED_TOOL_TASKS) {
      const { config, instance } = planned({ task });
      expect(pythonRules(config, instance, true)).toMatchObject({ parts: expect.anything() });
    }
  });
});

it("a problem of the search carries the documents that its environment searches", () => {
  const { instance } = planned({ task: "search", taskOptions: { returned: 5 } });
  const [example] = instance.trainLoader().next(1);
  const { documents } = toolColumns("search", example!) as { readonly documents: readonly string[] };
  const query = documents[0]!;
  const env = instance.envs.build(example!, 0);
  env.start();
  const call = { id: "call-1", name: "search", arguments: { query } };
  const found = env.step({ message: { role: "assistant", content: "", toolCalls: [call] } })?.messages.at(-1)?.content ?? "";
  expect(found.split("\n")).toContain(query);
  for (const line of found.split("\n")) expect(documents).toContain(line);
  expect(toolColumns("calculator", example!)).toEqual({});
});

it("a rollout with tools is written with its ids, its mask and what came of the calls", () => {
  const { instance } = planned({ task: "calculator" });
  const example = { id: 'calculator/[2,"+",3]', messages: [{ role: "user" as const, content: "What is 2 + 3?" }], answer: "5" };
  const trajectory: Trajectory = {
    ...{ promptTokens: [1, 2], tokens: [3, 4, 5], mask: [1, 0, 1], logprobs: [0, 0, 0], entropies: [0, 0, 0] },
    messages: [...example.messages, { role: "assistant", content: "<answer>5</answer>" }],
    stopReason: "completed",
    report: { metrics: { turns: 2, calls: 1, tool_errors: 1, repeated_calls: 0, tool_error_rate: 1 }, turns: [] },
  };
  expect(rolloutRow("calculator", instance, example, trajectory)).toEqual({
    ...{ prompt: example.messages, answer: "5", text: "<answer>5</answer>", completed: true, stopReason: "completed" },
    ...{ promptTokens: [1, 2], tokens: [3, 4, 5], mask: [1, 0, 1], figures: { calls: 1, tool_errors: 1, repeated_calls: 0 } },
    ...{ said: ["<answer>5</answer>"], sampled: [1, 1] },
    parts: { taggedAnswer: 1, taggedForm: 1, toolErrors: 1, repeatedCalls: 0 },
  });
});

describe("the folder of a run with tools", () => {
  const { config, instance, plan } = planned({ task: "calculator" });
  const rules = pythonRules(config, instance, true) as PythonRules;
  const parts = { name: "mine", config, model: { files: [] }, weights: { taggedAnswer: 1 }, command: [], evaluates: false, logged: null };
  const texts = trlTexts({ ...parts, form: { held: "here", rules, plan } });

  it("has the tools, the conversations and their limits", () => {
    expect(JSON.parse(texts["tools.json"]!)).toEqual(plan);
    for (const { name } of plan.tools) expect(texts["tools.py"]).toContain(`def ${name}(`);
    expect(texts["conversation.py"]).toContain("def rollout(prompts, trainer):");
    for (const name of ["toolErrors", "repeatedCalls"]) expect(texts["rewards.py"]).toContain(`"${name}": `);
  });

  it("says in its README what a turn and a conversation may have", () => {
    expect(texts["README.md"]).toContain(
      "A turn has at most 48 tokens (max_completion_length), a conversation 4 turns and 3 calls that are run.",
    );
  });

  it("has none of that without tools", () => {
    const names = Object.keys(trlTexts({ ...parts, form: { held: "here", rules, plan: null } }));
    for (const name of ["tools.json", "tools.py", "conversation.py"]) expect(names).not.toContain(name);
  });
});
