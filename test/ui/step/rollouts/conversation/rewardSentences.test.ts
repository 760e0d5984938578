import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../../../src/protocol/config.ts";
import type { TrajectoryRecord } from "../../../../../src/protocol/records.ts";
import { explanation } from "../../../../../src/ui/step/group/GroupPanel.tsx";
import type { ShownGroup } from "../../../../../src/ui/step/group/shownGroup.ts";
import { endSentence, turnsSentence } from "../../../../../src/ui/step/rollouts/conversation/RewardTable.tsx";
import { group, trajectory } from "../groups.ts";

const said = (given: Partial<TrajectoryRecord>) => ({ ...trajectory(1, 0, 3), ...given });

describe("how a trajectory ended", () => {
  it("is by the policy's own stop only where the policy has one", () => {
    expect(endSentence(said({ stopReason: "completed", sampled: [1, 1, 1] }), false)).toBe("The policy ended its turn itself.");
    expect(endSentence(said({ stopReason: "completed", sampled: [1, 1, 1] }), true)).toBe("It has the length that the task asks for.");
    expect(endSentence(said({ stopReason: "completed", sampled: [1, 0, 1] }), false)).toBe("The conversation came to its end.");
    expect(endSentence(said({ stopReason: "max-turns", sampled: [1, 0, 1] }), false)).toBe("Ended by the limit of turns.");
  });
});

describe("what turns earned", () => {
  it("adds up to the reward with what the whole conversation earned", () => {
    expect(turnsSentence({ reward: 1.5, turnRewards: [0.25, 0.25] })).toBe(
      "Its turns earned 0.500; the conversation as a whole earned the other 1.",
    );
    expect(turnsSentence({ reward: 0.5, turnRewards: [0.25, 0.25] })).toBe("Its turns earned all of it, 0.500.");
    expect([turnsSentence({ reward: 1 }), turnsSentence({ reward: null, turnRewards: [1] })]).toEqual([null, null]);
  });
});

describe("what the advantage phase did to a group", () => {
  const config = runConfigSchema.parse({ credit: "turn" });
  const shown = (rewards: readonly (number | null)[]) =>
    ({ group: group(rewards.map((reward) => trajectory(reward, 0.5, 1))), config }) as unknown as ShownGroup;
  it("is that nothing could be scored only where nothing could", () => {
    expect(explanation("advantage", shown([0, 1, 1]))).not.toContain("could be scored");
    expect(explanation("advantage", shown([null, null]))).toBe("No completion could be scored.");
  });
});
