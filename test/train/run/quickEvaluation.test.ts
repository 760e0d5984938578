// Quick evaluations of the held-out problems by the clock: they come often and cost little, and nothing that a run keeps depends on them.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isSameStep, type StepRecord } from "../../../src/protocol/records.ts";
import { RunFeed } from "../../../src/train/run/runFeed.ts";
import type { ActiveRun } from "../../../src/train/start/start.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

const config: RunConfigInput = {
  task: "digit-sum",
  algorithm: "builtin",

  steps: 60,
  evalEvery: 30,
  evalProblems: 8,
};

/** A run on a clock on which each question for the time takes so long. */
async function run(tickMs: number, quickEvaluationEveryMs: number | undefined, given: RunConfigInput = config) {
  let time = 0;
  const store = memoryStore();
  const host = { now: () => (time += tickMs), store, ...(quickEvaluationEveryMs === undefined ? {} : { quickEvaluationEveryMs }) };
  const session = await driveSession(host);
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run", config: given });
  await finished;
  return {
    steps: session.all("steps").flatMap(({ records }) => records),
    evaluations: session.all("evaluation").map(({ record }) => record),
    quick: session.all("quickEvaluation").map(({ record }) => record),
  };
}

describe("a quick evaluation of the held-out problems", () => {
  it("comes between evaluations, and changes no bit of the run", async () => {
    const [without, evaluated] = [await run(1, undefined), await run(1, 20)];
    expect(without.quick).toEqual([]);
    expect(evaluated.quick.length).toBeGreaterThan(3);
    for (const { step, problems } of evaluated.quick) {
      expect([0, 30, 60]).not.toContain(step);
      expect(problems).toBeLessThanOrEqual(8);
    }
    expect(evaluated.evaluations).toEqual(without.evaluations);
    expect(evaluated.steps).toHaveLength(60);
    const isSame = (each: StepRecord, i: number) => isSameStep(each, without.steps[i]!);
    expect(evaluated.steps.every(isSame)).toBe(true);
  });

  it("asks greedily and with samples at one step, the first of the problems that an evaluation asks", async () => {
    const { quick, evaluations } = await run(1, 20);
    const last = quick.at(-1)!;
    expect(last.outcomes?.problemsHash).toBe(evaluations[0]?.outcomes?.problemsHash);
    expect(last.samplesPerProblem).toBeGreaterThanOrEqual(2);
  });

  it("waits until what is known is old, and ten times as long as finding it out took", async () => {
    let time = 0;
    const feed = new RunFeed({ trainer: { step: 0 } } as ActiveRun, () => {}, { now: () => time, quickEvaluationEveryMs: 50 });
    const dueAfter = async (tookMs: number, share = 1) => {
      await feed.measured(async () => (time += tookMs), share);
      const begun = time;
      while (!feed.isQuickEvaluationDue()) time += 1;
      return time - begun;
    };
    expect(feed.isQuickEvaluationDue()).toBe(false);
    expect([await dueAfter(1), await dueAfter(100)]).toEqual([50, 1000]);
    // A whole evaluation of some seconds is no reason to wait as long as ten of those.
    expect(await dueAfter(1000, 0.01)).toBe(100);
  });

  it("is not taken where evaluations are switched off", async () => {
    expect((await run(1, 1, { ...config, evalEvery: 0 })).quick).toEqual([]);
  });
});

describe("a feed", () => {
  it("tells the phases of a step once the steps before it are kept", () => {
    const run = { trainer: { step: 3 } };
    let time = 0;
    const told: number[] = [];
    const feed = new RunFeed(run as ActiveRun, (event) => event.type === "phase" && told.push(event.step), { now: () => (time += 100) });
    const sample = () => feed.progress("sample", 1, 1, false);
    sample();
    expect(told).toEqual([4]);
    run.trainer.step = 4;
    sample();
    expect(told).toEqual([4]);
    feed.saved(4);
    sample();
    expect(told).toEqual([4, 5]);
    // Somebody who watches each phase is told at once.
    run.trainer.step = 5;
    feed.progress("sample", 1, 1, true);
    expect(told).toEqual([4, 5, 6]);
  });
});
