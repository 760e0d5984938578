// The groups of one step: its prompts, the chosen prompt's group, and one completion of that token by token.

import { memo, useDeferredValue, useMemo, useState } from "react";
import type { StepGroups } from "../../../protocol/messages.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import type { Place } from "../../engine/route.ts";
import { useSelect, useTraced } from "../../engine/store/useRunView.ts";
import { isKnown } from "../group/groupShape.ts";
import { channelLevel, type TokenChannel, tokenChannel } from "../tokens/channels.ts";
import { scaleLimit } from "../tokens/colourScale.ts";
import { tokenFacts } from "../tokens/tokenFacts.ts";
import { TrajectoryView } from "./conversation/TrajectoryView.tsx";
import { GroupPane } from "./group/GroupPane.tsx";
import type { TrajectoryOrder } from "./group/groupOrder.ts";
import { PromptList } from "./group/PromptList.tsx";

interface StepViewProps {
  readonly groups: StepGroups;
  readonly selection: Place<"rollouts">;
}

export function StepView({ groups, selection }: StepViewProps) {
  const select = useSelect();
  const now = useMemo(() => ({ groups, selection }), [groups, selection]);
  const before = useDeferredValue(now);
  // Another prompt's group is drawn in slices; what is chosen within one, and another step, shows at once.
  const isOther = before.selection.promptIndex !== selection.promptIndex && before.groups.step === groups.step;
  return (
    <div className="rollouts-panes stack items-start">
      <PromptList
        summaries={groups.summaries}
        isScored={isKnown("score", groups.phase)}
        selected={selection.promptIndex}
        onSelect={(promptIndex) => select({ promptIndex, trajectoryIndex: 0 })}
      />
      <GroupPanes {...(isOther ? before : now)} />
    </div>
  );
}

/** The group of the chosen prompt, and one of its completions. */
const GroupPanes = memo(function GroupPanes({ groups, selection }: StepViewProps) {
  const select = useSelect();
  // The step's own settings: a clip range changed since must not repaint what it did then.
  const { config } = groups;
  const isTraced = useTraced() !== null;
  const [channelId, setChannel] = useState("advantage");
  const [order, setOrder] = useState<TrajectoryOrder>("advantage");
  const channel = tokenChannel(channelId);
  const group = groups.groups.find(({ promptIndex }) => promptIndex === selection.promptIndex) ?? null;
  const { phase } = groups;
  const updated = groups.phase === "update" || groups.phase === "evaluate";
  const { tokens_G_T, mostAdvantage, limit } = useGroupTokens(groups, group, channel, isTraced);
  const drawn = { config: isTraced ? null : config, channel, limit };
  const index = Math.min(selection.trajectoryIndex, Math.max(0, tokens_G_T.length - 1));
  if (!group) return <NoGroup groups={groups} promptIndex={selection.promptIndex} />;
  return (
    <>
      <GroupPane
        {...drawn}
        group={group}
        isCompared={isKnown("advantage", phase)}
        tokens_G_T={tokens_G_T}
        mostAdvantage={mostAdvantage}
        order={order}
        selected={index}
        onOrder={setOrder}
        onSelect={(trajectoryIndex, tokenIndex) =>
          select({ trajectoryIndex, tokenIndex, ...(tokenIndex === null ? {} : { step: groups.step }) })
        }
      />
      <div className="rollouts-trajectory">
        {!updated && <Unfinished groups={groups} />}
        <TrajectoryView
          {...drawn}
          // Not the step: who goes through the tokens by key stays where they are while the run goes on.
          key={`${group.promptIndex} ${index}`}
          group={group}
          index={index}
          tokens={tokens_G_T[index] ?? []}
          pinned={selection.tokenIndex}
          onChannel={setChannel}
          // What is pinned stays while the run goes on.
          onPin={(tokenIndex) => select({ step: groups.step, tokenIndex })}
        />
      </div>
    </>
  );
});

function NoGroup({ groups, promptIndex }: { readonly groups: StepGroups; readonly promptIndex: number }) {
  const isAsked = groups.summaries.length > promptIndex;
  return (
    <p className="pane-wait soft" role="status">
      {isAsked
        ? `Asking the engine for prompt ${promptIndex + 1} …`
        : `Step ${groups.step} has ${counted(groups.summaries.length, "prompt")}; there is no prompt ${promptIndex + 1}.`}
    </p>
  );
}

function Unfinished({ groups }: { readonly groups: StepGroups }) {
  return (
    <p className="note">
      Step {groups.step} has been through “{groups.phase}” only. The effect of the update is not known yet.
    </p>
  );
}

/**
 * The facts of every token of a group, and the level at which the channel's colour is full: advantages have one scale
 * in all groups of a step.
 */
function useGroupTokens({ config, phase, summaries }: StepGroups, group: GroupRecord | null, channel: TokenChannel, isTraced: boolean) {
  const tokens_G_T = useMemo(
    () => group?.trajectories.map((trajectory) => tokenFacts(trajectory, isTraced ? null : config, phase)) ?? [],
    [group, config, phase, isTraced],
  );
  const mostAdvantage = Math.max(0, ...summaries.map(({ largestAdvantage }) => largestAdvantage));
  const limit = useMemo(
    () =>
      channel.id === "advantage"
        ? mostAdvantage
        : scaleLimit(tokens_G_T.flatMap((row) => row.map((token) => channelLevel(channel, token)))),
    [tokens_G_T, channel, mostAdvantage],
  );
  return { tokens_G_T, mostAdvantage, limit };
}
