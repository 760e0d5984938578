// Why the Rollouts screen is empty is told by the run's own facts.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../../src/protocol/config.ts";
import { NO_RUN } from "../../../../src/ui/engine/store/runFacts.ts";
import { emptinessOf } from "../../../../src/ui/step/rollouts/NothingYet.tsx";

const run = { ...NO_RUN, runId: "run", config: runConfigSchema.parse({}) };

describe("an empty Rollouts screen", () => {
  it.each([
    ["no run", NO_RUN],
    ["failed", { ...NO_RUN, state: "failed" }],
    ["waiting", { ...NO_RUN, state: "preparing" }],
    ["waiting", { ...run, state: "running" }],
    ["not sampled", { ...run, state: "paused" }],
    ["not kept", { ...run, state: "paused", continued: true, step: 12 }],
    ["not kept", { ...run, state: "finished", continued: true, step: 12 }],
    ["failed", { ...run, state: "failed" }],
    ["supervised", { ...run, state: "running", step: 3, config: runConfigSchema.parse({ kind: "supervised" }) }],
  ] as const)("says %s", (why, facts) => {
    expect(emptinessOf(facts)).toBe(why);
  });
});
