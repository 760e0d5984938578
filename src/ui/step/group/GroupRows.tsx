// The completions of a group, one row each, with what a phase of the step made of it. A row opens the
// completion in the Rollouts screen.

import { Fragment } from "react";
import type { RunConfig } from "../../../protocol/config.ts";
import type { JudgedFrom } from "../../../protocol/custom/judges.ts";
import type { Phase } from "../../../protocol/messages.ts";
import { counted, measureText, measureWith, shareText, signedMeasureWith } from "../../../protocol/quantities.ts";
import type { GroupRecord, TrajectoryRecord } from "../../../protocol/records.ts";
import { usesCritic } from "../../../rl/baselines/index.ts";
import { hashOf } from "../../engine/route.ts";
import { useRewardTitle } from "../../engine/store/inTitles.ts";
import { formatExact } from "../../kit/charts/format.ts";
import { Signed, SignedBar } from "../../kit/controls/Signed.tsx";
import { isAgainst } from "../../kit/words/against.ts";
import { openSum, partsDigits } from "../../kit/words/arithmetic.ts";
import { Explained, Term } from "../../kit/words/Term.tsx";
import { markTerm } from "../../kit/words/terms/tokenTerms.ts";
import { rowTexts } from "../rollouts/group/rowTexts.ts";
import { type ShownPiece, showPiece } from "../tokens/drawing.ts";
import { plainSpaces } from "../tokens/readable.ts";
import { completionLogprob, isKnown, logprobChange, sampledTokens, VISIBLE_CHANGE_NATS } from "./groupShape.ts";

/** Tokens beyond this are left to the Rollouts screen. */
const MOST_PIECES = 40;

/** The tokens with white space and marks made visible, but for single spaces between words: these are read across tokens. */
export function rowPieces(pieces: readonly string[]): readonly Pick<ShownPiece, "text" | "kind">[] {
  const shown = pieces.slice(0, MOST_PIECES).map(showPiece);
  const line = plainSpaces(shown.map(({ text }) => text).join(""));
  let from = 0;
  return shown.map(({ text, kind }) => {
    const at = from;
    from += text.length;
    return { kind, text: line.slice(at, from) };
  });
}

/** A completion as its tokens; a conversation in short, since markup would fill the row. */
function Pieces({ trajectory, short }: { readonly trajectory: TrajectoryRecord; readonly short: string }) {
  const { pieces, channels, report, isBare } = trajectory;
  if (report || isBare) return <span className="pieces two-lines mono min-w-0">{short}</span>;
  return (
    <span className="pieces ellipsis mono min-w-0">
      {rowPieces(pieces).map(({ text, kind }, index) => {
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

/** What a judge's verdict was read from: what it wrote, or its likeliest answer and how much lies on its scale. */
function judgedText({ said, odds = {}, held }: JudgedFrom): string {
  if (said !== undefined) return `“${said}”`;
  const [answer, share] = Object.entries(odds).reduce((most, each) => (each[1] > most[1] ? each : most), ["", 0]);
  return `${answer} ${shareText(share)}${held !== undefined && held < 0.1 ? `, of ${shareText(held)} on its scale` : ""}`;
}

interface RowProps {
  readonly phase: Phase;
  readonly trajectory: TrajectoryRecord;
  readonly config: RunConfig;
  /** What fills half a bar: of advantages and of changes of log-prob. */
  readonly mostAdvantage: number;
  readonly mostChange: number;
}

function RowReading({ phase, trajectory, config, mostAdvantage, mostChange }: RowProps) {
  const titleOf = useRewardTitle();
  const { reward, advantage, arithmetic } = trajectory;
  const logprob = completionLogprob(trajectory);
  const sum = arithmetic && advantage !== null ? openSum(arithmetic, advantage, config) : null;
  if (phase === "sample")
    return (
      <>
        {counted(sampledTokens(trajectory), "token")}
        {logprob !== null && ` · log p ${measureText(logprob)}`}
        {trajectory.stopReason === "max-tokens" && " · cut off"}
      </>
    );
  if (phase === "score") {
    const digits = reward === null ? null : partsDigits(trajectory.rewardParts, reward);
    return (
      <>
        {trajectory.rewardParts.map(({ name, value, weight, reason, judged }) => (
          <span key={name} className="nowrap">
            {titleOf(name)} {value === null ? (reason ?? "not scorable") : measureWith(value, digits?.of)}
            {judged && ` (${judgedText(judged)})`}
            {weight !== null && weight !== 1 && ` × ${formatExact("number", weight)}`}
          </span>
        ))}
        <span>
          {digits?.sign ?? "="} reward {reward === null ? "–" : measureWith(reward, digits?.result)}
        </span>
      </>
    );
  }
  if (phase === "advantage")
    return (
      <>
        <span className="row-sum min-w-0">{sum?.text ?? `reward ${reward === null ? "–" : measureText(reward)}`}</span>
        <Signed value={advantage} show={(value) => signedMeasureWith(value, sum?.decimals)} />
        <SignedBar value={advantage} most={mostAdvantage} />
      </>
    );
  const change = logprobChange(trajectory);
  return (
    <>
      <span className="row-advantage">
        A <Signed value={advantage} />
      </span>
      {change === null ? (
        "not\u00a0measured"
      ) : (
        <>
          <SignedBar value={change} most={mostChange} />
          <Signed value={change} />
          {isAgainst(advantage, change) && <span className="attention">against A</span>}
        </>
      )}
    </>
  );
}

/** Marks among the tokens of a group, each with what it is for. */
function Marks({ group }: { readonly group: GroupRecord }) {
  const shown = group.trajectories.flatMap(({ pieces, report }) => (report ? [] : pieces.slice(0, MOST_PIECES).map(showPiece)));
  const names = new Set(shown.flatMap(({ kind, spoken }) => (kind === "mark" ? [spoken.replace(/ mark$/, "")] : [])));
  const terms = [...names].flatMap((name) => markTerm(name) ?? []);
  return terms.map(({ id, term, text }) => (
    <Fragment key={id}>
      {"; "}
      <span aria-hidden="true">■ </span>
      <Explained text={text}>{term}</Explained>
    </Fragment>
  ));
}

/** Whether rewards are divided by what is added to their deviation alone, as that is 0. */
function isEpsilonAlone({ zeroSpread, trajectories }: GroupRecord, { advantageEps }: RunConfig): boolean {
  return zeroSpread && trajectories.some(({ arithmetic }) => arithmetic !== undefined && Math.abs(arithmetic.scale - advantageEps) < 1e-9);
}

interface RowLegendProps {
  readonly phase: Phase;
  readonly group: GroupRecord;
  readonly config: RunConfig;
}

/** What the numbers of the rows are, in words that explain themselves. */
export function RowLegend({ phase, group, config }: RowLegendProps) {
  return (
    <p className="group-legend fine-print">
      {phase === "sample" && (
        <>
          length, and <Term id="logprob">log p</Term> of the whole completion
        </>
      )}
      {phase === "score" && (
        <>
          parts of the <Term id="reward">reward</Term>, and their sum
        </>
      )}
      {phase === "advantage" && (
        <>
          from {usesCritic(config) ? <Term id="return">the return</Term> : <Term id="reward">the reward</Term>} to{" "}
          <Term id="advantage">the advantage A</Term>
          {isEpsilonAlone(group, config) && `; ${measureText(config.advantageEps)}, added to the deviation, keeps it from dividing by 0`}
        </>
      )}
      {phase === "update" && (
        <>
          <Term id="advantage">advantage A</Term>, and <Term id="change">Δ log p</Term> that came of it
        </>
      )}
      <Marks group={group} />
    </p>
  );
}

function trajectoryHref({ step, promptIndex }: GroupRecord, trajectoryIndex: number): string {
  return hashOf("rollouts", { step, promptIndex, trajectoryIndex });
}

interface GroupRowsProps {
  readonly group: GroupRecord;
  readonly config: RunConfig;
  /** The phase whose numbers are shown, and the last one that the group has been through. */
  readonly phase: Phase;
  readonly reached: Phase;
  /** Size of the largest advantage of the step, so that bars of its groups can be compared. */
  readonly mostAdvantage: number;
}

export function GroupRows({ group, config, phase, reached, mostAdvantage }: GroupRowsProps) {
  const isScored = isKnown("score", reached);
  const texts = rowTexts(group.trajectories);
  const mostChange = Math.max(VISIBLE_CHANGE_NATS, ...group.trajectories.map((each) => Math.abs(logprobChange(each) ?? 0)));
  return (
    <ol className="rows rule-above">
      {group.trajectories.map((trajectory, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a completion is its place in the group
        <li key={index}>
          <a className="row grid items-baseline w-full ink" href={trajectoryHref(group, index)}>
            <span className="text-end fine-print">{index + 1}</span>
            <span className="row-text flex items-baseline gap-1 min-w-0">
              <Pieces trajectory={trajectory} short={texts[index]!} />
              {isScored && trajectory.success && <span className="row-success aside">right</span>}
            </span>
            <span className="row-reading line aside">
              <RowReading
                phase={phase}
                trajectory={trajectory}
                config={config}
                mostAdvantage={Math.max(1e-9, mostAdvantage)}
                mostChange={mostChange}
              />
            </span>
          </a>
        </li>
      ))}
    </ol>
  );
}
