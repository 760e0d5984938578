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
          <div key={channel.id} title={channel.help}>
            <dt>
              {channel.title} <i>{channel.symbol}</i>
            </dt>
            <dd>{channelText(channel, token)}</dd>
          </div>
        ))}
        {token.refLogprob !== null && (
          <div>
            <dt>Reference log-prob</dt>
            <dd>{formatNumber(token.refLogprob)} nats</dd>
          </div>
        )}
        {token.criticValue !== null && (
          <div>
            <dt>
              Critic value <i>V</i>
            </dt>
            <dd>{formatNumber(token.criticValue)}</dd>
          </div>
        )}
        {token.clipState !== null && config && (
          <div>
            <dt>Clip state</dt>
            <dd>{clipWords(token.clipState, config)}</dd>
          </div>
        )}
      </dl>
    </aside>
  );
}
