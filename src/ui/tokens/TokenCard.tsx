// Everything about one token in exact numbers: the chain from its probability when sampled to what the
// update did to it.
import type { ObjectiveConfig } from "../../rl/objective/types.ts";
import { formatNumber } from "../charts/format.ts";
import { channelText, probabilityText, TOKEN_CHANNELS } from "./channels.ts";
import { showPiece } from "./glyphs.ts";
import { clipWords, type TokenFacts } from "./tokenFacts.ts";

export interface TokenCardProps {
  readonly token: TokenFacts | null;
  readonly pinned: boolean;
  readonly count: number;
  readonly config: ObjectiveConfig | null;
}

export function TokenCard({ token, pinned, count, config }: TokenCardProps) {
  if (!token)
    return (
      <aside className="token-card token-card-empty" aria-label="Token">
        <p>Point at a token for its numbers. Enter or a tap pins it.</p>
      </aside>
    );
  const shown = showPiece(token.piece);
  return (
    <aside className="token-card" aria-label="Token">
      <header>
        <b className={`token-card-piece token-is-${shown.kind}`}>{shown.text}</b>
        <span>
          id {token.id}, token {token.index + 1} of {count}
          {pinned ? ", pinned" : ""}
        </span>
      </header>
      {token.oldLogprob === null ? (
        <p className="token-card-chain">Inserted between two turns of the policy: it reads this token and is not trained on it.</p>
      ) : (
        <p className="token-card-chain">
          <span>p when sampled</span> <b>{probabilityText(token.oldLogprob)}</b>
          {token.newLogprob !== null && (
            <>
              <span aria-hidden="true"> → </span>
              <span>after the update</span> <b>{probabilityText(token.newLogprob)}</b>
            </>
          )}
        </p>
      )}
      <dl>
        {TOKEN_CHANNELS.map((channel) => (
          <Fact key={channel.id} title={channel.title} symbol={channel.symbol} help={channel.help} value={channelText(channel, token)} />
        ))}
        {token.refLogprob !== null && <Fact title="Reference log-prob" value={`${formatNumber(token.refLogprob)} nats`} />}
        {token.criticValue !== null && <Fact title="Critic value" symbol="V" value={formatNumber(token.criticValue)} />}
        {token.clipState !== null && config && <Fact title="Clip state" value={clipWords(token.clipState, config)} />}
      </dl>
    </aside>
  );
}

interface FactProps {
  readonly title: string;
  readonly symbol?: string;
  readonly help?: string;
  readonly value: string;
}

function Fact({ title, symbol, help, value }: FactProps) {
  return (
    <div title={help}>
      <dt>
        {title} {symbol && <i>{symbol}</i>}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}
