// A conversation, token by token: what the policy wrote with its push, what was inserted hatched.
import { shareText } from "../../../protocol/quantities.ts";
import { showPiece } from "../../step/tokens/drawing.ts";
import type { Words } from "../lesson/text.ts";

export interface TranscriptMark {
  readonly kind: "transcript";
  /** Tokens with their `piece`, whether the policy `isSampled` them, 1 or 0, and their `push`. */
  readonly rows: readonly Words[];
  /** Share of the push on inserted tokens; pushes are not shown where left out. */
  readonly foreign?: number | undefined;
}

/** Stretches of tokens by one hand. */
function stretches(tokens: readonly Words[]): readonly (readonly Words[])[] {
  const all: Words[][] = [];
  for (const token of tokens) {
    const last = all.at(-1);
    if (last?.[0]?.isSampled === token.isSampled) last.push(token);
    else all.push([token]);
  }
  return all;
}

export function Transcript({ rows, foreign }: TranscriptMark) {
  return (
    <>
      {stretches(rows).map((stretch, s) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no names, and never move
        <p key={s} className="transcript mono wrap-anywhere keeps-lines">
          {stretch.map((token, t) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names, and never move
            <Token key={t} token={token} isJudged={foreign !== undefined} />
          ))}
        </p>
      ))}
      <p className="fine-print">
        <span className="transcript-token" data-inserted="">
          hatched
        </span>{" "}
        inserted{foreign !== undefined && `, ${shareText(foreign)} of the push`}.
        {foreign !== undefined && (
          <>
            {" "}
            <span className="transcript-token token-up">Blue</span>: pushed up, <span className="transcript-token token-down">double</span>:
            down.
          </>
        )}
      </p>
    </>
  );
}

function Token({ token, isJudged }: { readonly token: Words; readonly isJudged: boolean }) {
  const piece = String(token.piece);
  const push = Number(token.push);
  const { text, kind, spoken } = showPiece(piece);
  const way = !isJudged || push === 0 ? "" : push > 0 ? "token-up" : "token-down";
  return (
    <span className={`transcript-token ${way}`} data-inserted={!token.isSampled || undefined}>
      {text === piece || kind === "mark" ? piece : <span title={spoken}>{text}</span>}
    </span>
  );
}
