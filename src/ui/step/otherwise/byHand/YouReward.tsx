// "You are the reward": the rewards of the group as sliders, the advantages and pushes that follow at once, and a
// step on a copy with answers of both sides. The run is not touched.

import { useMemo, useState } from "react";
import type { StepGroups } from "../../../../protocol/messages.ts";
import { measureText } from "../../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { formatNumber } from "../../../kit/charts/format.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Signed, SignedBar } from "../../../kit/controls/Signed.tsx";
import { Slider } from "../../../kit/controls/Slider.tsx";
import { Table } from "../../../kit/lists/Table.tsx";
import type { OtherwiseProps } from "../../askedStep.ts";
import { answerTexts } from "../../explain/group/GroupTable.tsx";
import { CopyTaken, useCopy } from "../OnCopy.tsx";
import { type ByHand, byHand, givenRewards, rewardRange } from "./byHand.ts";

const SLIDER_STEP = 0.05;

interface RowProps {
  readonly index: number;
  readonly text: string;
  readonly reward: number;
  readonly range: readonly [number, number];
  readonly follows: ByHand;
  readonly most: number;
  /** Change of the answer's log-prob on the copy, null before it was asked for. */
  readonly change: number | null;
  readonly onChange: (reward: number) => void;
}

function Row({ index, text, reward, range, follows, most, change, onChange }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <span className="fine-print">{index + 1}</span> <span className="mono">{text}</span>
      </th>
      <td>
        <Slider
          className="explain-slider grid items-center"
          label={`Reward of answer ${index + 1}`}
          text={measureText(reward)}
          minValue={range[0]}
          maxValue={range[1]}
          step={SLIDER_STEP}
          value={reward}
          onChange={onChange}
        />
      </td>
      <td>
        <span className="explain-signed grid items-center gap-1">
          <SignedBar value={follows.advantage} most={most} />
          <Signed value={follows.advantage} />
        </span>
      </td>
      <td className="is-wide">
        <Signed value={follows.push} show={(value) => formatNumber(value)} />
      </td>
      <td>{change === null ? "–" : <Signed value={change} />}</td>
    </tr>
  );
}

/** What was set by hand belongs to one group alone. */
export function YouReward({ step, promptIndex }: OtherwiseProps) {
  const group = step.groups.find((each) => each.promptIndex === promptIndex);
  return group ? <GroupByHand key={`${group.step} ${group.promptIndex}`} step={step} group={group} /> : null;
}

interface GroupByHandProps {
  readonly step: StepGroups;
  readonly group: GroupRecord;
}

function GroupByHand({ step, group }: GroupByHandProps) {
  const given = useMemo(() => givenRewards(group), [group]);
  const [rewards, setRewards] = useState(given);
  const asked = useCopy(group.step, group.promptIndex);
  const follows = useMemo(() => byHand(step, group, rewards), [step, group, rewards]);
  const range = rewardRange(given);
  const texts = answerTexts(group);
  const most = Math.max(1e-9, ...follows.map(({ advantage }) => Math.abs(advantage)));
  const result = asked.problem === null ? (asked.answer?.copy ?? null) : null;
  const change = (next: readonly number[]) => {
    setRewards(next);
    asked.forget();
  };
  const [least, highest] = range;
  return (
    <div className="explain-by-hand stack justify-items-start">
      <p>
        Give the answers rewards of your own. You see at once which advantages and pushes the trainer would compute from them. The run stays
        as it is.
      </p>
      <div className="actions">
        <Button onPress={() => change(given)}>As the rules gave</Button>
        <Button onPress={() => change(rewards.map((reward) => least + highest - reward))}>Turn them round</Button>
        <Button onPress={() => change(rewards.map(() => (least + highest) / 2))}>All equal</Button>
      </div>
      <Table
        className="explain-group"
        headClassName="aside"
        caption="Rewards by hand and what follows from them"
        heads={["Answer", "Your reward", "A", { head: "Push", className: "is-wide" }, "Δ log p on the copy"]}
      >
        {group.trajectories.map((_, g) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place in the group
            key={g}
            index={g}
            text={texts[g]!}
            reward={rewards[g]!}
            range={range}
            follows={follows[g]!}
            most={most}
            change={result?.changes_G[g] ?? null}
            onChange={(reward) => change(rewards.map((each, i) => (i === g ? reward : each)))}
          />
        ))}
      </Table>
      <CopyTaken asked={asked} onTake={() => asked.ask({ byHand: { promptIndex: group.promptIndex, rewards: [...rewards] } })} />
    </div>
  );
}
