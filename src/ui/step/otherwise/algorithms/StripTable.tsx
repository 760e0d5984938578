// The strips as a table: algorithm and what it changes, the strip, and the value under the cursor.
import { signedMeasureText } from "../../../../protocol/quantities.ts";
import { formatNumber, formatSigned } from "../../../kit/charts/format.ts";
import { Hint } from "../../../kit/controls/Hint.tsx";
import { Signed } from "../../../kit/controls/Signed.tsx";
import { Term } from "../../../kit/words/Term.tsx";
import { showPiece } from "../../tokens/drawing.ts";
import { readableAround } from "../../tokens/readable.ts";
import { StripCanvas, type StripCanvasProps } from "./StripCanvas.tsx";
import type { JoinedStrip } from "./strips.ts";

/** What all strips share, and what is each one's own. */
interface StripTableProps extends Omit<StripCanvasProps, "pushes_T" | "limit" | "label"> {
  readonly rows: readonly JoinedStrip[];
  /** One for each row. */
  readonly limits: readonly number[];
  /** Why algorithms that differ push alike here. */
  readonly reason: string;
}

/** Pixels of a column that has room for its token above it. */
const WIDE_ENOUGH = 16;

/** Characters printed before the token under the cursor. */
const MOST_BEFORE = 36;

/** Differences shown before "and n more". */
const SHOWN_DIFFERENCES = 2;

export function StripTable({ rows, limits, reason, ...shared }: StripTableProps) {
  const { tokens, columns, width, cursor } = shared;
  const isWide = columns.width >= WIDE_ENOUGH;
  return (
    <table className="strips">
      <thead>
        <tr>
          <th scope="col">Algorithm</th>
          <th scope="col" style={{ width }}>
            <span className="visually-hidden">Push on each token</span>
            {isWide ? <Pieces tokens={tokens} columns={columns} cursor={cursor} /> : <PiecesAtCursor tokens={tokens} cursor={cursor} />}
          </th>
          <th scope="col" className="strips-number">
            At the cursor, <Term id="total-push">Σ, total push</Term>, <Term id="advantage">A, advantage</Term>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={row.id} data-own={row.isOwn || undefined}>
            <th scope="row">
              <Name row={row} reason={reason} />
            </th>
            <td>
              <StripCanvas
                {...shared}
                pushes_T={row.pushes_T}
                limit={limits[index] ?? 0}
                label={`Pushes of ${[row, ...row.alike].map(({ title }) => title).join(", ")}; move the cursor to read them`}
              />
            </td>
            <td className="strips-number">
              <Signed value={row.pushes_T[cursor] ?? Number.NaN} show={formatSigned} />
              <span className="strips-total aside">Σ {formatNumber(row.total)}</span>
              <span className="strips-advantage aside">A {signedMeasureText(row.advantages_T[cursor] ?? Number.NaN)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Name({ row, reason }: { readonly row: JoinedStrip; readonly reason: string }) {
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
      {row.alike.length > 0 && (
        <span className="strips-alike aside">
          and <b>{row.alike.map(({ title }) => title).join(", ")}</b>: the same weights, {reason}
        </span>
      )}
    </Hint>
  );
}

/** The completion under the cursor, where columns are too narrow to print tokens above them. */
function PiecesAtCursor({ tokens, cursor }: Pick<StripTableProps, "tokens" | "cursor">) {
  const completion = tokens.completion_T[cursor];
  const first = tokens.completion_T.indexOf(completion ?? -1);
  const own = tokens.pieces_T.filter((_, t) => tokens.completion_T[t] === completion);
  const [before, token, after] = readableAround(own, cursor - first);
  return (
    <span className="strips-line ellipsis mono ink" aria-hidden="true">
      #{(completion ?? 0) + 1} {before.length > MOST_BEFORE ? `… ${before.slice(-MOST_BEFORE)}` : before}
      <span data-cursor>{token}</span>
      {after}
    </span>
  );
}

function Pieces({ tokens, columns, cursor }: Pick<StripTableProps, "tokens" | "columns" | "cursor">) {
  const shown = tokens.pieces_T.map((piece, t) => ({ ...showPiece(piece), t }));
  return (
    <span className="strips-pieces mono block relative ink" aria-hidden="true">
      {shown.map(({ text, kind, t }) => (
        <span key={t} data-cursor={t === cursor || undefined} style={{ left: columns.left_T[t]!, width: columns.width }}>
          {kind === "mark" ? "■" : text}
        </span>
      ))}
    </span>
  );
}
