import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../../src/protocol/config.ts";
import type { StepGroups } from "../../../../src/protocol/messages.ts";
import type { TrajectoryRecord } from "../../../../src/protocol/records.ts";
import { tellingPlace } from "../../../../src/ui/step/explain/story/telling.ts";
import { group, trajectory } from "../rollouts/groups.ts";

/** A completion whose tokens have these log-probs and pushes. */
function pushed(
  logprobs: readonly number[],
  lossWeights: readonly number[],
  given: Partial<TrajectoryRecord["channels"]> = {},
): TrajectoryRecord {
  const made = trajectory(1, 1, logprobs.length);
  return { ...made, channels: { ...made.channels, oldLogprobs: logprobs, trainLogprobs: logprobs, lossWeights, ...given } };
}
const stepOf = (...groups: readonly (readonly TrajectoryRecord[])[]): StepGroups =>
  ({
    ...{ step: 4, phase: "evaluate", config: runConfigSchema.parse({}), summaries: [] },
    groups: groups.map((trajectories, promptIndex) => ({ ...group(trajectories), promptIndex })),
  }) as unknown as StepGroups;

describe("the token that the Explain screen opens on", () => {
  it("is the one that moved most of the whole step, where that was measured", () => {
    const moved = pushed([-1, -1, -1], [9, 9, 9], { newLogprobs: [-1, -0.5, -0.9] });
    const still = pushed([-1, -1], [9, 9], { newLogprobs: [-1, -1.1] });
    expect(tellingPlace(stepOf([still, still], [still, moved]))).toEqual({ promptIndex: 1, trajectoryIndex: 1, tokenIndex: 1 });
    expect(tellingPlace(stepOf([still, still], [still, moved]), { promptIndex: 0, trajectoryIndex: 1 }).tokenIndex).toBe(1);
  });

  it("is never one that was certain, however hard it was pushed, where nothing was measured", () => {
    expect(tellingPlace(stepOf([pushed([-1e-9, -2, -0.1], [-5, -0.2, -0.3])])).tokenIndex).toBe(1);
  });

  it("is never one that the policy did not say", () => {
    const told = { ...pushed([-5, -0.1], [0, -0.1]), sampled: [0, 1] };
    expect(tellingPlace(stepOf([told])).tokenIndex).toBe(1);
  });

  it("is never one that nothing asked to move: of a frozen agent, or of a group whose advantages are 0", () => {
    const flat = pushed([-1, -1], [0, 0], { newLogprobs: [-1, -3], advantages: [0, 0] });
    const frozen = pushed([-1, -1], [0, 0], { newLogprobs: [-1, -4], mask: [0, 0] });
    const taught = pushed([-1, -1], [0.1, 0.1], { newLogprobs: [-1.1, -1] });
    expect(tellingPlace(stepOf([flat, flat], [frozen, taught]))).toEqual({ promptIndex: 1, trajectoryIndex: 1, tokenIndex: 0 });
  });
});
