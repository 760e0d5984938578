// The group of an explained token: its answers from the largest advantage to the smallest, with the parts of
// their rewards, their length and what the update did to them. Pressing one explains that answer.
import { type ReactNode, useMemo } from "react";
import { measureText, signedMeasureText } from "../../../../protocol/quantities.ts";
import type { GroupRecord, TrajectoryRecord } from "../../../../protocol/records.ts";
import { useRewardTitle } from "../../../engine/store/inTitles.ts";
import { useTokenWord } from "../../../engine/store/useRunView.ts";
import { Signed, SignedBar } from "../../../kit/controls/Signed.tsx";
import { SymbolNumber } from "../../../kit/formula/symbolScope.tsx";
import { Table } from "../../../kit/lists/Table.tsx";
import { Term } from "../../../kit/words/Term.tsx";
import { logprobChange, sampledTokens } from "../../group/groupShape.ts";
import { trajectoryOrder } from "../../rollouts/group/groupOrder.ts";
import { rowTexts } from "../../rollouts/group/rowTexts.ts";

const MOST_CHARACTERS = 60;
/** A column that there is no room for on a phone. */
const wide = (head: ReactNode) => ({ head, className: "is-wide" });

/** The answers of a group, each on one line that shows where it differs from the others. */
export function answerTexts({ trajectories }: Pick<GroupRecord, "trajectories">): readonly string[] {
  return rowTexts(trajectories).map((text) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text || "∅"));
}

interface GroupTableProps {
  readonly group: GroupRecord;
  readonly member: number;
  /** Whether advantages are computed. */
  readonly isCompared: boolean;
  /** Size of the largest advantage of the step. */
  readonly mostAdvantage: number;
  readonly onSelect: (member: number) => void;
}

export function GroupTable({ group, member, isCompared, mostAdvantage, onSelect }: GroupTableProps) {
  const titleOf = useRewardTitle();
  const word = useTokenWord();
  const names = group.trajectories[0]?.rewardParts.map(({ name }) => name) ?? [];
  const hasParts = names.length > 1;
  const texts = useMemo(() => answerTexts(group), [group]);
  return (
    <Table
      className="explain-group"
      headClassName="aside"
      caption={`Answers of the group, ${isCompared ? "from the largest advantage to the smallest" : "as sampled"}`}
      heads={[
        "Answer",
        ...(hasParts ? names.map((name) => wide(titleOf(name))) : []),
        <Term key="reward" id="reward">
          reward
        </Term>,
        <Term key="advantage" id="advantage">
          advantage
        </Term>,
        wide(`${word}s`),
        wide(<Term id="change">Δ log p</Term>),
      ]}
    >
      {trajectoryOrder(group, "advantage").map((index) => (
        <Member
          key={index}
          trajectory={group.trajectories[index]!}
          text={texts[index]!}
          index={index}
          isSelected={index === member}
          isCompared={isCompared}
          hasParts={hasParts}
          most={Math.max(1e-9, mostAdvantage)}
          onSelect={onSelect}
        />
      ))}
    </Table>
  );
}

interface MemberProps {
  readonly trajectory: TrajectoryRecord;
  readonly text: string;
  readonly index: number;
  readonly isSelected: boolean;
  readonly isCompared: boolean;
  readonly hasParts: boolean;
  readonly most: number;
  readonly onSelect: (member: number) => void;
}

function Member({ trajectory, text, index, isSelected, isCompared, hasParts, most, onSelect }: MemberProps) {
  const { reward, rewardParts, advantage, success } = trajectory;
  const change = logprobChange(trajectory);
  // Only the answer that is explained has its numbers in the formula.
  const named = (name: string, text: string) => (isSelected ? <SymbolNumber name={name}>{text}</SymbolNumber> : text);
  return (
    <tr data-selected={isSelected || undefined}>
      <th scope="row">
        <button type="button" className="explain-answer wrap-anywhere" aria-pressed={isSelected} onClick={() => onSelect(index)}>
          <span className="visually-hidden">Explain answer </span>
          <span className="fine-print">{index + 1}</span> <span className="mono">{text}</span>
          {success && <span className="aside"> right</span>}
        </button>
      </th>
      {hasParts &&
        rewardParts.map(({ name, value }, j) => (
          <td className="is-wide" key={name}>
            {value === null ? "–" : named(`part-${j}`, measureText(value))}
          </td>
        ))}
      <td>{reward === null ? "none" : named("reward", measureText(reward))}</td>
      <td>
        {isCompared ? (
          <span className="explain-signed grid items-center gap-1">
            <SignedBar value={advantage} most={most} />
            <Signed value={advantage} show={signedMeasureText} />
          </span>
        ) : (
          <span className="aside">not computed yet</span>
        )}
      </td>
      <td className="is-wide">{named("length", String(sampledTokens(trajectory)))}</td>
      <td className="is-wide">{change === null ? "–" : <Signed value={change} />}</td>
    </tr>
  );
}
