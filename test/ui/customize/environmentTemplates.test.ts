// What one starts from can be learnt: the weights that a starting environment names already earn something in it.
import { expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import { environmentTemplates } from "../../../src/ui/customize/environment/templates.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

it.each(environmentTemplates.map(({ id, own, config }) => [id, { own, config }] as const))(
  "%s is earned in from the start",
  async (_, { own, config }) => {
    const { steps } = await trainRun(
      {
        ...config,
        task: "mine",
        customTasks: { mine: own },
        startFrom: "checkpoint",
        model: "transformer",
        algorithm: "grpo",
        steps: 1,
        evalEvery: 0,
      },
      createNodeHost(),
    );
    expect(steps[0]!.metrics.reward).toBeGreaterThan(0.1);
  },
);
