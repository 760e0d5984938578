// The page of a run: what stands beside each other is of one footing.
import { expect, it } from "vitest";
import { reportOf } from "../../src/export/page/reportOf.ts";
import { subjectOf } from "../../src/export/writtenRun.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";
import { evaluationRecord } from "../rl/verdict/syntheticRuns.ts";

it("says at which step its accuracy was measured, in shares as the page writes them", () => {
  const config = runConfigSchema.parse({ task: "calculator" });
  const steps = [1, 2, 3].map((step) => ({ step, metrics: { reward: step / 4 } }));
  const run = { runId: "a", subject: "Calculator, GRPO", config, steps, baselines: [], begun: 0, begunAt: "", conversations: null };
  const page = reportOf({ ...run, evaluations: [{ ...evaluationRecord(0, 29, 128), greedyAccuracy: 1 }] }).replace(/<[^>]+>/g, " ");
  expect(page).toMatch(/accuracy at step 0\s+23 % sampled \(\d+ % to \d+ %\), 100 % greedy/);
  expect(page).not.toContain("100.0 %");
  expect(reportOf({ ...run, evaluations: [] }).replace(/<[^>]+>/g, " ")).toMatch(/accuracy\s+not evaluated/);
});

it("is titled by what was trained, with curves and levels that bear titles", () => {
  const config = runConfigSchema.parse({ task: "calculator" });
  const metrics = { reward: 0.5, kl: 0.1, "completions/mean_length": 9, grad_norm: 2 };
  const steps = [1, 2].map((step) => ({ step, metrics }));
  const baselines = (["random", "start"] as const).map((kind, i) => ({
    kind,
    meanReward: null,
    accuracy: i / 4,
    interval: [0, 1] as const,
    samples: 8,
  }));
  const run = { runId: "run-12ab", subject: "Calculator, GRPO", config, steps, baselines, begun: 0, begunAt: "", conversations: null };
  const page = reportOf({ ...run, evaluations: [evaluationRecord(0, 29, 128)] });
  expect(page).toContain("<title>Calculator, GRPO</title>");
  expect(page).toContain("<h1>Calculator, GRPO</h1>");
  const titles = Array.from(page.matchAll(/<figcaption>(.*?) <b>/g), ([, title]) => title);
  const [accuracy, ...others] = ["Accuracy, sampled", "Reward", "KL to reference, nats per token", "Completion length, tokens"];
  expect(titles).toEqual([accuracy, ...others, "Gradient norm"]);
  expect(page).toContain("random policy 0 %<");
  expect(page).toContain("at the start 25 %<");
  expect(page).toContain("Accuracy, sampled <b>23 %</b>");
  expect(page.replace(/<[^>]+>/g, " ")).toMatch(/run\s+run-12ab/);
});

it("lists settings by the titles of the form, with values as people read them", () => {
  const over = {
    task: "calculator",
    promptsPerStep: 4,
    advantageBaseline: "leave-one-out",
    measureUpdate: false,
    taskOptions: { operations: 1 },
  };
  const config = runConfigSchema.parse(over);
  const run = { runId: "a", subject: "Calculator, GRPO", config, steps: [], baselines: [], begun: 0, begunAt: "", conversations: null };
  const rows = Array.from(
    reportOf({ ...run, evaluations: [] }).matchAll(/<th scope="row">([^<]*)<\/th><td>([^<]*)<\/td>/g),
    ([, name, value]) => `${name}: ${value}`,
  );
  expect(rows.slice(rows.indexOf("Task: calculator"))).toEqual([
    "Task: calculator",
    "Prompts per step: 4",
    "Baseline: Leave one out",
    "Measure the update: off",
    "task option operations: 1",
  ]);
});

it("names the task and what trains it by their titles, and what has none by its id", () => {
  const catalog = { tasks: [{ id: "calculator", title: "Calculator" }], algorithms: [{ id: "grpo", title: "GRPO" }] };
  const subject = (over: object) => subjectOf(runConfigSchema.parse(over), catalog as unknown as Parameters<typeof subjectOf>[1]);
  expect(subject({ task: "calculator", algorithm: "grpo" })).toBe("Calculator, GRPO");
  expect(subject({ task: "of-mine", kind: "supervised" })).toBe("of-mine, supervised");
});
