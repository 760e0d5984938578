// Step times count work: a trainer that waits between its phases, at a pause or a slow pace, is not slower for it.

import { describe, expect, it } from "vitest";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { prepareRun } from "../../../src/train/start/start.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

/** A clock that goes on by one ms whenever it is read, and by as much as one likes. */
function handClock() {
  let ms = 0;
  return {
    now: () => ++ms,
    pass: (more: number) => {
      ms += more;
    },
  };
}

async function timesOf(config: object, waitMs: number) {
  const clock = handClock();
  const run = await prepareRun("run", planRun({ config }), createNodeHost({ now: clock.now }), {
    onPreparing() {},
    async pause() {},
    onLost() {},
  });
  const records = [];
  for (let step = 0; step < 2; step++) {
    const phases = run.trainer.takeStep(() => {});
    let result = await phases.next();
    while (!result.done) {
      clock.pass(waitMs);
      result = await phases.next();
    }
    records.push(
      Object.fromEntries(Object.entries(result.value.metrics).filter(([key]) => isTimedMetric(key) && !key.startsWith("resources/"))),
    );
  }
  return records;
}

const tabular = { task: "digit-sum", model: "tabular", algorithm: "builtin" };

describe("the time of a step", () => {
  it.each(["reinforcement", "supervised"])("is the same whether or not somebody waits between the phases of %s training", async (kind) => {
    const config = kind === "supervised" ? { ...tabular, kind, algorithm: "grpo" } : tabular;
    const quick = await timesOf(config, 0);
    expect(await timesOf(config, 21_000)).toEqual(quick);
    expect(quick[0]?.step_time).toBeGreaterThan(0);
    expect(quick[0]?.step_time).toBeLessThan(0.1);
  });
});
