// Upright bars, one for each token or bucket: how likely each is, what it was before, and where it is pushed.
import { signedMeasureText } from "../../../protocol/quantities.ts";
import { formatNumber } from "../../kit/charts/format.ts";

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** A second value at the same place, drawn as an outline: the one before, or the reference. */
  readonly ghost?: number;
  /** Drawn as an arrow under the bar. */
  readonly push?: number;
  /** Something particular about it, in a word. */
  readonly note?: string;
}

interface BarsProps {
  readonly bars: readonly Bar[];
  /** Value of a full bar. */
  readonly most: number;
  /** Size of a full arrow. */
  readonly mostPush?: number;
  readonly onPick?: (index: number) => void;
  readonly picked?: number;
  readonly pickLabel?: (bar: Bar) => string;
}

const share = (value: number, most: number) => `${Math.min(100, (Math.max(0, value) / most) * 100)}%`;

export function Bars({ bars, most, mostPush, onPick, picked, pickLabel = ({ label }) => label }: BarsProps) {
  return (
    <div className="bars" style={{ gridTemplateColumns: `repeat(${bars.length}, minmax(0, 1fr))` }}>
      {bars.map((bar, i) => (
        <div key={bar.label} className="bars-column" data-picked={picked === i || undefined}>
          <span className="bars-value fine-print">{formatNumber(bar.value, 2)}</span>
          <div className="bars-room">
            <span className="bars-bar" style={{ blockSize: share(bar.value, most) }} />
            {bar.ghost !== undefined && <span className="bars-ghost" style={{ blockSize: share(bar.ghost, most) }} />}
          </div>
          {onPick ? (
            <button
              type="button"
              className="bars-label mono"
              aria-label={pickLabel(bar)}
              aria-pressed={picked === i}
              onClick={() => onPick(i)}
            >
              {bar.label}
            </button>
          ) : (
            <span className="bars-label mono">{bar.label}</span>
          )}
          {mostPush !== undefined && <Push value={bar.push ?? 0} most={mostPush} />}
          {bar.note && <span className="bars-note fine-print">{bar.note}</span>}
        </div>
      ))}
    </div>
  );
}

/** An arrow up or down with its number. */
function Push({ value, most }: { readonly value: number; readonly most: number }) {
  const size = Math.min(1, Math.abs(value) / most);
  const isUp = value > 0;
  if (value === 0) return <span className="bars-push">0</span>;
  return (
    <span className={`bars-push ${isUp ? "push-up" : "push-down"}`}>
      <svg viewBox="0 0 12 40" className="bars-arrow" aria-hidden="true">
        <path d={arrow(isUp, size)} fill="currentColor" />
      </svg>
      <span className="bars-push-number">{signedMeasureText(value)}</span>
    </span>
  );
}

/** An arrow from the middle of 40, up to 16 long. */
function arrow(isUp: boolean, size: number): string {
  const way = isUp ? -1 : 1;
  const base = 20 - way * 8 * size;
  const tip = base + way * (16 * size + 3);
  const neck = tip - way * 5;
  return `M5 ${base}H7V${neck}H10L6 ${tip}L2 ${neck}H5Z`;
}
