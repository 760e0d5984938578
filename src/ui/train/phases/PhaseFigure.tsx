// The drawing inside one phase of the strip: the selected group as that phase left it. The
// same completion stands in the same place at every phase, so one can follow it through the step.
import type { Phase } from "../../../protocol/messages.ts";
import type { EvaluationRecord } from "../../../protocol/records.ts";
import { VISIBLE_CHANGE_NATS } from "../../step/group/groupShape.ts";

const WIDTH = 120;
const HEIGHT = 36;
const MOST = 24;

interface PhaseFigureProps {
  readonly phase: Phase;
  /** One number per completion, null where there is none yet. */
  readonly values: readonly (number | null)[];
  readonly evaluations: readonly EvaluationRecord[];
  /** Completion to mark. */
  readonly marked: number;
}

/** Evenly spaced bars, none for a value that is no number; completions past the first MOST do not fit and are left out. */
function barsOf(values: readonly (number | null)[], marked: number) {
  const shown = values.slice(0, MOST);
  const pitch = WIDTH / Math.max(8, shown.length);
  return shown.flatMap((value, key) =>
    value === null || !Number.isFinite(value)
      ? []
      : [{ key, x: key * pitch + 1, width: Math.max(2, pitch - 2), value, isMarked: key === marked }],
  );
}
type Bar = ReturnType<typeof barsOf>[number];

function LengthBars({ bars }: { readonly bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return bars.map(({ key, x, width, value, isMarked }) => {
    const count = Math.max(1, Math.round((value / most) * 8));
    // Tokens as ticks, stacked like the lines of a text.
    return Array.from({ length: count }, (_, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a tick is nothing but its place
      <rect key={`${key}-${i}`} x={x} y={HEIGHT - 3 - i * 4} width={width} height={2.5} className={isMarked ? "fig-marked" : "fig-ink"} />
    ));
  });
}

function RewardBars({ bars }: { readonly bars: readonly Bar[] }) {
  const most = Math.max(1e-9, ...bars.map(({ value }) => Math.abs(value)));
  return bars.map(({ key, x, width, value, isMarked }) => {
    const height = Math.max(1.5, (Math.abs(value) / most) * (HEIGHT - 4));
    return <rect key={key} x={x} y={HEIGHT - height} width={width} height={height} className={isMarked ? "fig-marked" : "fig-ink"} />;
  });
}

/** Triangles: the glyph is the direction, the height the amount. */
function SignedBars({ bars, least }: { readonly bars: readonly Bar[]; readonly least: number }) {
  const most = Math.max(least, ...bars.map(({ value }) => Math.abs(value)));
  const middle = HEIGHT / 2;
  return (
    <>
      <line x1={0} x2={WIDTH} y1={middle} y2={middle} className="fig-rule" />
      {bars.map(({ key, x, width, value }) => {
        if (Math.abs(value) < most * 0.02) return <rect key={key} x={x} y={middle - 1} width={width} height={2} className="fig-ink" />;
        const tip = middle - (value / most) * (middle - 2);
        const points = `${x},${middle} ${x + width},${middle} ${x + width / 2},${tip}`;
        return <polygon key={key} points={points} className={value > 0 ? "fig-up" : "fig-down"} />;
      })}
    </>
  );
}

function EvaluationDots({ evaluations }: { readonly evaluations: readonly EvaluationRecord[] }) {
  const shown = evaluations.slice(-MOST);
  const pitch = WIDTH / Math.max(8, shown.length);
  const y = (share: number) => HEIGHT - 3 - (Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share))) * (HEIGHT - 6);
  return (
    <>
      <line x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} className="fig-rule" />
      <line x1={0} x2={WIDTH} y1={y(1)} y2={y(1)} className="fig-rule" />
      {shown.map(({ step, sampledAccuracy, sampledInterval }, i) => (
        <g key={step}>
          <line
            x1={(i + 0.5) * pitch}
            x2={(i + 0.5) * pitch}
            y1={y(sampledInterval[0])}
            y2={y(sampledInterval[1])}
            className="fig-interval"
          />
          <circle cx={(i + 0.5) * pitch} cy={y(sampledAccuracy)} r={2.25} className="fig-marked" />
        </g>
      ))}
    </>
  );
}

export function PhaseFigure({ phase, values, evaluations, marked }: PhaseFigureProps) {
  const bars = barsOf(values, marked);
  return (
    <svg className="phase-figure w-full" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="xMinYMid meet" aria-hidden="true">
      {phase === "sample" && <LengthBars bars={bars} />}
      {phase === "score" && <RewardBars bars={bars} />}
      {(phase === "advantage" || phase === "update") && bars.length > 0 && (
        <SignedBars bars={bars} least={phase === "update" ? VISIBLE_CHANGE_NATS : 1e-9} />
      )}
      {phase === "evaluate" && evaluations.length > 0 && <EvaluationDots evaluations={evaluations} />}
    </svg>
  );
}
