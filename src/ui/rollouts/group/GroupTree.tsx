// Where a group parts: its members as one tree of shared text. The more members have a branch, the higher it
// is; its colour is their mean advantage; pressing one opens its first member at the token where it begins.
import { useMemo } from "react";
import { signedMeasureText } from "../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import { tintCss, tintOf } from "../../tokens/colourScale.ts";
import { showPiece } from "../../tokens/drawing.ts";
import { type Branch, groupTree, partings } from "./groupTree.ts";
import "./groupTree.css";

interface BranchProps {
  readonly group: GroupRecord;
  readonly branch: Branch;
  /** Whether the step has come to its advantages. */
  readonly isCompared: boolean;
  readonly limit: number;
  readonly selected: number;
  readonly onPick: (member: number, token: number | null) => void;
}

/** Height that a member gives to the branches it has: two lines. */
const MEMBER_PX = 44;

/** Runs of text that were all sampled or all inserted. */
function runsOf(group: GroupRecord, { members, first, end }: Branch) {
  const { pieces, sampled } = group.trajectories[members[0]!]!;
  const runs: { at: number; isSampled: boolean; text: string }[] = [];
  for (let t = first; t < end; t++) {
    const { text, kind } = showPiece(pieces[t] ?? "");
    // Marks are the same in all members; without them more of what was said has room.
    if (kind === "mark") continue;
    const isSampled = sampled[t] === 1;
    const last = runs.at(-1);
    if (last?.isSampled === isSampled) last.text += text;
    else runs.push({ at: t, isSampled, text });
  }
  return runs;
}

function BranchNode({ group, branch, isCompared, limit, selected, onPick }: BranchProps) {
  const { members, first, end, advantage, branches } = branch;
  const runs = runsOf(group, branch);
  const [one] = members;
  const direction = advantage > 0 ? "▲" : advantage < 0 ? "▼" : "";
  const who =
    branches.length === 0 ? members.map((member) => `#${member + 1}`).join(" ") : `${members.length} of ${group.trajectories.length}`;
  return (
    <li className="branch">
      <button
        type="button"
        className="branch-text"
        style={{ backgroundColor: tintCss(tintOf("diverging", advantage, limit)), minHeight: `${members.length * MEMBER_PX}px` }}
        aria-current={branches.length === 0 && members.includes(selected)}
        onClick={() => onPick(members.includes(selected) ? selected : one!, first < end ? first : null)}
      >
        <span className="branch-facts">
          <b className="strong">{who}</b>
          {isCompared && (
            <span className="branch-advantage">
              A {signedMeasureText(advantage)} <span aria-hidden>{direction}</span>
            </span>
          )}
        </span>
        <span className="branch-runs mono">
          {runs.length === 0 && <i>{first === end ? "ends here" : "ends its turn"}</i>}
          {runs.map(({ at, isSampled, text }) => (
            <span key={at} className={isSampled ? "" : "branch-context"}>
              {text}
            </span>
          ))}
        </span>
      </button>
      {branches.length > 0 && (
        <ul>
          {branches.map((next) => (
            <BranchNode key={next.members[0]} {...{ group, isCompared, limit, selected, onPick }} branch={next} />
          ))}
        </ul>
      )}
    </li>
  );
}

export interface GroupTreeProps extends Pick<BranchProps, "group" | "isCompared" | "selected" | "onPick"> {}

export function GroupTree({ group, isCompared, selected, onPick }: GroupTreeProps) {
  const tree = useMemo(() => groupTree(group), [group]);
  const count = partings(tree);
  const limit = Math.max(1e-12, ...group.trajectories.map(({ advantage }) => Math.abs(advantage)));
  // A root without tokens says nothing of its own.
  const roots = tree.first === tree.end && tree.branches.length > 0 ? tree.branches : [tree];
  return (
    <section className="tree" aria-label="Where the group parts">
      <p className="note">
        {count === 0
          ? "All members said the same."
          : `Members part at ${count} ${count === 1 ? "place" : "places"}. Up to there they share every token. The more members have a branch, the higher it is; its colour is their mean advantage${isCompared ? "" : ", which is not computed yet"}.`}
      </p>
      <div className="tree-scroll">
        <ul>
          {roots.map((branch) => (
            <BranchNode key={branch.members[0]} {...{ group, isCompared, limit, selected, onPick }} branch={branch} />
          ))}
        </ul>
      </div>
    </section>
  );
}
