// What moved a token, on demand: the update is taken once more on a copy, and its change is told in shares, with the tokens and
// answers of the batch whose push reached it.
import { type ReactNode, useEffect, useState } from "react";
import { useStore } from "zustand";
import type { Attribution } from "../../../../protocol/asked.ts";
import { signedMeasureText, signedMeasureWith } from "../../../../protocol/quantities.ts";
import type { ExplainedPhase } from "../../../engine/store/selection.ts";
import { useQuestion } from "../../../engine/store/useQuestion.ts";
import { useRunView, useSelect } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Signed, SignedBar } from "../../../kit/controls/Signed.tsx";
import { ProgressLine } from "../../../kit/controls/States.tsx";
import { Table } from "../../../kit/lists/Table.tsx";
import { asShown, handDigits } from "../../../kit/words/arithmetic.ts";
import { repeater } from "../../again/stepRepeater.ts";
import { TakeAgain, useRepetition } from "../../again/TakeAgain.tsx";
import { showPiece } from "../../tokens/drawing.ts";
import { answerTexts } from "../group/GroupTable.tsx";
import type { TokenStory } from "../story/story.ts";
import { movedQuestion, movedSentence, type ShareLine, shareLines } from "./sharesOf.ts";

interface ShareRowProps {
  readonly name: ReactNode;
  readonly nats: number;
  readonly most: number;
  readonly decimals?: number;
}

function ShareRow({ name, nats, most, decimals }: ShareRowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <span className="explain-signed grid items-center gap-1">
          <SignedBar value={nats} most={most} />
          <Signed value={nats} show={(value) => signedMeasureWith(value, decimals)} />
        </span>
      </td>
    </tr>
  );
}

function Shares({ lines, change }: { readonly lines: readonly ShareLine[]; readonly change: number }) {
  const most = Math.max(1e-9, Math.abs(change), ...lines.map(({ nats }) => Math.abs(nats)));
  const { of, result, sign } = handDigits(change, (decimals) => lines.reduce((sum, { nats }) => sum + asShown(nats, decimals), 0));
  return (
    <Table className="explain-moved-shares" frame={null} caption="The parts of the change, in nats">
      {lines.map(({ id, title, nats }) => (
        <ShareRow key={id} name={title} nats={nats} most={most} decimals={of} />
      ))}
      <ShareRow name={<b>Together{sign === "≈" && ", roughly"}: the change</b>} nats={change} most={most} decimals={result} />
    </Table>
  );
}

/** Whose push it was: a token's, or all of an answer's. */
interface Pusher {
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly tokenIndex: number | null;
  readonly nats: number;
}

/** The tokens and answers whose push did most; pressing one explains it. */
function Named({ found, token }: { readonly found: Attribution; readonly token: TokenStory }) {
  const select = useSelect();
  const { groups } = token.story.step;
  const most = Math.max(1e-9, ...[...found.tokens, ...found.answers].map(({ nats }) => Math.abs(nats)));
  const where = (promptIndex: number, member: number) =>
    `${promptIndex === token.group.promptIndex ? "" : `prompt ${promptIndex + 1}, `}answer ${member + 1}`;
  const textOf = (promptIndex: number, member: number) => {
    const group = groups.find((each) => each.promptIndex === promptIndex);
    return group ? (answerTexts(group)[member] ?? "") : "";
  };
  const row = ({ promptIndex, trajectoryIndex, tokenIndex, nats }: Pusher, text: ReactNode, said: string) => (
    <ShareRow
      key={`${promptIndex} ${trajectoryIndex} ${tokenIndex}`}
      most={most}
      nats={nats}
      name={
        <button type="button" className="explain-answer wrap-anywhere" onClick={() => select({ promptIndex, trajectoryIndex, tokenIndex })}>
          {text} <span className="note">{said}</span>
        </button>
      }
    />
  );
  return (
    <>
      <Table className="explain-moved-shares" frame={null} caption="Tokens whose push moved it most" isCaptioned>
        {found.tokens.map((each) =>
          row(
            each,
            <span className="mono explain-moved-piece rounded">{showPiece(each.piece).text}</span>,
            `token ${each.tokenIndex + 1}, ${where(each.promptIndex, each.trajectoryIndex)}, A ${signedMeasureText(each.advantage)}`,
          ),
        )}
      </Table>
      {found.answers.length > 0 && (
        <Table className="explain-moved-shares" frame={null} caption="Answers whose pushes moved it most" isCaptioned>
          {found.answers.map((each) =>
            row(
              { ...each, tokenIndex: null },
              <span className="mono">{textOf(each.promptIndex, each.trajectoryIndex)}</span>,
              where(each.promptIndex, each.trajectoryIndex),
            ),
          )}
        </Table>
      )}
    </>
  );
}

function Result({ found, token }: { readonly found: Attribution; readonly token: TokenStory }) {
  const { config } = token.story;
  return (
    <>
      <p className="explain-reason">{movedSentence(found, config)}</p>
      {found.from === "now" && (
        <p className="note">
          Measured with the present weights, because those that sampled this step are gone. The change therefore differs from the recorded
          one.
        </p>
      )}
      <Shares lines={shareLines(found, config)} change={found.change} />
      <Named found={found} token={token} />
    </>
  );
}

/** Whether a phase asks what moved the token, and offers to take the step again where its weights are gone. */
export function offersAgain(phase: ExplainedPhase, { facts }: TokenStory): boolean {
  return phase === "after" && facts.sampled;
}

/** What is asked of the engine: only the newest step has its weights there, or one that was taken again. */
export function WhatMoved({ token }: { readonly token: TokenStory }) {
  const { facts, group, member, story } = token;
  const { step } = story.step;
  const { groups } = useRunView();
  const isAgain = useRepetition(step)?.stage === "there";
  // What was asked before the step was taken again is answered then.
  const [asked, setAsked] = useState<string | null>(null);
  const [isFromNow, setFromNow] = useState(false);
  const place = `${step} ${group.promptIndex} ${member} ${facts.index}`;
  if (story.config.backend === "tinker")
    return (
      <p className="note">
        The page cannot find out what moved this token. That needs the gradient of its log-prob and the weights of this run, and the server
        shows neither.
      </p>
    );
  const isKept = groups.isKept(step);
  const gone = (
    <>
      <p className="note">
        The weights that sampled step {step} are gone. Taken again, the step tells what moved this token
        {isKept ? "." : ". Measured with the present weights, the change differs from the recorded one."}
      </p>
      <TakeAgain step={step} onTake={() => setAsked(place)} />
      {!isKept && (
        <Button kind="quiet" onPress={() => setFromNow(true)}>
          Measure with the present weights
        </Button>
      )}
    </>
  );
  const hasWeights = isAgain || (!isKept && !story.step.isPast && step === groups.latestStep);
  return (
    <section className="explain-moved stack rule-above" aria-labelledby="explain-moved-title">
      <h3 id="explain-moved-title">{questionOf(token)}</h3>
      {hasWeights || isFromNow ? (
        <Asked
          key={`${place} ${isAgain}`}
          token={token}
          isAtOnce={(isAgain && asked === place) || (!isAgain && isFromNow)}
          gone={isFromNow || isAgain ? null : gone}
        />
      ) : (
        gone
      )}
    </section>
  );
}

function questionOf({ facts, update }: TokenStory): string {
  const change = facts.newLogprob === null || facts.oldLogprob === null ? null : facts.newLogprob - facts.oldLogprob;
  return movedQuestion(0 - (update?.gradient ?? 0), change);
}

interface AskedProps {
  readonly token: TokenStory;
  readonly isAtOnce: boolean;
  /** In the place of an answer that is from other weights than the step's. */
  readonly gone: ReactNode;
}

function Asked({ token, isAtOnce, gone }: AskedProps) {
  const { facts, group, member, story } = token;
  const engine = repeater.engineOf(story.step.step);
  const asking = useStore(engine.view.facts, (run) => run.asking);
  const { answer, problem, isWaiting, ask } = useQuestion(() =>
    engine.request({
      type: "attribution",
      step: story.step.step,
      promptIndex: group.promptIndex,
      trajectoryIndex: member,
      tokenIndex: facts.index,
    }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each token
  useEffect(() => {
    if (isAtOnce) ask();
  }, []);
  return (
    <>
      {!answer && !isWaiting && (
        <p className="note">
          This is measured on a copy, and the run stays as it is. The copy takes the update once more and compares the gradient of this
          token’s log-prob with the push of every other token.
        </p>
      )}
      <div className="actions">
        <Button isResting={isWaiting} onPress={() => ask()}>
          {isWaiting ? "Measuring on a copy …" : answer ? "Measure again" : "Measure what moved it"}
        </Button>
      </div>
      {isWaiting && <ProgressLine label="Measuring what moved it" percent={asking ? (asking.done / asking.total) * 100 : 0} />}
      <div role="status">{problem && <p className="note">This cannot be measured: {problem}.</p>}</div>
      {answer && !problem && (answer.from === "now" && gone ? gone : <Result found={answer} token={token} />)}
    </>
  );
}
