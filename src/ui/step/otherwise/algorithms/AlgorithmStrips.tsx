// The rollouts of one prompt under every algorithm, strip under strip: how hard each token would be
// pushed and which way. One cursor runs through all strips; its values stand beside them.
import { useMemo, useRef, useState } from "react";
import type { RunConfig } from "../../../../protocol/config.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { algorithms } from "../../../../rl/algorithms/index.ts";
import { aggregationOf } from "../../../../rl/objective/aggregation.ts";
import { recordedDifference, underAlgorithms } from "../../../../rl/otherwise/otherwise.ts";
import { useEngine, useSelect } from "../../../engine/store/useRunView.ts";
import { formatNumber, formatSigned } from "../../../kit/charts/format.ts";
import { useWidth } from "../../../kit/charts/plot/elementHooks.ts";
import { Choice, optionsOf } from "../../../kit/controls/Choice.tsx";
import { Term } from "../../../kit/words/Term.tsx";
import type { OtherwiseProps } from "../../askedStep.ts";
import { showPiece } from "../../tokens/drawing.ts";
import { OnCopy } from "../OnCopy.tsx";
import { columnsOf } from "./StripCanvas.tsx";
import { StripTable } from "./StripTable.tsx";
import { alikeReason, joinedStrips, orderedStrips, type StripOrder, type StripScale, stripLimits, strips, stripTokens } from "./strips.ts";
import "./strips.css";

const SCALES: Readonly<Record<StripScale, string>> = { common: "One scale for all", row: "A scale per row" };
const ORDERS: Readonly<Record<StripOrder, string>> = { listed: "As listed", alike: "Most alike first", strength: "Strongest first" };

const TITLES: Readonly<Record<string, string>> = Object.fromEntries(algorithms.map(({ id, title }) => [id, title]));

const NAME_WIDTH = 264;
const VALUE_WIDTH = 104;
const NARROW = 560;

export function AlgorithmStrips({ step, promptIndex, trajectoryIndex, tokenIndex: pinned }: OtherwiseProps) {
  const { groups, config } = step;
  const select = useSelect();
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [asked, setScope] = useState<"completion" | "group" | null>(null);
  const [scale, setScale] = useState<StripScale>("row");
  const [order, setOrder] = useState<StripOrder>("listed");
  const [pointed, setPointed] = useState<number | null>(null);
  const tasks = useEngine((facts) => facts.catalog?.tasks);
  const all = useMemo(() => underAlgorithms(groups, config, { algorithms, tasks: tasks ?? [] }), [groups, config, tasks]);
  const prompt = Math.min(promptIndex, groups.length - 1);
  const group = groups[prompt];
  const completion = Math.min(trajectoryIndex, (group?.trajectories.length ?? 1) - 1);
  const isNarrow = width < NARROW;
  // Where there is little room, the tokens of all answers would be too thin to be told apart.
  const scope = asked ?? (isNarrow ? "completion" : "group");
  const view = useMemo(() => {
    if (!group) return null;
    const completions = scope === "group" ? group.trajectories.map((_, index) => index) : [completion];
    return { tokens: stripTokens(group, completions), rows: strips(all, prompt, completions) };
  }, [all, group, prompt, completion, scope]);
  const rows = useMemo(() => (view ? joinedStrips(orderedStrips(view.rows, order)) : []), [view, order]);
  const limits = useMemo(() => stripLimits(rows, scale), [rows, scale]);
  const strip = Math.max(0, isNarrow ? width : width - NAME_WIDTH - VALUE_WIDTH);
  const columns = useMemo(() => view && columnsOf(view.tokens, strip), [view, strip]);
  if (!group || !view || !columns) return null;
  const { tokens } = view;
  const scopes = { completion: `Completion ${completion + 1}`, group: "Whole group" };
  const chosen = tokens.completion_T.findIndex((each, t) => each === completion && tokens.index_T[t] === pinned);
  const cursor = Math.min(tokens.pieces_T.length - 1, pointed ?? Math.max(0, chosen));
  const pin = (column: number) =>
    select({ step: step.step, trajectoryIndex: tokens.completion_T[column]!, tokenIndex: tokens.index_T[column]! });
  return (
    <div className="otherwise otherwise-panel grid grid-cols-1" ref={frame} data-narrow={isNarrow || undefined}>
      <p className="max-w-text soft">
        The same rollouts, weighted as each algorithm would weight them. An upward bar makes the token more likely, a downward bar less
        likely. Its length is the weight of the token's log-prob in the gradient of the loss.
      </p>
      <div className="gap-y-1 gap-x-2 flex flex-wrap">
        <Option label="Completions shown" titles={scopes} value={scope} onChange={setScope} />
        <Option label="Scale of the strips" titles={SCALES} value={scale} onChange={setScale} />
        <Option label="Order of the algorithms" titles={ORDERS} value={order} onChange={setOrder} />
      </div>
      <Cursor
        tokens={tokens}
        at={cursor}
        onMove={(column) => {
          setPointed(null);
          pin(column);
        }}
      />
      <StripTable
        rows={rows}
        limits={limits}
        tokens={tokens}
        columns={columns}
        cursor={cursor}
        width={strip}
        reason={alikeReason(groups)}
        onPoint={setPointed}
        onPin={pin}
      />
      <p className="otherwise-legend note">
        <span className="push-up">▲ more likely</span> <span className="push-down">▼ less likely</span>{" "}
        <Term id="total-push">Σ the whole row</Term>. {scaleText(scale, limits[0] ?? 0)}
      </p>
      <p className="note">{checkText(groups, all, config)}</p>
      <StepOnCopy step={step.step} promptIndex={prompt} own={config.algorithm} />
    </div>
  );
}

interface StepOnCopyProps {
  readonly step: number;
  readonly promptIndex: number;
  /** The run's own algorithm. */
  readonly own: string;
}

/** The step taken again by another algorithm, on a copy. */
function StepOnCopy({ step, promptIndex, own }: StepOnCopyProps) {
  const [taken, setTaken] = useState(() => algorithms.find(({ id }) => id !== own)!.id);
  return (
    <>
      <div className="gap-y-1 gap-x-2 flex flex-wrap">
        <Option label="Algorithm of the copy" titles={TITLES} value={taken} onChange={setTaken} />
      </div>
      <OnCopy key={`${step} ${promptIndex} ${taken}`} step={step} promptIndex={promptIndex} other={{ algorithm: taken }} />
    </>
  );
}

interface OptionProps<Id extends string> {
  readonly label: string;
  readonly titles: Readonly<Record<Id, string>>;
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}

/** One of several ways to show the strips. */
function Option<Id extends string>({ label, titles, value, onChange }: OptionProps<Id>) {
  return <Choice className="field-inline" label={label} options={optionsOf(titles)} value={value} onChange={(id) => onChange(id as Id)} />;
}

interface CursorProps {
  readonly tokens: ReturnType<typeof stripTokens>;
  readonly at: number;
  readonly onMove: (column: number) => void;
}

/** Which token the cursor stands on, and a slider through them all. */
function Cursor({ tokens, at, onMove }: CursorProps) {
  const place = `${tokens.index_T[at]! + 1} of completion ${tokens.completion_T[at]! + 1}`;
  const piece = showPiece(tokens.pieces_T[at] ?? "");
  return (
    <label className="otherwise-cursor line">
      <span>
        Token {place}: <b className="mono">{piece.text}</b>
      </span>
      <input
        type="range"
        min={0}
        max={tokens.pieces_T.length - 1}
        value={at}
        aria-label="Token under the cursor"
        aria-valuetext={`token ${place}, ${piece.spoken}`}
        onChange={(event) => onMove(Number(event.target.value))}
      />
    </label>
  );
}

function scaleText(scale: StripScale, limit: number): string {
  if (scale === "row") return "Each strip is scaled to its own largest weight, so you can compare shapes but not sizes.";
  return `All strips share one scale: full height is ${formatSigned(limit)} or ${formatNumber(-limit)}.`;
}

/** How the run's own strip compares with what its trainer wrote down. */
function checkText(groups: readonly GroupRecord[], all: ReturnType<typeof underAlgorithms>, config: RunConfig): string {
  const own = all.find(({ isOwn }) => isOwn);
  const apart = own ? recordedDifference(groups, own) : null;
  if (apart === null) return "All weights that the trainer recorded for this step are 0, and this run's strip agrees.";
  if (apart < 1e-5) return "This run's own strip equals the weights its trainer recorded.";
  const why =
    config.minibatches > 1
      ? `the trainer cut the step into ${config.minibatches} minibatches, each divided by its own tokens`
      : aggregationOf(config).isOfPart
        ? "the trainer divides by the tokens of each micro-batch"
        : "the step has not been through its update yet, or its settings differ";
  return `This run's own strip differs from the recorded weights by up to ${formatNumber(apart * 100)} % of the largest: ${why}.`;
}
