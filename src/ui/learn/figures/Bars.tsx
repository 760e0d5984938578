// Upright bars, one for each token or bucket: how likely each is, what it was before, and where it is pushed.
import { signedMeasureText } from "../../../protocol/quantities.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { fill, type Words } from "../lesson/text.ts";

export interface BarsMark {
  readonly kind: "bars";
  readonly rows: readonly Words[];
  /** Columns of the rows: their names, and what a bar shows. */
  readonly label: string;
  readonly value: string;
  /** Column of a second value at the same place, drawn as an outline: the one before, or the reference. */
  readonly before?: string | undefined;
  /** Column that is drawn as an arrow under the bar. */
  readonly push?: string | undefined;
  /** A short text under a bar, with the row's columns by name. */
  readonly note?: string | undefined;
  /** Value of a full bar, and size of a full arrow. */
  readonly most: number;
  readonly mostPush?: number;
  /** Index of the bar that stands out. */
  readonly picked?: number;
  /** The control that a press on a bar's name sets, and what the press is called. */
  readonly picks?: { readonly control: string; readonly does: string } | undefined;
  /** What the whole needs to be read. */
  readonly caption?: string | undefined;
}

const share = (value: number, most: number) => `${Math.min(100, (Math.max(0, value) / most) * 100)}%`;

export function Bars(mark: BarsMark & { readonly setValue: (control: string, value: number) => void }) {
  const { rows, label, value, before, push, note, most, mostPush = 1, picked, picks, caption, setValue } = mark;
  return (
    <>
      <div className="bars grid" style={{ gridTemplateColumns: `repeat(${rows.length}, minmax(0, 1fr))` }}>
        {rows.map((row, i) => (
          <div key={String(row[label])} className="bars-column grid min-w-0" data-picked={picked === i || undefined}>
            <span className="bars-value fine-print">{formatNumber(Number(row[value]), 2)}</span>
            <div className="bars-room relative">
              <span className="bars-bar" style={{ blockSize: share(Number(row[value]), most) }} />
              {before && <span className="bars-before" style={{ blockSize: share(Number(row[before]), most) }} />}
            </div>
            {picks ? (
              <button
                type="button"
                className="bars-label mono"
                aria-label={`${picks.does} ${row[label]}`}
                aria-pressed={picked === i}
                onClick={() => setValue(picks.control, i)}
              >
                {String(row[label])}
              </button>
            ) : (
              <span className="bars-label mono">{String(row[label])}</span>
            )}
            {push && <Push value={Number(row[push])} most={mostPush} />}
            {note && <span className="bars-note fine-print">{fill(note, row)}</span>}
          </div>
        ))}
      </div>
      {caption && <p className="fine-print">{caption}</p>}
    </>
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
      <span>{signedMeasureText(value)}</span>
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
