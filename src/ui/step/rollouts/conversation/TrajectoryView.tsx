// One trajectory under study: conversation, tinted completion, token card and reward parts.
import { useState } from "react";
import type { RunConfig } from "../../../../protocol/config.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { runCaption } from "../../../../rl/summary/runName.ts";
import { engine } from "../../../engine/client.ts";
import { hashOf } from "../../../engine/route.ts";
import { useAnswer } from "../../../engine/store/useQuestion.ts";
import { useRunView, useTraced } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { BareNote } from "../../again/TakeAgain.tsx";
import { ChannelBar } from "../../tokens/ChannelBar.tsx";
import type { TokenChannel } from "../../tokens/channels.ts";
import { TokenCard } from "../../tokens/TokenCard.tsx";
import { TokenText } from "../../tokens/TokenText.tsx";
import type { TokenFacts } from "../../tokens/tokenFacts.ts";
import { AlternativesTable } from "./AlternativesTable.tsx";
import { Conversation } from "./Conversation.tsx";
import { RewardTable } from "./RewardTable.tsx";

export interface TrajectoryViewProps {
  readonly group: GroupRecord;
  readonly index: number;
  readonly tokens: readonly TokenFacts[];
  readonly channel: TokenChannel;
  readonly limit: number;
  /** Null where nobody knows the settings of the step. */
  readonly config: RunConfig | null;
  readonly pinned: number | null;
  readonly onChannel: (id: string) => void;
  readonly onPin: (token: number | null) => void;
}

function FrameButton({ group, index }: Pick<TrajectoryViewProps, "group" | "index">) {
  const view = useRunView();
  const showFrame = async () => {
    const { catalog } = engine.facts.getState();
    const run = view.facts.getState();
    if (!catalog || !run.config || run.runId === null) return;
    const { openTrajectoryFrame } = await import("../../../kit/charts/frame/openFrame.ts");
    openTrajectoryFrame(group, index, runCaption(catalog, { runId: run.runId, config: run.config }));
  };
  return (
    <Button kind="quiet" hint="The code of a frame that shows this conversation in a page or a slide" onPress={() => void showFrame()}>
      As a frame
    </Button>
  );
}

export function TrajectoryView({ group, index, tokens, channel, limit, config, pinned, onChannel, onPin }: TrajectoryViewProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  // Runs of an experiment have rollouts too, and no address of their own.
  const view = useRunView();
  const isRecord = view.groups.isRecord(group.step);
  const isTraced = useTraced() !== null;
  const isOwn = view === engine.view && !isRecord;
  const trajectory = group.trajectories[index];
  const isUpdated = tokens.some(({ lossWeight }) => lossWeight !== null);
  // Where the run leaves that out and its weights are still there, its update is measured; else the card says that it was not.
  const isUnmeasured = isOwn && !isTraced && pinned !== null && isUpdated && trajectory?.channels.newLogprobs === null;
  useAnswer(isUnmeasured ? String(group.step) : null, () => engine.request({ type: "measure", step: group.step }));
  if (!trajectory) return null;
  if (trajectory.isBare)
    return (
      <section className="trajectory" aria-labelledby="trajectory-title">
        <h2 id="trajectory-title">Completion {index + 1}</h2>
        <BareNote step={group.step} />
        <RewardTable trajectory={trajectory} answer={group.answer} config={config} />
      </section>
    );
  const shown = tokens[pointed ?? pinned ?? -1] ?? null;
  return (
    <section className="trajectory" aria-labelledby="trajectory-title">
      <header className="pane-head line">
        <h2 id="trajectory-title">Completion {index + 1}</h2>
        {!isTraced && <FrameButton group={group} index={index} />}
      </header>
      <ChannelBar tokens={tokens} channel={channel} limit={limit} onChange={onChannel} />
      <Conversation
        messages={trajectory.opening ?? group.messages}
        trajectory={trajectory}
        tokens={tokens}
        draw={(shownTokens, label) => (
          <TokenText
            label={`${label}, coloured by ${channel.title}`}
            tokens={shownTokens}
            channel={channel}
            limit={limit}
            pinned={pinned}
            onPin={onPin}
            onPoint={setPointed}
          />
        )}
      />
      <TokenCard
        token={shown}
        template={tokens[0]}
        pinned={shown !== null && shown.index === pinned}
        count={tokens.length}
        config={config}
      />
      {isOwn && shown !== null && shown.index === pinned && shown.sampled && (
        <p>
          <a
            href={hashOf("explain", { step: group.step, promptIndex: group.promptIndex, trajectoryIndex: index, tokenIndex: shown.index })}
          >
            {isTraced ? "This token on its own" : "Explain this token"}
          </a>
        </p>
      )}
      {shown !== null && shown.index === pinned && shown.sampled && !isRecord && !isTraced && (
        <AlternativesTable group={group} trajectoryIndex={index} index={shown.index} updated={isUpdated} />
      )}
      <RewardTable trajectory={trajectory} answer={group.answer} config={config} />
    </section>
  );
}
