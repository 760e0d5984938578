// The group the policy is learning from right now: one prompt, its completions, and for each what the
// chosen phase did to it. A row opens the trajectory in the Rollouts screen.
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { Phase } from "../../protocol/messages.ts";
import type { GroupRecord, TrajectoryRecord } from "../../protocol/records.ts";
import { formatNumber } from "../charts/format.ts";
import { Button } from "../controls/Button.tsx";
import { Signed, SignedBar } from "../controls/Signed.tsx";
import { queryOf } from "../rollouts/address.ts";
import { hashOf } from "../route.ts";
import { useRun, useSelect, useSelection } from "../store/useRunView.ts";
import { showPiece } from "../tokens/glyphs.ts";
import { isKnown, logprobChange, rewardSpread, sampledLogprob, VISIBLE_CHANGE_NATS } from "./groupShape.ts";
import { PHASE_TEXT } from "./runReadings.ts";
import type { ShownGroup } from "./shownGroup.ts";

/** Tokens beyond this are left to the Rollouts screen. */
const MOST_PIECES = 40;

/** A completion as its tokens, with white space and marks made visible. */
function Pieces({ trajectory }: { readonly trajectory: TrajectoryRecord }) {
  const { pieces, channels } = trajectory;
  return (
    <span className="pieces ellipsis mono">
      {pieces.slice(0, MOST_PIECES).map((piece, index) => {
        const { text, kind } = showPiece(piece);
        const untrained = channels.mask[index] === 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a token is its place in the completion
          <span key={index} className={`piece piece-${kind}`} data-untrained={untrained || undefined}>
            {text}
          </span>
        );
      })}
      {pieces.length > MOST_PIECES && <span className="piece piece-glyph">… {pieces.length - MOST_PIECES} more</span>}
    </span>
  );
}

function RewardBar({ value }: { readonly value: number }) {
  return (
    <span className="bar" aria-hidden="true">
      <span className="bar-ink" style={{ inlineSize: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
    </span>
  );
}

/** What the phase did to this group, in one sentence with its numbers. */
function explanation(phase: Phase, group: GroupRecord): string {
  const spread = rewardSpread(group);
  switch (phase) {
    case "sample":
      return `${group.trajectories.length} completions of one prompt, drawn token by token. Likelier ones have a log-prob nearer 0.`;
    case "score":
      return group.answer
        ? `Each completion is judged against the answer ${group.answer}.`
        : "Each completion is judged by the reward rules.";
    case "advantage":
      if (group.zeroSpread) return "All rewards are equal, so every advantage is 0 and this group teaches nothing.";
      return spread
        ? `Group mean ${formatNumber(spread.mean)}, standard deviation ${formatNumber(spread.std)}: above the mean is pushed up, below is pushed down.`
        : "No completion could be scored.";
    case "update":
      return "How far the whole update moved each completion's log-prob. Completions share tokens and weights, so one can move against its own advantage.";
    case "evaluate":
      return PHASE_TEXT.evaluate.does;
  }
}

function RowReading({ phase, trajectory, most }: { phase: Phase | null; trajectory: TrajectoryRecord; most: number }) {
  const { reward, advantage } = trajectory;
  if (phase === "sample")
    return (
      <>
        {trajectory.tokens.length} tokens · log p {formatNumber(sampledLogprob(trajectory))}
        {trajectory.stopReason === "max-tokens" && " · cut off"}
      </>
    );
  if (phase === "score")
    return (
      <>
        {trajectory.rewardParts.map(({ name, value, weight }) => (
          <span key={name} className="row-part">
            {name} {value === null ? "not scorable" : formatNumber(value)}
            {weight !== 1 && ` × ${formatNumber(weight)}`}
          </span>
        ))}
        <span>= {reward === null ? "–" : formatNumber(reward)}</span>
      </>
    );
  const change = phase === "update" ? logprobChange(trajectory) : advantage;
  if (change === null) return "not measured";
  return (
    <>
      {phase !== "update" && (
        <>
          <RewardBar value={reward ?? 0} />
          <span className="row-reward">r {reward === null ? "–" : formatNumber(reward)}</span>
        </>
      )}
      <SignedBar value={change} most={most} />
      <Signed value={change} />
    </>
  );
}

function trajectoryHref({ step, promptIndex }: GroupRecord, trajectoryIndex: number): string {
  return hashOf("rollouts", queryOf({ step, promptIndex, trajectoryIndex, tokenIndex: null }));
}

interface GroupPanelProps {
  readonly shown: ShownGroup;
  /** Asks the engine for a group of a step. */
  readonly onInspect: (step: number, promptIndex?: number) => Promise<unknown>;
}

function PromptSwitch({ shown, onInspect }: GroupPanelProps) {
  const select = useSelect();
  const state = useRun((facts) => facts.state);
  const { group, groupsInStep } = shown;
  // While training the newest step's first group streams in; the others can be asked for at rest.
  if (groupsInStep < 2 || state === "running" || state === "preparing") return null;
  const show = (promptIndex: number) => {
    select({ promptIndex });
    // A refusal is among the run's facts, where the page shows it.
    onInspect(group.step, promptIndex).catch(() => {});
  };
  return (
    <span className="prompt-switch aside">
      <Button kind="quiet" label="Previous prompt" isDisabled={group.promptIndex === 0} onPress={() => show(group.promptIndex - 1)}>
        <ChevronLeft size={16} aria-hidden="true" />
      </Button>
      <span>
        {group.promptIndex + 1} of {groupsInStep}
      </span>
      <Button
        kind="quiet"
        label="Next prompt"
        isDisabled={group.promptIndex + 1 >= groupsInStep}
        onPress={() => show(group.promptIndex + 1)}
      >
        <ChevronRight size={16} aria-hidden="true" />
      </Button>
    </span>
  );
}

export function GroupPanel({ shown, onInspect }: GroupPanelProps) {
  const chosen = useSelection((selection) => selection.phase);
  const { group, phase: reached } = shown;
  const phase = chosen && chosen !== "evaluate" && isKnown(chosen, reached) ? chosen : null;
  const showAdvantage = isKnown("advantage", reached);
  const values = group.trajectories.map((each) => Math.abs(phase === "update" ? (logprobChange(each) ?? 0) : each.advantage));
  const most = Math.max(phase === "update" ? VISIBLE_CHANGE_NATS : 1e-9, ...values);
  const rowPhase = phase ?? (showAdvantage ? null : isKnown("score", reached) ? "score" : "sample");
  return (
    <section className="group" aria-labelledby="group-title">
      <header className="panel-head">
        <h2 id="group-title">
          {phase ? PHASE_TEXT[phase].title : "Current group"}{" "}
          <span className="panel-note fine-print">
            step {group.step}, {group.trajectories.length} completions
          </span>
        </h2>
        <PromptSwitch shown={shown} onInspect={onInspect} />
      </header>
      <p className="group-prompt">{group.messages.filter(({ role }) => role === "user").at(-1)?.content ?? group.exampleId}</p>
      <p className="group-explains aside">{explanation(phase ?? (showAdvantage ? "advantage" : (rowPhase ?? "sample")), group)}</p>
      <ol className="rows">
        {group.trajectories.map((trajectory, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a completion is its place in the group
          <li key={index}>
            <a className="row" href={trajectoryHref(group, index)}>
              <span className="row-number fine-print">{index + 1}</span>
              <span className="row-text">
                <Pieces trajectory={trajectory} />
                {trajectory.success && <span className="row-success aside">solved</span>}
              </span>
              <span className="row-reading line aside">
                <RowReading phase={rowPhase} trajectory={trajectory} most={most} />
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
