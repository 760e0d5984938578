import { beforeEach, describe, expect, it } from "vitest";
import type { Phase, StepGroups } from "../../../../src/protocol/messages.ts";
import type { GroupRecord } from "../../../../src/protocol/records.ts";
import { createRunView, type RunView } from "../../../../src/ui/engine/store/runView.ts";
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

let view: RunView;
beforeEach(() => {
  view = createRunView();
});

describe("a batch of events", () => {
  it("puts metrics into the series and the step into the facts", () => {
    view.apply([started(), steps(1, 4)]);
    expect(view.facts.getState().step).toBe(4);
    expect(view.metrics.lastStep).toBe(4);
  });

  it("is one update of the facts", () => {
    let updates = 0;
    const stop = view.facts.subscribe(() => {
      updates += 1;
    });
    view.apply([started(), steps(1, 4), event({ type: "saved", step: 4, bytes: 1, kept: [] })]);
    stop();
    expect(updates).toBe(1);
  });

  it("takes a history of 300,000 steps", () => {
    const records = Array.from({ length: 300_000 }, (_, i) => ({ step: i + 1, metrics: { reward: i } }));
    view.apply([started("run-a", 300_000), event({ type: "history", steps: records, evaluations: [], baselines: [], kept: [] })]);
    expect(view.metrics.lastStep).toBe(300_000);
  });

  it("begins a new run with empty series, even within one batch", () => {
    view.apply([started("run-a"), steps(1, 4, "run-a"), started("run-b"), steps(1, 2, "run-b")]);
    expect([...view.metrics.series("reward").steps]).toEqual([1, 2]);
  });

  it("leaves out metrics of an earlier run", () => {
    view.apply([started("run-b"), steps(1, 9, "run-a")]);
    expect(view.metrics.lastStep).toBe(0);
  });

  it("brings a continued run's history back", () => {
    const history = event({ type: "history", steps: [{ step: 1, metrics: { reward: 0.5 } }], evaluations: [], baselines: [], kept: [] });
    view.apply([started("run-a", 1), history, steps(2, 3)]);
    expect([...view.metrics.series("reward").steps]).toEqual([1, 2, 3]);
  });

  it("adds a group that was asked for to those of its step", () => {
    view.apply([started(), groups(3, [0]), inspected(3, [2])]);
    expect(view.groups.at(3)?.groups.map(({ promptIndex }) => promptIndex)).toEqual([0, 2]);
    expect(view.groups.group(3, 2)?.promptIndex).toBe(2);
    expect(view.groups.group(3, 1)).toBeNull();
  });

  it("drops what an earlier phase of a step had, and what another run answers", () => {
    view.apply([started(), groups(3, [0, 1], "sample"), inspected(3, [1], "update")]);
    expect(view.groups.at(3)?.groups.map(({ promptIndex }) => promptIndex)).toEqual([1]);
    view.apply([started("run-b"), inspected(3, [1])]);
    expect(view.groups.at(3)).toBeNull();
  });

  it("holds a bounded number of steps, the newest among them", () => {
    view.apply([started(), ...Array.from({ length: 100 }, (_, i) => groups(i + 1, [0]))]);
    expect(view.groups.latestStep).toBe(100);
    expect(view.groups.at(100)).not.toBeNull();
    expect(Array.from({ length: 100 }, (_, i) => view.groups.at(i + 1)).filter((held) => held !== null).length).toBe(32);
  });
});

describe("two views", () => {
  it("know nothing of each other", () => {
    const other = createRunView();
    view.apply([started("run-a"), steps(1, 4, "run-a"), groups(4, [0])]);
    view.selection.setState({ step: 2 });
    other.apply([started("run-b"), steps(1, 2, "run-b")]);
    const known = ({ facts, metrics, groups, selection }: RunView) => [
      facts.getState().runId,
      facts.getState().step,
      metrics.lastStep,
      groups.latestStep,
      selection.getState().step,
    ];
    expect([known(view), known(other)]).toEqual([
      ["run-a", 4, 4, 4, 2],
      ["run-b", 2, 2, null, null],
    ]);
  });
});
