// Two answers of a group, token against token: what they share and where they part.
import { useMemo, useState } from "react";
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { GroupRecord, TrajectoryRecord } from "../../../protocol/records.ts";
import { Choice } from "../../controls/Choice.tsx";
import { trajectoryOrder } from "../../rollouts/group/groupOrder.ts";
import { showPiece } from "../../tokens/drawing.ts";
import { type AlignedPlace, alignTokens } from "../story/align.ts";
import { answerTexts } from "./GroupTable.tsx";

/** One column: a token of either answer, and whether both have it. */
interface Column {
  readonly place: AlignedPlace;
  readonly isShared: boolean;
}

function columnsOf(a: TrajectoryRecord, b: TrajectoryRecord): readonly Column[] {
  return alignTokens(a.tokens, b.tokens).map((place) => ({
    place,
    isShared: place.a !== null && place.b !== null && a.tokens[place.a] === b.tokens[place.b],
  }));
}

interface TokenRowProps {
  readonly name: string;
  readonly trajectory: TrajectoryRecord;
  readonly columns: readonly Column[];
  readonly side: "a" | "b";
  readonly isCompared: boolean;
}

function TokenRow({ name, trajectory, columns, side, isCompared }: TokenRowProps) {
  return (
    <tr>
      <th scope="row">
        {name} {isCompared && <span className="fine-print">A {signedMeasureText(trajectory.advantage)}</span>}
      </th>
      {columns.map(({ place, isShared }, index) => {
        const t = place[side];
        const shown = t === null ? null : showPiece(trajectory.pieces[t] ?? "");
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place in the alignment
          <td key={index} className="explain-difference-token mono" data-shared={isShared || undefined}>
            {shown ? <span className={`token-is-${shown.kind}`}>{shown.text}</span> : <span className="visually-hidden">nothing</span>}
          </td>
        );
      })}
    </tr>
  );
}

/** What sets two answers apart, in one sentence. */
function differenceText(a: TrajectoryRecord, b: TrajectoryRecord, columns: readonly Column[]): string {
  const shared = columns.filter(({ isShared }) => isShared).length;
  const first = columns.findIndex(({ isShared }) => !isShared);
  if (first === -1) return "The same tokens: they earn the same, and are pushed the same way.";
  const rewards = a.reward === null || b.reward === null ? "" : ` Their rewards differ by ${measureText(Math.abs(a.reward - b.reward))}.`;
  return `They share ${shared} of ${columns.length} places and part at token ${first + 1}.${rewards}`;
}

interface DifferenceProps {
  readonly group: GroupRecord;
  readonly member: number;
  /** Whether advantages are computed. */
  readonly isCompared: boolean;
}

export function Difference({ group, member, isCompared }: DifferenceProps) {
  const order = useMemo(() => trajectoryOrder(group, "advantage"), [group]);
  const [chosen, setChosen] = useState<number | null>(null);
  // Against the other end of the group, where nobody chose.
  const farthest = (order[0] === member ? order.at(-1) : order[0]) ?? member;
  const other = chosen !== null && chosen !== member && chosen < order.length ? chosen : farthest;
  const [a, b] = [group.trajectories[member], group.trajectories[other]];
  const columns = useMemo(() => (a && b ? columnsOf(a, b) : []), [a, b]);
  if (!a || !b || other === member) return null;
  const texts = answerTexts(group);
  const options = order.filter((index) => index !== member).map((index) => ({ id: String(index), title: `${index + 1}: ${texts[index]}` }));
  return (
    <div className="explain-difference stack">
      <Choice
        className="field-inline"
        label={`Answer ${member + 1} beside`}
        options={options}
        value={String(other)}
        onChange={(id) => setChosen(Number(id))}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <section className="scrolls" aria-label="Two answers, token against token" tabIndex={0}>
        <table>
          <caption className="visually-hidden">Two answers, token against token</caption>
          <tbody>
            <TokenRow name={`Answer ${member + 1}`} trajectory={a} columns={columns} side="a" isCompared={isCompared} />
            <TokenRow name={`Answer ${other + 1}`} trajectory={b} columns={columns} side="b" isCompared={isCompared} />
          </tbody>
        </table>
      </section>
      <p className="note">{differenceText(a, b, columns)}</p>
    </div>
  );
}
