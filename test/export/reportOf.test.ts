// The page of a run: what stands beside each other is of one footing.
import { expect, it } from "vitest";
import { reportOf } from "../../src/export/reportOf.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";
import { evaluationRecord } from "../rl/verdict/syntheticRuns.ts";

it("says at which step its accuracy was measured, in shares as the page writes them", () => {
  const config = runConfigSchema.parse({ task: "calculator" });
  const steps = [1, 2, 3].map((step) => ({ step, metrics: { reward: step / 4 } }));
  const run = { runId: "a", config, steps, baselines: [], begun: 0, begunAt: "", conversations: null };
  const page = reportOf({ ...run, evaluations: [{ ...evaluationRecord(0, 29, 128), greedyAccuracy: 1 }] }).replace(/<[^>]+>/g, " ");
  expect(page).toMatch(/accuracy at step 0\s+23 % sampled \(\d+ % to \d+ %\), 100 % greedy/);
  expect(page).not.toContain("100.0 %");
  expect(reportOf({ ...run, evaluations: [] }).replace(/<[^>]+>/g, " ")).toMatch(/accuracy\s+not evaluated/);
});
