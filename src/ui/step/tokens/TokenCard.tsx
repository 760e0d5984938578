// Everything about one token in exact numbers: the chain from its probability when sampled to what the
// update did to it. The card has the same height with and without a token, so that nothing jumps on hover.
import type { ReactNode } from "react";
import type { RunConfig } from "../../../protocol/config.ts";
import { measureText } from "../../../protocol/quantities.ts";
import { NO_TOKEN } from "../../../protocol/records.ts";
import { useTokenWord } from "../../engine/store/useRunView.ts";
import { isAgainst } from "../../kit/words/against.ts";
import { ExplainedTitle, Term } from "../../kit/words/Term.tsx";
import { markTerm } from "../../kit/words/terms/tokenTerms.ts";
import { chainTexts, channelsOf, channelText } from "./channels.ts";
import { showPiece } from "./drawing.ts";
import { clipWords, type TokenFacts } from "./tokenFacts.ts";

export interface TokenCardProps {
  readonly token: TokenFacts | null;
  /** Stands in for the room of one while none is shown. */
  readonly template: TokenFacts | undefined;
  readonly pinned: boolean;
  readonly count: number;
  /** Null where nobody knows the settings of the step. */
  readonly config: RunConfig | null;
}

export function TokenCard({ token, template, pinned, count, config }: TokenCardProps) {
  const measured = token ?? template;
  return (
    <aside className="token-card rule-above" aria-label="Token" data-empty={!token || undefined}>
      <header>
        {token ? <Piece token={token} pinned={pinned} count={count} /> : <p>Point at a token for its numbers. Enter or a tap pins it.</p>}
        {measured && <Chain token={measured} isHidden={!token} />}
      </header>
      {measured && (
        <div className="token-card-numbers" aria-hidden={!token || undefined}>
          <p className="token-card-note">{noteOf(measured)}</p>
          <Facts token={measured} config={config} />
        </div>
      )}
    </aside>
  );
}

function Piece({ token, pinned, count }: { readonly token: TokenFacts; readonly pinned: boolean; readonly count: number }) {
  const shown = showPiece(token.piece);
  const word = useTokenWord();
  return (
    <>
      <b className={`token-card-piece token-is-${shown.kind}`}>{shown.text}</b>
      <span>
        {token.id === NO_TOKEN ? "" : `id ${token.id}, `}
        {word} {token.index + 1} of {count}
        {pinned ? ", pinned" : ""}
      </span>
    </>
  );
}

/** What a mark is for, or why a token moved the other way than it was pushed. */
function noteOf({ piece, advantage, oldLogprob, newLogprob }: TokenFacts): string {
  const change = oldLogprob === null || newLogprob === null ? null : newLogprob - oldLogprob;
  if (isAgainst(advantage, change))
    return "It moved against its advantage. All answers of the step share the weights, so pushing the others moves this one too.";
  const shown = showPiece(piece);
  return (shown.kind === "mark" && markTerm(shown.spoken.replace(/ mark$/, ""))?.text) || "";
}

function Chain({ token, isHidden }: { readonly token: TokenFacts; readonly isHidden: boolean }) {
  const hidden = isHidden || undefined;
  if (token.sampled && token.oldLogprob === null)
    return (
      <p className="token-card-chain soft" aria-hidden={hidden}>
        No log-prob of when it was sampled was recorded.
      </p>
    );
  if (token.oldLogprob === null)
    return (
      <p className="token-card-chain soft" aria-hidden={hidden}>
        Inserted between two turns of the policy. The policy reads it but is not trained on it.
      </p>
    );
  const [before, after] = chainTexts(token);
  return (
    <p className="token-card-chain soft" aria-hidden={hidden}>
      <span>p when sampled</span> <b>{before}</b>
      {token.newLogprob !== null && (
        <>
          <span aria-hidden="true"> → </span>
          <span>after the update</span> <b>{after}</b>
        </>
      )}
    </p>
  );
}

function Facts({ token, config }: { readonly token: TokenFacts; readonly config: RunConfig | null }) {
  return (
    <dl className="figures">
      {channelsOf([token], config === null).map((channel) => (
        <Fact key={channel.id} name={<ExplainedTitle {...channel} />} symbol={channel.symbol}>
          {channelText(channel, token)}
        </Fact>
      ))}
      {token.refLogprob !== null && (
        <Fact name={<Term id="reference">Reference log-prob</Term>}>{`${measureText(token.refLogprob)} nats`}</Fact>
      )}
      {token.clipState !== null && config && <Fact name={<Term id="clip">Clip state</Term>}>{clipWords(token.clipState, config)}</Fact>}
    </dl>
  );
}

function Fact({ name, symbol, children }: { readonly name: ReactNode; readonly symbol?: string; readonly children: string }) {
  return (
    <div>
      <dt>
        {name} {symbol && <i>{symbol}</i>}
      </dt>
      <dd className="ellipsis" title={children}>
        {children}
      </dd>
    </div>
  );
}
