// The group under study: why it teaches (or does not), the strip of all its tokens, and its completions.

import { Download } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { trajectoryLines } from "../../../../export/trajectoryLines.ts";
import type { RunConfig } from "../../../../protocol/config.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { areWhole, type GroupRecord } from "../../../../protocol/records.ts";
import { useWidth } from "../../../kit/charts/plot/elementHooks.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Choice, optionsOf } from "../../../kit/controls/Choice.tsx";
import { Toggle } from "../../../kit/controls/Slider.tsx";
import { saveFile } from "../../../kit/files.ts";
import { ChannelLegend } from "../../tokens/ChannelBar.tsx";
import type { TokenChannel } from "../../tokens/channels.ts";
import { GroupStrip } from "../../tokens/GroupStrip.tsx";
import type { TokenFacts } from "../../tokens/tokenFacts.ts";
import { GroupList } from "./GroupList.tsx";
import { GroupTree } from "./GroupTree.tsx";
import { type TrajectoryOrder, trajectoryOrder, zeroSpreadSentence } from "./groupOrder.ts";

const NAMES: Readonly<Record<TrajectoryOrder, string>> = { advantage: "By advantage", sampled: "As sampled", length: "Longest first" };
const ORDERS = optionsOf(NAMES);
const LABEL = (
  <>
    Order<span className="visually-hidden"> of completions</span>
  </>
);

export interface GroupPaneProps {
  readonly group: GroupRecord;
  /** Settings the step was taken under. */
  readonly config: RunConfig | null;
  /** Whether the step has come to its advantages. */
  readonly isCompared: boolean;
  /** Tokens of every trajectory, in sampled order. */
  readonly tokens_G_T: readonly (readonly TokenFacts[])[];
  readonly channel: TokenChannel;
  readonly limit: number;
  /** Size of the largest advantage of the step. */
  readonly mostAdvantage: number;
  readonly order: TrajectoryOrder;
  readonly selected: number;
  readonly onOrder: (order: TrajectoryOrder) => void;
  readonly onSelect: (trajectoryIndex: number, token: number | null) => void;
}

export function GroupPane({
  group,
  config,
  isCompared,
  tokens_G_T,
  channel,
  limit,
  mostAdvantage,
  order,
  selected,
  onOrder,
  onSelect,
}: GroupPaneProps) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const shown = useMemo(() => trajectoryOrder(group, order), [group, order]);
  const rows_G_T = useMemo(() => shown.map((index) => tokens_G_T[index] ?? []), [shown, tokens_G_T]);
  const [isTree, setTree] = useState(false);
  const flat = zeroSpreadSentence(group, config);
  const save = () => {
    const lines = trajectoryLines({ groups: [group] }, group.trajectories.length).map((line) => `${JSON.stringify(line)}\n`);
    saveFile(`group-step-${group.step}-prompt-${group.promptIndex}.jsonl`, new Blob(lines, { type: "application/jsonl" }));
  };
  return (
    <section className="group" ref={frame} aria-labelledby="group-title">
      <header className="pane-head line">
        <h2 id="group-title">Group of {group.trajectories.length}</h2>
        <Choice className="field-inline" label={LABEL} options={ORDERS} value={order} onChange={(id) => onOrder(id as TrajectoryOrder)} />
        {areWhole([group]) && (
          <Button onPress={save} label="Save group as JSONL" hint="Lines of this lab, which open again where rollouts of others do.">
            <Download size={16} aria-hidden /> JSONL
          </Button>
        )}
      </header>
      {flat && <p className="group-flat">{flat}</p>}
      <GroupStrip
        rows_G_T={rows_G_T}
        channel={channel}
        limit={limit}
        selectedRow={shown.indexOf(selected)}
        width={width}
        label={`Overview of the group: ${counted(group.trajectories.length, "completion")}, one row each, coloured by ${channel.title}. The same values are in the list and the tokens below.`}
        onPick={(row, token) => onSelect(shown[row] ?? 0, token)}
      />
      <div className="group-map-note note">
        <p>One row for each completion, one cell for each token; a cell is filled upwards or downwards as far as its value goes.</p>
        <ChannelLegend channel={channel} limit={limit} />
      </div>
      {areWhole([group]) && (
        <Toggle isSelected={isTree} onChange={setTree}>
          Show where they part
        </Toggle>
      )}
      {isTree && areWhole([group]) ? (
        <GroupTree group={group} isCompared={isCompared} selected={selected} onPick={onSelect} />
      ) : (
        <GroupList
          group={group}
          order={shown}
          isCompared={isCompared}
          mostAdvantage={mostAdvantage}
          selected={selected}
          onSelect={(index) => onSelect(index, null)}
        />
      )}
    </section>
  );
}
