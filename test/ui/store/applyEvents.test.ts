import { beforeEach, describe, expect, it } from "vitest";
import type { Phase, StepGroups } from "../../../src/protocol/messages.ts";
import type { GroupRecord } from "../../../src/protocol/records.ts";
import { applyEvents } from "../../../src/ui/store/applyEvents.ts";
import { groupsByStep } from "../../../src/ui/store/groupsByStep.ts";
import { metricSeries } from "../../../src/ui/store/metricSeries.ts";
import { useRun } from "../../../src/ui/store/runStore.ts";
import { event, started, steps, tableConfig } from "./events.ts";

function group(step: number, promptIndex: number): GroupRecord {
  return {
    step,
    promptIndex,
    exampleId: "x",
    messages: [],
    promptTokens: [],
    promptPieces: [],
    answer: "",
    zeroSpread: false,
    trajectories: [],
  };
}

function stepGroups(step: number, indices: readonly number[], phase: Phase = "update"): StepGroups {
  return { step, phase, config: tableConfig, summaries: [], groups: indices.map((index) => group(step, index)), oldestStep: 1 };
}

const groups = (...about: Parameters<typeof stepGroups>) => event({ type: "groups", ...stepGroups(...about) });
const inspected = (...about: Parameters<typeof stepGroups>) =>
  event({ type: "answer", outcome: "done", id: 1, command: "inspect", result: stepGroups(...about) });

describe("applying a batch of events", () => {
  beforeEach(() => applyEvents([event({ type: "state", state: "idle" }, null)]));

  it("puts metrics into the series and the step into the facts", () => {
    applyEvents([started(), steps(1, 4)]);
    expect(useRun.getState().step).toBe(4);
    expect(metricSeries.lastStep).toBe(4);
  });

  it("is one update of the facts", () => {
    let updates = 0;
    const stop = useRun.subscribe(() => {
      updates += 1;
    });
    applyEvents([started(), steps(1, 4), event({ type: "saved", step: 4, bytes: 1 })]);
    stop();
    expect(updates).toBe(1);
  });

  it("begins a new run with empty series, even within one batch", () => {
    applyEvents([started("run-a"), steps(1, 4, "run-a"), started("run-b"), steps(1, 2, "run-b")]);
    expect([...metricSeries.series("reward").steps]).toEqual([1, 2]);
  });

  it("leaves out metrics of an earlier run", () => {
    applyEvents([started("run-b"), steps(1, 9, "run-a")]);
    expect(metricSeries.lastStep).toBe(0);
  });

  it("brings a continued run's history back", () => {
    const history = event({ type: "history", steps: [{ step: 1, metrics: { reward: 0.5 } }], evaluations: [], baselines: [] });
    applyEvents([started("run-a", 1), history, steps(2, 3)]);
    expect([...metricSeries.series("reward").steps]).toEqual([1, 2, 3]);
  });

  it("adds a group that was asked for to those of its step", () => {
    applyEvents([started(), groups(3, [0]), inspected(3, [2])]);
    expect(groupsByStep.at(3)?.groups.map(({ promptIndex }) => promptIndex)).toEqual([0, 2]);
    expect(groupsByStep.group(3, 2)?.promptIndex).toBe(2);
    expect(groupsByStep.group(3, 1)).toBeNull();
  });

  it("drops what an earlier phase of a step had, and what another run answers", () => {
    applyEvents([started(), groups(3, [0, 1], "sample"), inspected(3, [1], "update")]);
    expect(groupsByStep.at(3)?.groups.map(({ promptIndex }) => promptIndex)).toEqual([1]);
    applyEvents([started("run-b"), inspected(3, [1])]);
    expect(groupsByStep.at(3)).toBeNull();
  });

  it("holds a bounded number of steps, the newest among them", () => {
    applyEvents([started(), ...Array.from({ length: 100 }, (_, i) => groups(i + 1, [0]))]);
    expect(groupsByStep.latestStep).toBe(100);
    expect(groupsByStep.at(100)).not.toBeNull();
    expect(Array.from({ length: 100 }, (_, i) => groupsByStep.at(i + 1)).filter((held) => held !== null).length).toBe(32);
  });
});
