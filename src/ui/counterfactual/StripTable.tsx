// The strips as a table: algorithm and what it changes, the strip, and the value under the cursor.
import { formatNumber } from "../charts/format.ts";
import { Hint } from "../controls/Hint.tsx";
import { Signed } from "../controls/Signed.tsx";
import { showPiece } from "../tokens/glyphs.ts";
import { type Columns, StripCanvas } from "./StripCanvas.tsx";
import type { Strip, StripTokens } from "./strips.ts";

export interface StripTableProps {
  readonly rows: readonly Strip[];
  /** One for each row. */
  readonly limits: readonly number[];
  readonly tokens: StripTokens;
  readonly columns: Columns;
  /** Pixels of a strip. */
  readonly width: number;
  readonly cursor: number;
  /** Columns are wide enough for their tokens to be written above them. */
  readonly pieces: boolean;
  readonly onPoint: (column: number | null) => void;
  readonly onPin: (column: number) => void;
}

/** Differences shown before "and n more". */
const SHOWN_DIFFERENCES = 2;

export function StripTable({ rows, limits, tokens, columns, width, cursor, pieces, onPoint, onPin }: StripTableProps) {
  return (
    <table className="strips">
      <thead>
        <tr>
          <th scope="col">Algorithm</th>
          <th scope="col" className="strips-tokens" style={{ width }}>
            {pieces ? <Pieces tokens={tokens} columns={columns} cursor={cursor} /> : "Tokens"}
          </th>
          <th scope="col" className="strips-number">
            At the cursor
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={row.id} data-own={row.isOwn || undefined}>
            <th scope="row">
              <Name row={row} />
            </th>
            <td>
              <StripCanvas
                tokens={tokens}
                pushes_T={row.pushes_T}
                limit={limits[index] ?? 0}
                columns={columns}
                width={width}
                cursor={cursor}
                label={`Pushes of ${row.title}; move the cursor to read them`}
                onPoint={onPoint}
                onPin={onPin}
              />
            </td>
            <td className="strips-number">
              <Signed value={row.pushes_T[cursor] ?? Number.NaN} />
              <span className="strips-total aside">Σ {formatNumber(row.total)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Name({ row }: { readonly row: Strip }) {
  const more = row.differences.length - SHOWN_DIFFERENCES;
  const shown = row.differences.slice(0, SHOWN_DIFFERENCES).join(", ");
  const text = [row.summary, row.differences.length > 0 ? `Differs in: ${row.differences.join(", ")}.` : "", ...row.assumptions];
  return (
    <Hint text={text.filter((sentence) => sentence !== "").join(" ")}>
      <span className="strips-name">
        {row.title}
        {row.assumptions.length > 0 && <span aria-hidden="true"> *</span>}
      </span>
      <span className="strips-note aside ellipsis">
        {row.isOwn ? "this run" : row.differences.length === 0 ? "same weights here" : `${shown}${more > 0 ? ` and ${more} more` : ""}`}
      </span>
    </Hint>
  );
}

function Pieces({ tokens, columns, cursor }: Pick<StripTableProps, "tokens" | "columns" | "cursor">) {
  const shown = tokens.pieces_T.map((piece, t) => ({ ...showPiece(piece), t }));
  return (
    <span className="strips-pieces mono" aria-hidden="true">
      {shown.map(({ text, kind, t }) => (
        <span key={t} data-cursor={t === cursor || undefined} style={{ left: columns.left_T[t]!, width: columns.width }}>
          {kind === "mark" ? "■" : text}
        </span>
      ))}
    </span>
  );
}
