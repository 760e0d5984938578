// Rows with a bar to the right for what is pushed up and to the left for what is pushed down: the members of a
// group, or settings side by side.
import { Signed, SignedBar } from "../../kit/controls/Signed.tsx";
import { inline } from "../lesson/Prose.tsx";
import type { Words } from "../lesson/text.ts";

export interface SignedRowsMark {
  readonly kind: "rows";
  readonly head: string;
  readonly rows: readonly Words[];
  /** A text with the row's columns by name. */
  readonly label: string;
  /** Column of what is drawn, and the size of a full bar. */
  readonly value: string;
  readonly most: number;
  /** A text between label and bar. */
  readonly detail?: string;
  /** Column of a number of tokens, drawn as so many tiles behind the label. */
  readonly tiles?: string;
}

export function SignedRows({ head, rows, label, value, most, detail, tiles }: SignedRowsMark) {
  return (
    <div className="signed-rows grid">
      <p className="fine-print signed-rows-head">{head}</p>
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
        <div key={i} className="signed-row grid items-center">
          <span className="signed-row-label min-w-0">
            {inline(label, row)}
            {tiles !== undefined && <Tiles count={Number(row[tiles])} />}
          </span>
          {detail !== undefined && <span>{inline(detail, row)}</span>}
          <SignedBar value={Number(row[value])} most={most} />
          <span className="signed-row-number">
            <Signed value={Number(row[value])} />
          </span>
        </div>
      ))}
    </div>
  );
}

/** An answer's tokens, as so many tiles. */
function Tiles({ count }: { readonly count: number }) {
  return (
    <span className="tiles flex flex-wrap" role="img" aria-label={`${count} tokens`}>
      {Array.from({ length: count }, (_, t) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tiles are all alike
        <i key={t} />
      ))}
    </span>
  );
}
