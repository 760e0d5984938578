// Which steps stay when there is no room for all: the marked ones longest, the others evenly.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EvaluationRecord } from "../../../../src/protocol/records.ts";
import { KeptSteps, markedSteps } from "../../../../src/train/save/kept/keptSteps.ts";
import { writePart } from "../../../../src/train/save/parts.ts";
import { driveSession } from "../../../support/driveSession.ts";
import { memoryStore } from "../../../support/memoryStore.ts";

const file = (length: number) => new Uint8Array(length);
const rewards = (...list: number[]) => list.map((reward, i) => ({ step: i + 1, metrics: { reward } }));

describe("marked steps", () => {
  it("are the newest, the first, the best and worst, the best evaluated and those after a change, what matters most last", () => {
    const evaluations = [
      { step: 0, sampledAccuracy: 1 },
      { step: 4, sampledAccuracy: 0.3 },
      { step: 6, sampledAccuracy: 0.3 },
    ] as EvaluationRecord[];
    const changes = [{ afterStep: 4, settings: {} }];
    const steps = rewards(0.4, 0.9, 0.1, 0.5, Number.NaN, 0.6, 0.2);
    expect(markedSteps(steps, evaluations, { changes })).toEqual([5, 3, 4, 2, 1, 7]);
    expect(markedSteps([], [], { changes: [] })).toEqual([1]);
  });
});

describe("kept steps", () => {
  it("never take more than they may, keep the newest and what is marked, and lie evenly", () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 400 }), fc.integer({ min: 900, max: 4000 }), (steps, most) => {
        const kept = new KeptSteps();
        for (let step = 1; step <= steps; step++) kept.add(step, file(100), most, () => [3, 1, step]);
        expect(100 * kept.steps.length).toBeLessThanOrEqual(most);
        for (const step of [1, 3, steps]) expect(kept.steps).toContain(step);
        if (100 * steps <= most) expect(kept.steps).toHaveLength(steps);
        // A quarter of the room is always used, and no gap is much wider than even ones would be.
        const gaps = kept.steps.slice(1).map((step, i) => step - kept.steps[i]!);
        expect(Math.max(...gaps)).toBeLessThanOrEqual(8 * Math.ceil((100 * steps) / most) + 2);
      }),
      { numRuns: 200 },
    );
  });

  it("look at what is marked only where there is no room for all, which is seldom in a long run", () => {
    const kept = new KeptSteps();
    let looks = 0;
    const marked = (step: number) => () => {
      looks++;
      return [1, step];
    };
    for (let step = 1; step <= 20_000; step++) kept.add(step, file(100), 100_000, marked(step));
    // Each look lets go of half of them.
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(100);
  });

  it("tell once what has come and gone since the last time", () => {
    const whole = writePart({ step: 1, jsonBytes: 2, bytes: 2 }, new Uint8Array(2));
    const kept = new KeptSteps([{ step: 1, file: whole }]);
    expect(kept.hasNews).toBe(false);
    kept.add(2, file(10), 1000, () => []);
    kept.forgetFrom(2);
    kept.add(4, file(10), 1000, () => []);
    const { put, removed } = kept.takeNews();
    expect([[...put.keys()], removed]).toEqual([["groups/4"], ["groups/2"]]);
    expect(kept.hasNews).toBe(false);
    expect([...kept.files().keys()]).toEqual(["groups/1", "groups/4"]);
  });

  it("leave out one that alone is more than they may take", () => {
    const kept = new KeptSteps();
    kept.add(1, file(1000), 999, () => [1]);
    expect(kept.steps).toEqual([]);
  });
});

const stepOf = (name: string) => (name.startsWith("groups/") ? [Number(name.slice(7))] : []);

const table = { task: "digit-sum", model: "tabular", promptsPerStep: 2, groupSize: 8, evalEvery: 0, evalProblems: 4, steps: 300 } as const;

describe("a run that goes on by itself", () => {
  it("keeps its first, best, worst and last step, and as many others as cost little", async () => {
    const store = memoryStore();
    const session = await driveSession({ store });
    const over = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "start", runId: "run", config: table });
    await over;
    await session.send({ type: "save" });
    const { kept } = session.all("saved").at(-1)!;
    const steps = session.all("steps").flatMap(({ records }) => records);
    const last = markedSteps(steps, [], { changes: [] });
    // The engine itself still has the last 200.
    for (const step of last.filter((each) => each > 100 || each === 1)) expect(kept).toContain(step);
    const names = [...(await store.read("run")).keys()].flatMap(stepOf);
    expect(names.sort((a, b) => a - b)).toEqual(kept);
  });

  it("keeps nothing where it is told so, and takes the very same steps", async () => {
    const rewardsOf = async (keptMegabytes: number) => {
      const store = memoryStore();
      const session = await driveSession({ store });
      const over = session.next("state", ({ state }) => state === "finished");
      await session.send({ type: "start", runId: "run", config: { ...table, steps: 40, keptMegabytes } });
      await over;
      await session.send({ type: "save" });
      const files = [...(await store.read("run")).keys()].filter((name) => name.startsWith("groups/"));
      return { rewards: session.all("steps").flatMap(({ records }) => records.map(({ metrics }) => metrics.reward)), files: files.length };
    };
    const [none, some] = [await rewardsOf(0), await rewardsOf(8)];
    expect(none.files).toBe(0);
    expect(some.files).toBeGreaterThan(3);
    expect(none.rewards).toEqual(some.rewards);
  });
});
