// Two recorded answers to one prompt: each as text with what was added or removed marked, then token by token with
// both probabilities and their difference.
import { useMemo, useState } from "react";
import type { Probed } from "../../../protocol/asked.ts";
import { counted, measureText, sharesApart, shareText, signed, signedMeasureText } from "../../../protocol/quantities.ts";
import type { ProbeAnswer } from "../../../protocol/records.ts";
import { Signed } from "../../kit/controls/Signed.tsx";
import { ShowAll, useGradually } from "../../kit/lists/longLists.tsx";
import { Table } from "../../kit/lists/Table.tsx";
import { showPiece } from "../tokens/drawing.ts";
import { answerLogprob, type ComparedToken, changeText, comparedTokens } from "./comparison.ts";

/** Rows of the table that are drawn at first; and tokens of an answer that come onto the page in one task. */
const FIRST_ROWS = 100;
const PART = 200;

interface PieceProps {
  readonly pieces: Probed["pieces"];
  readonly token: number | null;
}

function Piece({ pieces, token }: PieceProps) {
  if (token === null) return <span className="note">–</span>;
  const shown = showPiece(pieces[token] ?? "");
  return <span className={`mono token-is-${shown.kind}`}>{shown.text}</span>;
}

interface AnswerProps {
  readonly title: string;
  readonly answer: ProbeAnswer;
  readonly places: readonly ComparedToken[];
  readonly side: "from" | "to";
  readonly pieces: Probed["pieces"];
}

/** An answer as text; what the other lacks is underlined and named. */
function Answer({ title, answer, places, side, pieces }: AnswerProps) {
  const said = places
    .map((place, index) => ({ index, token: place[side], isShared: place.isShared }))
    .filter(({ token }) => token !== null);
  const drawn = useGradually(said.length, PART);
  const Own = side === "to" ? "ins" : "del";
  return (
    <section className="grid content-start gap-half min-w-0">
      <h2>{title}</h2>
      <p className="over-time-text wrap-anywhere sunken rounded">
        {said.slice(0, drawn).map(({ index, token, isShared }) =>
          isShared ? (
            <Piece key={index} pieces={pieces} token={token} />
          ) : (
            <Own key={index} className="over-time-own">
              <Piece pieces={pieces} token={token} />
            </Own>
          ),
        )}
        {!answer.isComplete && <span className="note"> cut off at the limit of tokens</span>}
      </p>
      <p className="note">
        {shareText(Math.exp(answerLogprob(answer)))} likely in all, {measureText(answerLogprob(answer))} nats
        {answer.reward !== null && <>; reward {measureText(answer.reward)}</>}
      </p>
    </section>
  );
}

const shareOf = (logprob: number | null) => (logprob === null ? "" : shareText(Math.exp(logprob)));

/** "+27.2 points". */
const pointsText = (points: number) => signed(`${points > 0 ? "+" : ""}${counted(points, "point").replace(/^(-1 point)s$/, "$1")}`);

function Row({ place, pieces }: { readonly place: ComparedToken; readonly pieces: Probed["pieces"] }) {
  const { from, to, logprobFrom, logprobTo, isShared, isSameChoice } = place;
  const changed =
    isShared && isSameChoice && logprobFrom !== null && logprobTo !== null ? sharesApart(Math.exp(logprobFrom), Math.exp(logprobTo)) : null;
  return (
    <tr data-shared={isShared || undefined}>
      <th scope="row">
        <Piece pieces={pieces} token={to ?? from} />
        {!isShared && from !== null && to !== null && (
          <span className="note">
            {" "}
            was <Piece pieces={pieces} token={from} />
          </span>
        )}
        {!isShared && from === null && <span className="note"> added</span>}
        {!isShared && to === null && <span className="note"> removed</span>}
      </th>
      <td>{changed?.from ?? shareOf(logprobFrom)}</td>
      <td>{changed?.to ?? shareOf(logprobTo)}</td>
      <td>
        {changed && logprobFrom !== null && logprobTo !== null ? (
          <>
            <Signed value={changed.points} show={pointsText} />{" "}
            <span className="fine-print">Δ log p {signedMeasureText(logprobTo - logprobFrom)}</span>
          </>
        ) : (
          <span className="note">{isShared ? "after other words" : "other token"}</span>
        )}
      </td>
    </tr>
  );
}

interface TokenRowsProps {
  readonly places: readonly ComparedToken[];
  readonly pieces: Probed["pieces"];
  readonly fromStep: number;
  readonly toStep: number;
}

/** The places as a table, the first of them at first. */
function TokenRows({ places, pieces, fromStep, toStep }: TokenRowsProps) {
  const [isWhole, setWhole] = useState(false);
  const drawn = useGradually(isWhole ? places.length : Math.min(FIRST_ROWS, places.length), FIRST_ROWS);
  return (
    <>
      <Table
        className="over-time-tokens numbers"
        frame="over-time-frame"
        region="Probability of each token"
        caption={`Probability of each token after steps ${fromStep} and ${toStep}`}
        heads={["Token", `step ${fromStep}`, `step ${toStep}`, "Change"]}
      >
        {places.slice(0, drawn).map((place, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the alignment
          <Row key={index} place={place} pieces={pieces} />
        ))}
      </Table>
      <ShowAll total={places.length} first={FIRST_ROWS} items="tokens" isWhole={isWhole} onChange={setWhole} />
    </>
  );
}

interface ComparedAnswersProps {
  readonly probed: Probed;
  readonly prompt: number;
  /** Places of the two records. */
  readonly from: number;
  readonly to: number;
}

export function ComparedAnswers({ probed, prompt, from, to }: ComparedAnswersProps) {
  const { records, pieces } = probed;
  const a = records[from]!;
  const b = records[to]!;
  const before = a.answers[prompt];
  const after = b.answers[prompt];
  const places = useMemo(() => (before && after ? comparedTokens(before, after) : []), [before, after]);
  if (!before || !after) return null;
  return (
    <>
      <div className="over-time-answers grid">
        <Answer title={`After step ${a.step}`} answer={before} places={places} side="from" pieces={pieces} />
        <Answer title={`After step ${b.step}`} answer={after} places={places} side="to" pieces={pieces} />
      </div>
      <p className="large" aria-live="polite">
        {from === to ? `Both sides show step ${a.step}. Choose another step to compare with.` : changeText(places)}
      </p>
      <TokenRows places={places} pieces={pieces} fromStep={a.step} toStep={b.step} />
      <p className="note">
        Each probability depends on what the policy had said before that token. Changes are shown as long as both answers begin the same
        way.
      </p>
    </>
  );
}
