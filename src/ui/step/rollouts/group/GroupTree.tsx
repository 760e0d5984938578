// Where a group parts: its members as one tree of shared text. The more members have a branch, the higher it
// is; its colour is their mean advantage; pressing one opens its first member at the token where it begins.
import { useMemo, useRef, useState } from "react";
import { counted, signedMeasureText } from "../../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { useGoesOn } from "../../../kit/charts/plot/elementHooks.ts";
import { Toggle } from "../../../kit/controls/Slider.tsx";
import { tintCss, tintOf } from "../../tokens/colourScale.ts";
import { showPiece } from "../../tokens/drawing.ts";
import { insertedText } from "../conversation/turns.ts";
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

interface TextRun {
  readonly at: number;
  readonly isSampled: boolean;
  readonly text: string;
}

/** Characters that a branch shows of what was inserted. */
const MOST_INSERTED = 80;

/** Runs of text that were all sampled or all inserted, without marks: these are the same in all members. */
export function branchRuns(group: GroupRecord, { members, first, end }: Pick<Branch, "members" | "first" | "end">): readonly TextRun[] {
  const { pieces, sampled } = group.trajectories[members[0]!]!;
  const runs: TextRun[] = [];
  for (let at = first; at < end; ) {
    const isSampled = sampled[at] === 1;
    let to = at + 1;
    while (to < end && (sampled[to] === 1) === isSampled) to += 1;
    const own = pieces.slice(at, to);
    const said = isSampled ? own.map(sampledText).join("") : insertedText(own);
    const text = !isSampled && said.length > MOST_INSERTED ? `${said.slice(0, MOST_INSERTED)}…` : said;
    if (text !== "") runs.push({ at, isSampled, text });
    at = to;
  }
  return runs;
}

function sampledText(piece: string): string {
  const { kind, text } = showPiece(piece);
  return kind === "mark" ? "" : text;
}

function Runs({ runs }: { readonly runs: readonly TextRun[] }) {
  return runs.map(({ at, isSampled, text }) => (
    <span key={at} className={isSampled ? "" : "branch-context"}>
      {text}
    </span>
  ));
}

function BranchNode({ group, branch, isCompared, limit, selected, onPick }: BranchProps) {
  const { members, first, end, advantage, branches } = branch;
  const runs = branchRuns(group, branch);
  const [one] = members;
  const direction = advantage > 0 ? "▲" : advantage < 0 ? "▼" : "";
  const who =
    branches.length === 0 ? members.map((member) => `#${member + 1}`).join(" ") : `${members.length} of ${group.trajectories.length}`;
  return (
    <li className="branch flex">
      <button
        type="button"
        className="branch-text flex ink framed on-surface rounded"
        style={{ backgroundColor: tintCss(tintOf("diverging", advantage, limit)), minHeight: `${members.length * MEMBER_PX}px` }}
        aria-current={branches.length === 0 && members.includes(selected)}
        onClick={() => onPick(members.includes(selected) ? selected : one!, first < end ? first : null)}
      >
        <span className="flex gap-1 nowrap small">
          <b className="strong">{who}</b>
          {isCompared && (
            <span>
              A {signedMeasureText(advantage)} <span aria-hidden>{direction}</span>
            </span>
          )}
        </span>
        <span className="mono wrap-anywhere small">
          {runs.length === 0 && <i>{first === end ? "ends here" : "ends its turn"}</i>}
          <Runs runs={runs} />
        </span>
      </button>
      {branches.length > 0 && (
        <ul>
          {branches.map((next) => (
            <BranchNode
              key={next.members[0]}
              group={group}
              isCompared={isCompared}
              limit={limit}
              selected={selected}
              onPick={onPick}
              branch={next}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

/** How much all members begin with. */
export function sharedText(members: number, tokens: number): string {
  return `All ${members} begin with the same ${tokens === 1 ? "token" : `${tokens} tokens`}`;
}

export interface GroupTreeProps extends Pick<BranchProps, "group" | "isCompared" | "selected" | "onPick"> {}

export function GroupTree({ group, isCompared, selected, onPick }: GroupTreeProps) {
  const tree = useMemo(() => groupTree(group), [group]);
  const count = partings(tree);
  const limit = Math.max(1e-12, ...group.trajectories.map(({ advantage }) => Math.abs(advantage ?? 0)));
  const [isWide, setWide] = useState(false);
  const scroll = useRef<HTMLDivElement>(null);
  const goesOn = useGoesOn(scroll);
  // What all begin with is said beside the tree, which starts where they part.
  const roots = tree.branches.length > 0 ? tree.branches : [tree];
  return (
    <section className={isWide ? "tree tree-wide" : "tree"} aria-label="Where the group parts">
      <p className="note">
        {count === 0
          ? "All members said the same."
          : `The answers divide at ${counted(count, "place")}. Before that they share every token. A higher branch has more answers. Its colour is their mean advantage${isCompared ? "" : ", which is not computed yet"}.`}
      </p>
      <div className="tree-width">
        <Toggle isSelected={isWide} onChange={setWide}>
          Full width
        </Toggle>
      </div>
      {count > 0 && tree.end > 0 && (
        <details className="tree-shared mt-half">
          <summary className="note">{sharedText(group.trajectories.length, tree.end)}</summary>
          <p className="mono wrap-anywhere small">
            <Runs runs={branchRuns(group, tree)} />
          </p>
        </details>
      )}
      <div className="tree-frame relative" data-goes-on={goesOn || undefined}>
        <div className="tree-scroll" ref={scroll}>
          <ul>
            {roots.map((branch) => (
              <BranchNode
                key={branch.members[0]}
                group={group}
                isCompared={isCompared}
                limit={limit}
                selected={selected}
                onPick={onPick}
                branch={branch}
              />
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}
