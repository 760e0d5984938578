// Conversations of a run's folder, as the page shows them.

import { expect, it } from "vitest";
import { trajectoryLines } from "../../../../src/export/trajectoryLines.ts";
import type { StepGroups } from "../../../../src/protocol/messages.ts";
import type { TrajectoryRecord } from "../../../../src/protocol/records.ts";
import { recordedSteps } from "../../../../src/ui/engine/saves/recordedSteps.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { group, trajectory } from "../../step/rollouts/groups.ts";

const config = {} as StepGroups["config"];
const call = { role: "assistant", content: "", toolCalls: [{ name: "calculator", arguments: { expression: "1+1" } }] } as const;
const said: TrajectoryRecord = {
  ...trajectory(1, 0.5, 3),
  messages: [call, { role: "tool", content: "2" }, { role: "assistant", content: "2" }],
  arithmetic: { from: 1, baseline: 0.5, scale: 1, fade: 1, shift: 0, spread: 1 },
  minibatches: [1],
};
const step: StepGroups = {
  ...{ step: 4, phase: "evaluate", config, summaries: [], oldestStep: 1 },
  groups: [group([said, trajectory(null, 0, 2)])],
};
const lines = trajectoryLines(step, 8);
const bytesOf = (values: readonly unknown[]) => new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
const read = (values: readonly unknown[]) => recordedSteps(bytesOf(values), config, false).steps;
const lackIn = (values: readonly unknown[]) => recordedSteps(bytesOf(values), config, false).lack;

it("a step that was written down is read as it was, calls and what had no value included", () => {
  const [found] = read(lines);
  const [original] = step.groups;
  const opened = original!.trajectories.map((each) => ({
    ...{ ...each, opening: original!.messages },
    prompt: { promptTokens: original!.promptTokens, promptPieces: original!.promptPieces },
  }));
  expect(found?.groups).toEqual([{ ...original, trajectories: opened }]);
  expect(found?.summaries).toMatchObject([{ step: 4, promptIndex: 2, meanReward: 1, rewardStd: 0, successRate: 0.5, largestAdvantage: 1 }]);
});

it("lines of older folders, and one that was cut off, are left out, and the former are said to be", () => {
  const older = lines.map((line) => ({ ...(line as object), pieces: undefined }));
  expect(read(older)).toEqual([]);
  expect(lackIn(older)).toMatch(/^The 2 conversations in the run's folder lack .*An earlier version/);
  expect(lackIn([...older, ...lines])).toMatch(/^2 of the 4 conversations/);
  expect(lackIn(lines)).toBe(null);
  const cut = new Uint8Array([...new TextEncoder().encode('prompt":1}\n'), ...bytesOf(lines)]);
  expect(recordedSteps(cut, config, false).steps).toHaveLength(1);
  expect(read([null, 1, {}, { ...(lines[0] as object), logprobs: [1] }])).toEqual([]);
});

it("a run's view shows records beside the steps that the engine keeps, until another run comes", () => {
  const { groups, apply } = createRunView();
  groups.addRecorded("a", read(lines));
  expect([groups.latestStep, groups.recordedSteps, groups.at(4)?.step]).toEqual([null, [4], 4]);
  groups.clear("a");
  groups.add({ ...step, step: 9, oldestStep: 9 });
  expect([groups.recordedSteps, groups.isRecord(4), groups.isRecord(9)]).toEqual([[4], true, false]);
  groups.add({ ...step, step: 10, oldestStep: 3 });
  expect([groups.recordedSteps, groups.at(4)]).toEqual([[], null]);
  apply([{ type: "state", runId: "b", state: "idle" }]);
  expect(groups.recordedSteps).toEqual([]);
});
