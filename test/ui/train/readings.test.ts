import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { hashOf, parseRoute } from "../../../src/ui/engine/route.ts";
import { isKnown } from "../../../src/ui/step/group/groupShape.ts";
import {
  ageText,
  durationText,
  newestMeasured,
  recentMean,
  recentText,
  runShare,
  secondsLeft,
  stateText,
} from "../../../src/ui/step/group/runReadings.ts";
import { evaluationRecord } from "../../rl/verdict/syntheticRuns.ts";

describe("readings of a run", () => {
  it("lead with the newest of what was measured, and say how old it is", () => {
    const at = (step: number) => evaluationRecord(step, 10, 32);
    const [early, late, quick] = [at(0), at(10), at(7)];
    expect(newestMeasured({ evaluations: [early], quickEvaluation: quick })).toBe(quick);
    expect(newestMeasured({ evaluations: [early, late], quickEvaluation: quick })).toBe(late);
    expect(newestMeasured({ evaluations: [], quickEvaluation: null })).toBeUndefined();
    expect([ageText(7, 7), ageText(7, 8), ageText(0, 30)]).toEqual(["", "at step 7, 1 step ago", "at step 0, 30 steps ago"]);
  });

  it.each([
    [0.0004, "< 1 ms"],
    [0.42, "420 ms"],
    [4.26, "4.3 s"],
    [59.2, "59 s"],
    [200, "3 min 20 s"],
    [3900, "1 h 5 min"],
    [119.7, "2 min 0 s"],
    [59.6, "1 min 0 s"],
    [Number.NaN, "–"],
  ])("say %d seconds as %s", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it("say in which step a run stands whose count has not come to it", () => {
    const facts = { stateReason: null, preparing: null, notice: null, step: 2 };
    const at = (step: number) => ({ step, phase: "score", done: 1, total: 1 }) as const;
    expect(stateText("ready", { ...facts, state: "paused", phase: at(3) })).toBe("paused in step 3");
    expect(stateText("ready", { ...facts, state: "paused", phase: at(2) })).toBe("paused");
    expect(stateText("ready", { ...facts, state: "paused", phase: null })).toBe("paused");
    expect(stateText("ready", { ...facts, state: "finished", stateReason: "stopped", phase: at(3) })).toBe("stopped in step 3");
    const running = { ...facts, state: "running", phase: at(3) } as const;
    expect(stateText("ready", running)).toBe("running");
    expect(stateText("ready", { ...running, notice: { message: "Away.", passing: "begun" } })).toBe("waits for its server");
    expect(stateText("ready", { ...running, notice: { message: "Back.", passing: "over" } })).toBe("running");
  });

  it("average the newest finite values", () => {
    expect(recentMean([100, 1, 2, Number.NaN, 3], 4)).toBe(2);
    expect(recentMean([])).toBeNull();
  });

  it("count the waits of a slow pace into the time left: 3 s a phase, four phases a step", () => {
    const config = runConfigSchema.parse({ steps: 10 });
    expect(secondsLeft({ config, step: 4 }, 0.5, 0)).toBe(3);
    expect(secondsLeft({ config, step: 4 }, 0.5, 3000)).toBe(75);
    expect(secondsLeft({ config: { ...config, kind: "supervised" }, step: 4 }, 0.5, 3000)).toBe(39);
    expect(secondsLeft({ config: { ...config, steps: 0 }, step: 4 }, 0.5, 0)).toBeNull();
  });

  it("have no share without a step limit", () => {
    expect(runShare({ config: null, step: 4 })).toBeNull();
  });

  it("know nothing of phases a group has not been through", () => {
    expect(isKnown("advantage", "score")).toBe(false);
    expect(isKnown("score", "advantage")).toBe(true);
  });
});

describe("routes", () => {
  it("read back what they wrote", () => {
    const query = new URLSearchParams({ step: "12", note: "a&b=c?" });
    const route = parseRoute(hashOf("rollouts", query));
    expect(route.screen).toBe("rollouts");
    expect([...route.query]).toEqual([...query]);
  });

  it("take anything unknown for the Train screen, and name it", () => {
    expect(parseRoute("#/nowhere?steps=4")).toMatchObject({ screen: "train", missing: "nowhere" });
    expect(parseRoute("#/learn/grpo")).toMatchObject({ screen: "train", missing: "learn/grpo" });
    for (const hash of ["", "#", "#/", "#/?steps=4", "#/train", "#/replay?run=1"])
      expect(parseRoute(hash), hash).toMatchObject({ screen: "train", missing: null });
    expect(parseRoute("#/learn?lesson=grop")).toMatchObject({ screen: "learn", missing: null });
  });
});

it("a recent mean says of how many steps it is", () => {
  expect([1, 12, 20, 300].map(recentText)).toEqual([
    "In the one step so far",
    "Mean of the 12 steps so far",
    "Mean of the last 20 steps",
    "Mean of the last 20 steps",
  ]);
});
