// The token card of an explained update: its probability before, after and under the reference, every figure
// of the update with the place its symbol stands for, what might have stood in its place, and what other
// algorithms would do with it.
import type { ReactNode } from "react";
import { measureText, shareText, signedMeasureText } from "../../../../protocol/quantities.ts";
import { useSelection } from "../../../engine/store/useRunView.ts";
import { formatNumber } from "../../../kit/charts/format.ts";
import { Signed } from "../../../kit/controls/Signed.tsx";
import { SymbolNumber } from "../../../kit/formula/symbolScope.tsx";
import type { TermId } from "../../../kit/words/glossary.ts";
import { Term } from "../../../kit/words/Term.tsx";
import { Otherwise } from "../../otherwise/Otherwise.tsx";
import { AlternativesTable } from "../../rollouts/conversation/AlternativesTable.tsx";
import { chainTexts } from "../../tokens/channels.ts";
import { showPiece } from "../../tokens/drawing.ts";
import { trainLogprob } from "../formulas/lossFormula.ts";
import { offersAgain } from "../moved/WhatMoved.tsx";
import { clipReason } from "../story/reasons.ts";
import type { TokenStory } from "../story/story.ts";

interface ProbabilityProps {
  readonly name: string;
  readonly symbol: string;
  readonly logSymbol: string;
  readonly logprob: number | null;
  /** The probability as it is told apart from those beside it. */
  readonly text: string | undefined;
}

function Probability({ name, symbol, logSymbol, logprob, text }: ProbabilityProps) {
  const p = logprob === null ? null : Math.exp(logprob);
  return (
    <div className="explain-probability">
      <dt className="aside">{name}</dt>
      <dd>
        <span className="explain-bar sunken" aria-hidden="true">
          <span className="progress-fill" style={{ inlineSize: `${(p ?? 0) * 100}%` }} />
        </span>
        {p === null || logprob === null ? (
          <span className="note">not measured</span>
        ) : (
          <>
            <SymbolNumber name={symbol} className="large semibold">
              {text ?? shareText(p)}
            </SymbolNumber>
            <SymbolNumber name={logSymbol} className="fine-print">
              {measureText(logprob)} nats
            </SymbolNumber>
          </>
        )}
      </dd>
    </div>
  );
}

interface RowProps {
  readonly term: TermId;
  readonly words: string;
  readonly symbol: string;
  readonly children: ReactNode;
}

function Row({ term, words, symbol, children }: RowProps) {
  return (
    <div>
      <dt>
        <Term id={term}>{words}</Term>
      </dt>
      <dd>
        <SymbolNumber name={symbol}>{children}</SymbolNumber>
      </dd>
    </div>
  );
}

/** A gradient: which way going down the loss moves the token. */
function Push({ gradient }: { readonly gradient: number }) {
  return <Signed value={0 - gradient} show={(value) => (value > 0 ? `+${formatNumber(value)}` : formatNumber(value))} />;
}

function Figures({ token }: { readonly token: TokenStory }) {
  const { facts, update } = token;
  return (
    <dl className="figures">
      {facts.advantage !== null && (
        <Row term="advantage" words="Advantage" symbol="advantage">
          <Signed value={facts.advantage} show={signedMeasureText} />
        </Row>
      )}
      {facts.criticValue !== null && (
        <Row term="critic" words="Critic’s value" symbol="value">
          {measureText(facts.criticValue)}
        </Row>
      )}
      {update && (
        <>
          <Row term="ratio" words="Ratio" symbol="ratio">
            {formatNumber(update.ratio, 4)}
          </Row>
          <Row term="logprob" words="Log-prob in training" symbol="logp-train">
            {measureText(trainLogprob(token))}
          </Row>
          {update.kl && (
            <Row term="kl" words="KL to the reference" symbol="kl">
              {measureText(update.kl.nats)} nats
            </Row>
          )}
          <Row term="weight" symbol="weight" words="Weight in the loss">
            {formatNumber(update.weight)}
          </Row>
          <Row term="push" words="Push, −∂L/∂log π" symbol="gradient">
            <Push gradient={update.gradient} />
          </Row>
        </>
      )}
      {facts.sampledEntropy !== null && (
        <Row term="entropy" words="Entropy when sampled" symbol="entropy">
          {measureText(facts.sampledEntropy)} nats
        </Row>
      )}
    </dl>
  );
}

export function ExplainedToken({ token }: { readonly token: TokenStory }) {
  const { facts, group, member, trajectory, story, update } = token;
  const phase = useSelection(({ explained }) => explained);
  const shown = showPiece(facts.piece);
  const [before, after] = chainTexts(facts);
  return (
    <aside className="explain-card stack content-start rule-above" aria-labelledby="explain-card-title">
      <h2 id="explain-card-title">
        <span className={`explain-piece mono token-is-${shown.kind}`}>{shown.text}</span>
        <span className="note">
          token {facts.index + 1} of {trajectory.tokens.length}, answer {member + 1}
        </span>
      </h2>
      {facts.oldLogprob === null ? (
        <p className="note">Inserted between two turns of the policy. The policy reads it but is not trained on it.</p>
      ) : (
        <dl className="explain-probabilities">
          <Probability name="when sampled" symbol="p-old" logSymbol="logp-old" logprob={facts.oldLogprob} text={before} />
          <Probability name="after the update" symbol="p-new" logSymbol="logp-new" logprob={facts.newLogprob} text={after} />
          {facts.refLogprob !== null && (
            <Probability name="reference" symbol="p-ref" logSymbol="logp-ref" logprob={facts.refLogprob} text={undefined} />
          )}
        </dl>
      )}
      <Figures token={token} />
      {update && (
        <p className="explain-clip note">
          <Term id="clip">Clip</Term> {clipReason(story.config, token)}
        </p>
      )}
      {facts.sampled && (
        <>
          <AlternativesTable
            group={group}
            trajectoryIndex={member}
            index={facts.index}
            updated={facts.lossWeight !== null}
            isOffered={offersAgain(phase, token)}
          />
          <Otherwise
            kind="algorithms"
            step={story.step}
            promptIndex={group.promptIndex}
            trajectoryIndex={member}
            tokenIndex={facts.index}
          />
        </>
      )}
    </aside>
  );
}
