import { describe, expect, it } from "vitest";
import { NO_TOKEN } from "../../../../../src/protocol/records.ts";
import { Random } from "../../../../../src/rl/random.ts";
import { type Branch, groupTree, partings } from "../../../../../src/ui/step/rollouts/group/groupTree.ts";
import { groupOf } from "../groups.ts";

const shape = ({ first, end, members, branches }: Branch): unknown => [first, end, members, branches.map(shape)];
const leaves = (branch: Branch): readonly Branch[] => (branch.branches.length === 0 ? [branch] : branch.branches.flatMap(leaves));

describe("the tree of a group", () => {
  it("shares what members begin with and parts where they differ, the larger branch first", () => {
    const group = groupOf([
      [1, 2, 3, 4],
      [1, 2, 5],
      [1, 2, 5],
    ]);
    expect(shape(groupTree(group))).toEqual([
      0,
      2,
      [0, 1, 2],
      [
        [2, 3, [1, 2], []],
        [2, 4, [0], []],
      ],
    ]);
    expect(partings(groupTree(group))).toBe(1);
  });

  it("makes a branch without tokens of members that end where others go on", () => {
    expect(shape(groupTree(groupOf([[7], [7, 8]])))).toEqual([
      0,
      1,
      [0, 1],
      [
        [1, 2, [1], []],
        [1, 1, [0], []],
      ],
    ]);
  });

  it("parts at another text where nobody knows the tokens' ids", () => {
    const words = groupOf([[NO_TOKEN, NO_TOKEN], [NO_TOKEN, NO_TOKEN], [NO_TOKEN]]);
    const texts = [["six", " is"], ["six", " it"], ["six"]];
    const group = { ...words, trajectories: words.trajectories.map((each, g) => ({ ...each, pieces: texts[g]! })) };
    expect([groupTree(group).end, partings(groupTree(group))]).toEqual([1, 1]);
    expect(groupTree(group).branches.map(({ members }) => members)).toEqual([[0], [1], [2]]);
  });

  it("begins with nothing where the first tokens differ, and is one branch where all are the same", () => {
    expect(groupTree(groupOf([[1], [2]])).end).toBe(0);
    const same = groupTree(
      groupOf([
        [4, 4],
        [4, 4],
        [4, 4],
      ]),
    );
    expect([same.end, same.branches.length, partings(same)]).toEqual([2, 0, 0]);
  });

  it("gives each branch the mean advantage of its members", () => {
    const tree = groupTree(
      groupOf(
        [
          [1, 2],
          [1, 3],
          [1, 3],
        ],
        [1, -0.25, -0.75],
      ),
    );
    expect(tree.advantage).toBeCloseTo(0, 12);
    expect(tree.branches.map(({ advantage }) => advantage)).toEqual([-0.5, 1]);
  });

  it("has each member in one leaf, whose way from the root is its tokens, for any group", () => {
    const random = new Random(5);
    for (let trial = 0; trial < 200; trial++) {
      const size = 1 + Math.floor(random.uniform() * 12);
      const tokens_G_T = Array.from({ length: size }, () =>
        Array.from({ length: 1 + Math.floor(random.uniform() * 6) }, () => Math.floor(random.uniform() * 2)),
      );
      const tree = groupTree(groupOf(tokens_G_T));
      const ways = new Map<number, number[]>();
      const walk = ({ first, end, members, branches }: Branch) => {
        for (const member of members) ways.set(member, [...(ways.get(member) ?? []), ...tokens_G_T[member]!.slice(first, end)]);
        for (const branch of branches) walk(branch);
      };
      walk(tree);
      expect(tokens_G_T.map((_, member) => ways.get(member))).toEqual(tokens_G_T);
      expect(
        leaves(tree)
          .flatMap(({ members }) => members)
          .toSorted((a, b) => a - b),
      ).toEqual(tokens_G_T.map((_, member) => member));
    }
  });
});
