// What other rewards change: the whole step in three sentences, and the chosen prompt's group completion by
// completion, before and after.

import type { ReactNode } from "react";
import type { OtherwiseStep } from "../../../../protocol/asked.ts";
import type { StepGroups } from "../../../../protocol/messages.ts";
import { counted } from "../../../../protocol/quantities.ts";
import type { GroupRecord, TrajectoryRecord } from "../../../../protocol/records.ts";
import { useRewardTitle } from "../../../engine/store/inTitles.ts";
import { formatNumber } from "../../../kit/charts/format.ts";
import { Signed } from "../../../kit/controls/Signed.tsx";
import type { TableHead } from "../../../kit/lists/Table.tsx";
import { Term } from "../../../kit/words/Term.tsx";
import { rowTexts } from "../../rollouts/group/rowTexts.ts";
import { AnswersTable, PlaceHead } from "../AnswersTable.tsx";
import { isTurned, rewardDifference, withoutVerdict } from "./otherRewards.ts";

interface RescoredStepProps {
  readonly before: StepGroups;
  readonly after: OtherwiseStep;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
}

function rewardText({ reward, rewardParts }: TrajectoryRecord): string {
  if (reward !== null) return formatNumber(reward);
  const reason = rewardParts.find((part) => part.reason !== undefined)?.reason;
  return reason === undefined ? "unscored" : `unscored: ${reason}`;
}

const ADVANTAGE = (
  <>
    <Term id="advantage">Advantage</Term>, as it was
  </>
);

/** The columns of a group that was scored anew. */
export const rescoredHeads = (what: string): readonly TableHead[] => [what, "Reward, as it was", "under these", ADVANTAGE, "under these"];

interface RescoredCellsProps {
  readonly before: TrajectoryRecord;
  readonly after: TrajectoryRecord;
  /** What the change comes to. */
  readonly turn?: ReactNode;
}

/** Reward and advantage of a completion, as they were and under other rewards. */
export function RescoredCells({ before, after, turn }: RescoredCellsProps) {
  return (
    <>
      <td>{rewardText(before)}</td>
      <td>{rewardText(after)}</td>
      <td>
        <Signed value={before.advantage} />
      </td>
      <td>
        <Signed value={after.advantage} />
        {turn}
      </td>
    </>
  );
}

/** Says of an advantage that it pushes another way than it did. */
function Turned() {
  return (
    <span className="rescore-turned block soft">
      <span aria-hidden="true">⇅ </span>turned
    </span>
  );
}

interface GroupTableProps {
  readonly group: GroupRecord;
  readonly other: GroupRecord;
  readonly selected: number;
}

function GroupTable({ group, other, selected }: GroupTableProps) {
  const { step, promptIndex } = group;
  const texts = rowTexts(group.trajectories);
  return (
    <AnswersTable
      caption={`Prompt ${promptIndex + 1}: ${counted(group.trajectories.length, "completion")}`}
      heads={rescoredHeads("Completion")}
    >
      {group.trajectories.map((trajectory, index) => {
        const after = other.trajectories[index]!;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: completions of a group keep their places
          <tr key={index} className={index === selected ? "accent-wash" : ""}>
            <PlaceHead step={step} promptIndex={promptIndex} trajectoryIndex={index} name={`#${index + 1}`}>
              {" "}
              <span className="mono">{texts[index]}</span>
            </PlaceHead>
            <RescoredCells
              before={trajectory}
              after={after}
              turn={isTurned(trajectory.advantage ?? 0, after.advantage ?? 0) && <Turned />}
            />
          </tr>
        );
      })}
    </AnswersTable>
  );
}

export function RescoredStep({ before, after, promptIndex, trajectoryIndex }: RescoredStepProps) {
  const titleOf = useRewardTitle();
  const found = rewardDifference(before, after);
  const group = before.groups[promptIndex];
  const other = after.groups[promptIndex];
  return (
    <section className="rescore-found stack">
      <h3>Step {before.step} under these rewards</h3>
      <p>
        The mean reward is {formatNumber(found.meanAfter)} in the place of {formatNumber(found.meanBefore)}. {found.turned} of{" "}
        {counted(found.completions, "completion")} would be pushed another way
        {found.reversed > 0 && `, ${found.reversed} of them the opposite way`}, and in {found.otherBest} of {counted(found.groups, "group")}{" "}
        other completions would be the best.
      </p>
      <p>
        Groups whose rewards are all equal teach nothing. Now {found.silentAfter} of {found.groups}, before {found.silentBefore}.
      </p>
      {withoutVerdict(after.groups).map(({ name, reason, count }) => (
        <p key={`${name}: ${reason}`}>
          {titleOf(name)} gave no verdict on {counted(count, "completion")}: {reason}. What they earn is what their other parts give.
        </p>
      ))}
      {after.assumptions.map((assumption) => (
        <p key={assumption} className="note">
          {assumption}
        </p>
      ))}
      {group && other && <GroupTable group={group} other={other} selected={trajectoryIndex} />}
    </section>
  );
}
