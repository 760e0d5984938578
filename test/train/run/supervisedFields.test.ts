// Fields that are said to have no effect on a supervised run have none.
import { expect, it } from "vitest";
import { createNodeHost } from "../../../src/cli/nodeHost.ts";
import { trainRun } from "../../../src/library/trainRun.ts";
import { inertFields } from "../../../src/protocol/config/configFacts.ts";
import type { Field } from "../../../src/protocol/config/fields.ts";
import type { RunConfig, RunConfigInput } from "../../../src/protocol/config.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { resolveConfig } from "../../support/resolveConfig.ts";

const base: RunConfigInput = { task: "digit-sum", kind: "supervised", model: "tabular", steps: 2, demonstrationsPerStep: 4, evalEvery: 0 };

const resolved = (input: RunConfigInput): RunConfig => resolveConfig(input, catalog.tasks, catalog.algorithms);

async function losses(input: RunConfigInput): Promise<readonly (number | undefined)[]> {
  const { steps } = await trainRun(input, createNodeHost());
  return steps.map(({ metrics }) => metrics.loss);
}

function otherValue({ kind, choices = [], min, max }: Field, own: unknown): unknown {
  if (kind === "flag") return own !== true;
  return (kind === "choice" ? choices : [min, max]).find((value) => value !== own);
}

it("a supervised run is the same whatever is set that is said to have no effect on it", async () => {
  const config = resolved(base);
  const before = await losses(base);
  expect(before).toHaveLength(2);
  const inert = new Set<string>(inertFields(config, catalog.tasks).map(({ key }) => key));
  let checked = 0;
  for (const field of catalog.fields) {
    // Where to compute is left as it is.
    if (!inert.has(field.key) || field.kind === "text" || field.key === "backend") continue;
    const changed = { ...base, [field.key]: otherValue(field, config[field.key as keyof RunConfig]) };
    expect([field.key, await losses(changed)]).toEqual([field.key, before]);
    checked += 1;
  }
  expect(checked).toBeGreaterThan(60);
  expect(await losses({ ...base, learningRate: 0.1 })).not.toEqual(before);
});
