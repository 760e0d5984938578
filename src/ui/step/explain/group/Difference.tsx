// Two answers of a group, token against token: what they share and where they part.
import { memo, useMemo, useState } from "react";
import { measureText, signedMeasureText } from "../../../../protocol/quantities.ts";
import type { GroupRecord, TrajectoryRecord } from "../../../../protocol/records.ts";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { ShowAll } from "../../../kit/lists/longLists.tsx";
import { Table } from "../../../kit/lists/Table.tsx";
import { trajectoryOrder } from "../../rollouts/group/groupOrder.ts";
import { type DifferenceColumn, differenceOf, type Difference as TokenDifference } from "./differenceColumns.ts";
import { answerTexts } from "./GroupTable.tsx";

/** Columns that are drawn at first. */
const FIRST_COLUMNS = 120;
const BOTH = "Two answers, token against token";

interface TokenRowProps {
  readonly name: string;
  readonly trajectory: TrajectoryRecord;
  readonly columns: readonly DifferenceColumn[];
  readonly side: "a" | "b";
  readonly isCompared: boolean;
}

function TokenCell({ column, side }: { readonly column: DifferenceColumn; readonly side: "a" | "b" }) {
  if (column.kind === "skipped")
    return (
      <td className="explain-difference-token fine-print nowrap" data-shared>
        {column.count} alike
      </td>
    );
  const cell = column[side];
  return (
    <td className="explain-difference-token mono nowrap" data-shared={column.kind === "both" || undefined}>
      {cell ? <span className={`token-is-${cell.kind}`}>{cell.text}</span> : <span className="visually-hidden">nothing</span>}
    </td>
  );
}

function TokenRow({ name, trajectory, columns, side, isCompared }: TokenRowProps) {
  return (
    <tr>
      <th scope="row">
        {name}{" "}
        {isCompared && trajectory.advantage !== null && <span className="fine-print">A {signedMeasureText(trajectory.advantage)}</span>}
      </th>
      {columns.map((column, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place in the alignment
        <TokenCell key={index} column={column} side={side} />
      ))}
    </tr>
  );
}

/** What sets two answers apart, in one sentence. */
function differenceText(a: TrajectoryRecord, b: TrajectoryRecord, { places, shared, partsAt }: TokenDifference): string {
  if (partsAt === null) return "Both answers have the same tokens, earn the same, and are pushed the same way.";
  const rewards = a.reward === null || b.reward === null ? "" : ` Their rewards differ by ${measureText(Math.abs(a.reward - b.reward))}.`;
  return `They share ${shared} of ${places} places and part at token ${partsAt + 1}.${rewards}`;
}

interface DifferenceProps {
  readonly group: GroupRecord;
  readonly member: number;
  /** Whether advantages are computed. */
  readonly isCompared: boolean;
}

/** Drawn anew only with another answer: long answers take a while. */
export const Difference = memo(function Difference({ group, member, isCompared }: DifferenceProps) {
  const order = useMemo(() => trajectoryOrder(group, "advantage").filter((index) => !group.trajectories[index]!.isBare), [group]);
  const [chosen, setChosen] = useState<number | null>(null);
  const [isWhole, setWhole] = useState(false);
  // Against the other end of the group, where nobody chose.
  const farthest = (order[0] === member ? order.at(-1) : order[0]) ?? member;
  const other = chosen !== null && chosen !== member && order.includes(chosen) ? chosen : farthest;
  const a = group.trajectories[member];
  const b = group.trajectories[other];
  const difference = useMemo(() => (a && b ? differenceOf(a, b) : null), [a, b]);
  const texts = useMemo(() => answerTexts(group), [group]);
  if (!a || !b || !difference || other === member) return null;
  const columns = isWhole ? difference.columns : difference.columns.slice(0, FIRST_COLUMNS);
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
      <Table region={BOTH} caption={BOTH}>
        <TokenRow name={`Answer ${member + 1}`} trajectory={a} columns={columns} side="a" isCompared={isCompared} />
        <TokenRow name={`Answer ${other + 1}`} trajectory={b} columns={columns} side="b" isCompared={isCompared} />
      </Table>
      <ShowAll total={difference.columns.length} first={FIRST_COLUMNS} items="columns" isWhole={isWhole} onChange={setWhole} />
      <p className="note">{differenceText(a, b, difference)}</p>
    </div>
  );
});
