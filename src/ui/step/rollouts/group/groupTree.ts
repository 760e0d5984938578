// The members of a group as one tree of shared tokens: a branch is a run of tokens that the same members
// have, and it parts where they differ. What members share trains up and down at once; where they part
// the advantages do.
import type { GroupRecord } from "../../../../protocol/records.ts";
import { tokenKeys } from "../../group/groupShape.ts";

/** A run of tokens shared by the same members. */
export interface Branch {
  /** Position of the first token in the completions, and past the last. They are equal where members end here. */
  readonly first: number;
  readonly end: number;
  /** Indices of the group's members that have it, in the order sampled. */
  readonly members: readonly number[];
  /** Mean of the members' advantages. */
  readonly advantage: number;
  /** How it goes on: those with the most members first; none where the members end. */
  readonly branches: readonly Branch[];
}

type Keyed = Pick<GroupRecord, "trajectories"> & { readonly tokens_G_T: readonly (readonly number[])[] };

/** Members by their token at a position; those that have ended are left out. */
function membersByToken({ tokens_G_T }: Keyed, members: readonly number[], at: number): Map<number, number[]> {
  const byToken = new Map<number, number[]>();
  for (const member of members) {
    const token = tokens_G_T[member]![at];
    if (token === undefined) continue;
    const same = byToken.get(token);
    if (same) same.push(member);
    else byToken.set(token, [member]);
  }
  return byToken;
}

function branchFrom(group: Keyed, members: readonly number[], first: number): Branch {
  const shortest = Math.min(...members.map((member) => group.tokens_G_T[member]!.length));
  const [one] = members;
  const isShared = (at: number) => members.every((member) => group.tokens_G_T[member]![at] === group.tokens_G_T[one!]![at]);
  let end = first;
  while (end < shortest && isShared(end)) end += 1;
  const mean = members.reduce((sum, member) => sum + (group.trajectories[member]!.advantage ?? 0), 0) / members.length;
  // Advantages of a group that add to nothing leave a rounding error.
  const advantage = Math.abs(mean) < 1e-12 ? 0 : mean;
  const parts = [...membersByToken(group, members, end).values()];
  const ended = members.filter((member) => group.tokens_G_T[member]!.length === end);
  const branches = parts.map((part) => branchFrom(group, part, end));
  // Members that end where others go on are a branch of their own, without tokens.
  if (ended.length > 0 && branches.length > 0) branches.push(branchFrom(group, ended, end));
  return { first, end, members, advantage, branches: branches.toSorted((a, b) => b.members.length - a.members.length) };
}

/** The tree of a group with at least one member; its root is what all of them begin with, which may be nothing. */
export function groupTree(group: GroupRecord): Branch {
  const { trajectories } = group;
  return branchFrom({ trajectories, tokens_G_T: tokenKeys(trajectories) }, [...trajectories.keys()], 0);
}

/** How many times members part in the tree. */
export function partings({ branches }: Branch): number {
  return branches.reduce((sum, branch) => sum + partings(branch), branches.length > 0 ? 1 : 0);
}
