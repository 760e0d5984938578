// Rewards edited apart from the form, and what is said of a step that was scored again.
import { describe, expect, it } from "vitest";
import type { GroupRecord, TrajectoryRecord } from "../../../../src/protocol/records.ts";
import {
  type OtherRewards,
  rewardDifference,
  weighedParts,
  withBrought,
  withoutPart,
  withPart,
  withWeight,
} from "../../../../src/ui/step/otherwise/rewards/otherRewards.ts";

const own = [{ name: "boxed", title: "Right", help: "1 where it is right.", weight: 1 }];
const library = [
  { name: "lengthTarget", title: "Length", help: "Near a length.", weight: 0.5 },
  { name: "trueAnswer", title: "True answer", help: "A metric.", weight: 0 },
];
const none: OtherRewards = { rewardWeights: {}, rewardRules: {} };

describe("other rewards", () => {
  it("list the task's own parts and those added, each with its weight", () => {
    const rewards = withPart(withWeight(none, "boxed", 2), "lengthTarget", { target: 8 });
    expect(weighedParts(own, library, rewards).map(({ name, weight, isAdded }) => [name, weight, isAdded])).toEqual([
      ["boxed", 2, false],
      ["lengthTarget", 0.5, true],
    ]);
  });

  it("lose a part with its weight, which would name nothing", () => {
    const rewards = withWeight(withPart(none, "lengthTarget", {}), "lengthTarget", 3);
    expect(withoutPart(rewards, "lengthTarget")).toEqual(none);
  });

  it("take the place of a part of files that has their name, and bring code that stands in the form", () => {
    const code = { name: "mine", title: "Mine", help: "Own code.", weight: 1 };
    const adds = { customRewards: { mine: { contract: 1 as const, source: "", options: {}, workMs: 10, cases: [] } } } satisfies Pick<
      OtherRewards,
      "customRewards"
    >;
    const rewards = withBrought(withPart(none, "lengthTarget", {}), adds);
    const filed = [{ name: "lengthTarget", title: "lengthTarget", help: "As the files have it.", weight: 1 }, ...own];
    const listed = weighedParts(filed, [...library, code], rewards).map(({ name, isAdded }) => [name, isAdded]);
    expect(listed).toEqual([
      ["boxed", false],
      ["lengthTarget", true],
      ["mine", true],
    ]);
    expect(withoutPart(rewards, "mine").customRewards).toEqual({});
  });
});

/** A group of completions with these rewards and advantages; everything else is of no matter here. */
function group(rows: readonly (readonly [reward: number | null, advantage: number])[], zeroSpread = false): GroupRecord {
  const trajectories = rows.map(([reward, advantage]) => ({ reward, advantage }) as TrajectoryRecord);
  return { trajectories, zeroSpread } as unknown as GroupRecord;
}

describe("what other rewards change", () => {
  const before = [
    group([
      [1, 1],
      [0, -1],
    ]),
    group(
      [
        [0, 0],
        [0, 0],
      ],
      true,
    ),
  ];

  it("is nothing where they are the same", () => {
    expect(rewardDifference({ groups: before }, { groups: before })).toEqual({
      ...{
        meanBefore: 0.25,
        meanAfter: 0.25,
        completions: 4,
        turned: 0,
        reversed: 0,
        groups: 2,
        otherBest: 0,
        silentBefore: 1,
        silentAfter: 1,
      },
    });
  });

  it("counts completions pushed another way, groups with another best, and groups that now teach", () => {
    const after = [
      group([
        [0, -1],
        [1, 1],
      ]),
      group([
        [0.5, 1],
        [0, -1],
      ]),
    ];
    const found = rewardDifference({ groups: before }, { groups: after });
    expect(found).toMatchObject({ meanAfter: 0.375, turned: 4, reversed: 2, otherBest: 2, silentAfter: 0 });
  });

  it("leaves out of the mean what could not be scored", () => {
    const after = [
      group([
        [null, 0],
        [0.5, 0],
      ]),
      before[1]!,
    ];
    const found = rewardDifference({ groups: before }, { groups: after });
    expect(found.meanAfter).toBeCloseTo(0.5 / 3);
    // The first one is pushed no more, and the second neither.
    expect(found.turned).toBe(2);
  });
});
