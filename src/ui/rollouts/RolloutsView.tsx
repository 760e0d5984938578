// The Rollouts screen as a pure component: what is known of a step in, choices out.
import { useMemo, useState } from "react";
import type { RunConfig } from "../../protocol/config.ts";
import type { StepGroups } from "../../protocol/messages.ts";
import { CounterfactualSection } from "../counterfactual/CounterfactualSection.tsx";
import { channelLevel, tokenChannel } from "../tokens/channels.ts";
import { scaleLimit } from "../tokens/colourScale.ts";
import { tokenFacts } from "../tokens/tokenFacts.ts";
import type { RolloutSelection } from "./address.ts";
import { GroupPane } from "./GroupPane.tsx";
import type { TrajectoryOrder } from "./groupOrder.ts";
import { PromptList } from "./PromptList.tsx";
import { StepScrubber } from "./StepScrubber.tsx";
import { TrajectoryView } from "./TrajectoryView.tsx";
import "./rollouts.css";

export interface RolloutsViewProps {
  readonly config: RunConfig | null;
  /** Newest step with groups; null before the first. */
  readonly latestStep: number | null;
  readonly oldestStep: number;
  readonly selection: RolloutSelection;
  /** The selected step; null while the engine is asked for it. */
  readonly groups: StepGroups | null;
  /** Why the engine could not give the step, in its words. */
  readonly problem: string | null;
  readonly theme: string;
  readonly onSelect: (change: Partial<RolloutSelection>) => void;
  /** Asks the engine for all groups of a step; settles when it has answered. */
  readonly onInspectAll: (step: number) => Promise<unknown>;
}

export function RolloutsView(props: RolloutsViewProps) {
  const { config, latestStep, oldestStep, selection, groups, problem, theme, onSelect } = props;
  const [compares, setCompares] = useState(false);
  if (latestStep === null) return <NothingYet supervised={config?.kind === "supervised"} />;
  const step = selection.step ?? latestStep;
  return (
    <div className="rollouts">
      <h1 className="visually-hidden">Rollouts</h1>
      <StepScrubber
        oldest={oldestStep}
        latest={latestStep}
        step={Math.min(latestStep, Math.max(oldestStep, step))}
        follow={selection.step === null}
        onStep={(to) => onSelect({ step: to })}
      />
      {step < oldestStep || step > latestStep ? (
        <Gone step={step} oldest={oldestStep} latest={latestStep} onLatest={() => onSelect({ step: null })} />
      ) : groups ? (
        <>
          <StepView groups={groups} selection={selection} theme={theme} onSelect={onSelect} />
          <CounterfactualSection
            step={groups}
            promptIndex={selection.promptIndex}
            trajectoryIndex={selection.trajectoryIndex}
            pinned={selection.tokenIndex}
            open={compares}
            onOpen={setCompares}
            onInspectAll={props.onInspectAll}
            onPin={(trajectoryIndex, tokenIndex) => onSelect({ trajectoryIndex, tokenIndex })}
          />
        </>
      ) : (
        <p className="pane-wait" role="status">
          {problem ?? `Asking the engine for step ${step} …`}
        </p>
      )}
    </div>
  );
}

type StepViewProps = Pick<RolloutsViewProps, "selection" | "theme" | "onSelect"> & { readonly groups: StepGroups };

function StepView({ groups, selection, theme, onSelect }: StepViewProps) {
  // The step's own settings: a clip range changed since must not repaint what it did then.
  const { config } = groups;
  const [channelId, setChannel] = useState("advantage");
  const [order, setOrder] = useState<TrajectoryOrder>("advantage");
  const channel = tokenChannel(channelId);
  const group = groups.groups.find(({ promptIndex }) => promptIndex === selection.promptIndex) ?? null;
  const updated = groups.phase === "update" || groups.phase === "evaluate";
  const tokens_G_T = useMemo(
    () => group?.trajectories.map((trajectory) => tokenFacts(trajectory, config, updated)) ?? [],
    [group, config, updated],
  );
  const limit = useMemo(
    () => scaleLimit(tokens_G_T.flatMap((row) => row.map((token) => channelLevel(channel, token)))),
    [tokens_G_T, channel],
  );
  const index = Math.min(selection.trajectoryIndex, Math.max(0, tokens_G_T.length - 1));
  return (
    <div className="rollouts-panes">
      <PromptList
        summaries={groups.summaries}
        selected={selection.promptIndex}
        onSelect={(promptIndex) => onSelect({ promptIndex, trajectoryIndex: 0 })}
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
          tokens_G_T={tokens_G_T}
          channel={channel}
          limit={limit}
          order={order}
          selected={index}
          theme={theme}
          onOrder={setOrder}
          onSelect={(trajectoryIndex, tokenIndex) => onSelect({ trajectoryIndex, tokenIndex })}
        />
      )}
      {group && (
        <div className="rollouts-trajectory">
          {!updated && (
            <p className="pane-note">
              Step {groups.step} has been through “{groups.phase}” only; what the update does is not known yet.
            </p>
          )}
          <TrajectoryView
            key={`${groups.step} ${group.promptIndex} ${index}`}
            group={group}
            index={index}
            tokens={tokens_G_T[index] ?? []}
            channel={channel}
            limit={limit}
            config={config}
            pinned={selection.tokenIndex}
            onChannel={setChannel}
            onPin={(tokenIndex) => onSelect({ tokenIndex })}
          />
        </div>
      )}
    </div>
  );
}

function NothingYet({ supervised }: { readonly supervised: boolean }) {
  return (
    <section className="rollouts-empty">
      <h1>Rollouts</h1>
      <p>
        {supervised
          ? "Supervised training copies worked examples and samples nothing, so there are no rollouts to look into."
          : "A rollout is one conversation the policy had with a problem. Each training step samples a group of them for every prompt; here you can read them word by word and see which tokens the update pushed up or down, and why."}
      </p>
      <a className="rollouts-go" href="#/train">
        {supervised ? "Choose a reinforcement preset" : "Go to Train and start a run"}
      </a>
    </section>
  );
}

interface GoneProps {
  readonly step: number;
  readonly oldest: number;
  readonly latest: number;
  readonly onLatest: () => void;
}

function Gone({ step, oldest, latest, onLatest }: GoneProps) {
  return (
    <section className="rollouts-empty">
      <h2>Step {step} is not kept</h2>
      <p>
        {step > latest
          ? `The run has reached step ${latest} so far.`
          : `The engine keeps the rollouts of the newest steps only, to bound its memory; steps ${oldest} to ${latest} are there.`}
      </p>
      <button type="button" className="rollouts-go" onClick={onLatest}>
        Follow the newest step
      </button>
    </section>
  );
}
