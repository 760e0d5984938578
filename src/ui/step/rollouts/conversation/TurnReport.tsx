// What the environment made of a turn, beside its tokens: the calls with what they were given, and the
// pictures: a board, the documents that were found, an expert and its price.
import { Check, X } from "lucide-react";
import type { CallReport, FoundDocument, TurnView } from "../../../../protocol/records.ts";
import { formatNumber } from "../../../kit/charts/format.ts";
import { argumentsOf } from "../group/rowTexts.ts";
import "./turnReport.css";

function Call({ call, hasResult }: { readonly call: CallReport; readonly hasResult: boolean }) {
  const given = argumentsOf(call.given);
  return (
    <li className="call wrap-anywhere framed on-surface rounded">
      <p className="gap-y-half gap-x-1 line">
        {call.failed ? <X size={16} aria-hidden /> : <Check size={16} aria-hidden />}
        <b className="mono">{call.name || "a call that could not be read"}</b>
        {call.failed && <span className="call-failed small rounded">failed</span>}
      </p>
      {given ? (
        <dl className="call-given">
          {given.map(([name, value]) => (
            <div key={name}>
              <dt className="soft">{name}</dt>
              <dd className="mono">{value}</dd>
            </div>
          ))}
        </dl>
      ) : (
        call.given && <p className="mono">{call.given}</p>
      )}
      {hasResult && (
        <p className="call-result">
          <span className="note">gives</span> <span className="mono">{call.result}</span>
        </p>
      )}
    </li>
  );
}

/** @param found documents that are shown beside the calls, and need not be told here too. */
export function Calls({ calls, found }: { readonly calls: readonly CallReport[]; readonly found: readonly FoundDocument[] }) {
  const keyed = calls.map((call, place) => ({ call, place }));
  return (
    <ul className="calls stack" aria-label={calls.length === 1 ? "Tool call" : `${calls.length} tool calls`}>
      {keyed.map(({ call, place }) => (
        <Call key={place} call={call} hasResult={call.failed || !isTold(call.result, found)} />
      ))}
    </ul>
  );
}

/** The documents among what is shown beside a turn. */
export function documentsOf(views: readonly TurnView[] = []): readonly FoundDocument[] {
  return views.flatMap((view) => (view.kind === "documents" ? view.documents : []));
}

/** Whether a text says nothing but what these documents do. */
export function isTold(text: string, documents: readonly FoundDocument[]): boolean {
  const rest = documents.reduce((left, document) => left.replaceAll(document.text, ""), text);
  return documents.length > 0 && !/[\p{L}\p{N}]/u.test(rest);
}

type ViewOf<K extends TurnView["kind"]> = Extract<TurnView, { readonly kind: K }>;

function Board({ caption, rows }: ViewOf<"board">) {
  const keyed = rows.map((cells, y) => ({ y, cells: cells.map((cell, x) => ({ x, cell })) }));
  // A caption of the table itself would be as narrow as the cells.
  return (
    <figure className="board-figure">
      <figcaption className="fine-print">{caption}</figcaption>
      <table className="board">
        <tbody>
          {keyed.map(({ y, cells }) => (
            <tr key={y}>
              {cells.map(({ x, cell }) => (
                <td key={x} className={cell.trim() === "" || cell === "." ? "board-empty" : ""}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** A text with the words that the query has too marked. */
function Matched({ text, matched }: { readonly text: string; readonly matched: readonly string[] }) {
  const words = new Set(matched);
  // Pieces alternate between words and what lies between them.
  const pieces = text.split(/([\p{L}\p{N}]+)/u).map((piece, place) => ({ piece, place }));
  return pieces.map(({ piece, place }) => (words.has(piece.toLowerCase()) ? <mark key={place}>{piece}</mark> : piece));
}

function Documents({ query, documents }: ViewOf<"documents">) {
  return (
    <figure className="documents">
      <figcaption>
        {documents.length === 0 ? "No document was found" : documents.length === 1 ? "1 document" : `${documents.length} documents`} for “
        {query}”{documents.length > 0 && <span className="note">, in the order of the collection; its words are marked</span>}
      </figcaption>
      <ol>
        {documents.map(({ text, score, matched }) => (
          <li key={text}>
            <span className="document-score soft small" title="BM25 score of the document for the query">
              {formatNumber(score)}
            </span>
            <span>
              <Matched text={text} matched={matched} />
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function Expert({ name, query, price }: ViewOf<"expert">) {
  return (
    <p className="expert wrap-anywhere">
      Asked <b>{name}</b> <span className="note">at a price of</span> {formatNumber(price)}: “{query}”
      <span className="note">. An expert always answers the question that opened the conversation, whatever the policy asks.</span>
    </p>
  );
}

function View({ view }: { readonly view: TurnView }) {
  if (view.kind === "board") return <Board {...view} />;
  return view.kind === "documents" ? <Documents {...view} /> : <Expert {...view} />;
}

export function TurnViews({ views }: { readonly views: readonly TurnView[] }) {
  const keyed = views.map((view, place) => ({ view, place }));
  return keyed.map(({ view, place }) => <View key={place} view={view} />);
}
