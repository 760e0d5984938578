// The groups of one step: its prompts, the chosen prompt's group, and one completion of that token by token.
import { useMemo, useState } from "react";
import type { StepGroups } from "../../protocol/messages.ts";
import { useSelect } from "../store/useRunView.ts";
import { channelLevel, tokenChannel } from "../tokens/channels.ts";
import { scaleLimit } from "../tokens/colourScale.ts";
import { tokenFacts } from "../tokens/tokenFacts.ts";
import { isKnown } from "../train/group/groupShape.ts";
import type { RolloutSelection } from "./address.ts";
import { TrajectoryView } from "./conversation/TrajectoryView.tsx";
import { GroupPane } from "./group/GroupPane.tsx";
import type { TrajectoryOrder } from "./group/groupOrder.ts";
import { PromptList } from "./group/PromptList.tsx";

interface StepViewProps {
  readonly groups: StepGroups;
  readonly selection: RolloutSelection;
}

export function StepView({ groups, selection }: StepViewProps) {
  const select = useSelect();
  // The step's own settings: a clip range changed since must not repaint what it did then.
  const { config } = groups;
  const [channelId, setChannel] = useState("advantage");
  const [order, setOrder] = useState<TrajectoryOrder>("advantage");
  const channel = tokenChannel(channelId);
  const group = groups.groups.find(({ promptIndex }) => promptIndex === selection.promptIndex) ?? null;
  const { phase } = groups;
  const updated = groups.phase === "update" || groups.phase === "evaluate";
  const tokens_G_T = useMemo(
    () => group?.trajectories.map((trajectory) => tokenFacts(trajectory, config, phase)) ?? [],
    [group, config, phase],
  );
  // Advantages are drawn to one scale in all groups of a step.
  const mostAdvantage = Math.max(0, ...groups.summaries.map(({ largestAdvantage }) => largestAdvantage));
  const limit = useMemo(
    () =>
      channel.id === "advantage"
        ? mostAdvantage
        : scaleLimit(tokens_G_T.flatMap((row) => row.map((token) => channelLevel(channel, token)))),
    [tokens_G_T, channel, mostAdvantage],
  );
  const index = Math.min(selection.trajectoryIndex, Math.max(0, tokens_G_T.length - 1));
  return (
    <div className="rollouts-panes">
      <PromptList
        summaries={groups.summaries}
        isScored={isKnown("score", phase)}
        selected={selection.promptIndex}
        onSelect={(promptIndex) => select({ promptIndex, trajectoryIndex: 0 })}
      />
      {!group && (
        <p className="pane-wait" role="status">
          {groups.summaries.length > selection.promptIndex
            ? `Asking the engine for prompt ${selection.promptIndex + 1} …`
            : `Step ${groups.step} has ${groups.summaries.length} prompts; there is no prompt ${selection.promptIndex + 1}.`}
        </p>
      )}
      {group && (
        <GroupPane
          group={group}
          config={config}
          isCompared={isKnown("advantage", phase)}
          tokens_G_T={tokens_G_T}
          channel={channel}
          limit={limit}
          mostAdvantage={mostAdvantage}
          order={order}
          selected={index}
          onOrder={setOrder}
          onSelect={(trajectoryIndex, tokenIndex) =>
            select({ trajectoryIndex, tokenIndex, ...(tokenIndex === null ? {} : { step: groups.step }) })
          }
        />
      )}
      {group && (
        <div className="rollouts-trajectory">
          {!updated && (
            <p className="note">
              Step {groups.step} has been through “{groups.phase}” only; what the update does is not known yet.
            </p>
          )}
          <TrajectoryView
            // Not the step: who goes through the tokens by key stays where they are while the run goes on.
            key={`${group.promptIndex} ${index}`}
            group={group}
            index={index}
            tokens={tokens_G_T[index] ?? []}
            channel={channel}
            limit={limit}
            config={config}
            pinned={selection.tokenIndex}
            onChannel={setChannel}
            // What is pinned stays while the run goes on.
            onPin={(tokenIndex) => select({ step: groups.step, tokenIndex })}
          />
        </div>
      )}
    </div>
  );
}
