// Ask the model: a prompt of one's own, or a held-out problem, answered greedily and by samples with the
// weights that the run began with and with those of now, side by side. The run is not disturbed.

import { type FormEvent, useEffect, useState } from "react";
import type { AskedAnswer, AskedAnswers } from "../../../protocol/asked.ts";
import { counted, shareText } from "../../../protocol/quantities.ts";
import { engine } from "../../engine/client.ts";
import { useQuestion } from "../../engine/store/useQuestion.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { RightMark } from "../../kit/controls/Signed.tsx";
import { changeAsk, useDialog } from "../../kit/dialog/dialogStore.ts";
import { Term } from "../../kit/words/Term.tsx";
import { showPiece } from "../../step/tokens/drawing.ts";
import { hasMarkup, readableText } from "../../step/tokens/readable.ts";
import { answerProbability, countedAnswers, judgedText, rightText } from "./answers.ts";
import "./ask.css";

/** Answers drawn of each set of weights. */
const SAMPLES = 8;

interface AnswerProps {
  readonly answer: AskedAnswer;
}

/** Tokens with the probability of each below it. */
function AnswerTokens({ answer }: AnswerProps) {
  const tokens = answer.pieces.map((piece, t) => ({ t, shown: showPiece(piece), probability: answer.probabilities[t]! }));
  return tokens.map(({ t, shown, probability }) => (
    <span key={t} className="asked-token items-center sunken rounded">
      <span className={`mono token-is-${shown.kind}`}>{shown.text}</span>
      <span className="asked-p soft">{shareText(probability)}</span>
    </span>
  ));
}

/** What was said; its tokens at once where they can be read as they are, and on demand where a template is among them. */
function Answer({ answer }: AnswerProps) {
  const isMarked = hasMarkup(answer.pieces);
  return (
    <span className="asked-answer line min-w-0">
      {isMarked ? (
        <span className="asked-said mono wrap-anywhere">{readableText(answer.pieces).trim() || "∅"}</span>
      ) : (
        <AnswerTokens answer={answer} />
      )}
      {!answer.isComplete && <span className="note">cut off</span>}
      {answer.isRight !== null && <RightMark isRight={answer.isRight} className="asked-mark" />}
      {isMarked && (
        <details className="asked-tokens">
          <summary className="note">
            {counted(answer.pieces.length, "token")}, {shareText(answerProbability(answer))} in all
          </summary>
          <span className="line">
            <AnswerTokens answer={answer} />
          </span>
        </details>
      )}
    </span>
  );
}

function Answers({ title, answers }: { readonly title: string; readonly answers: AskedAnswers | null }) {
  return (
    <section className="asked-side grid content-start min-w-0">
      <h3>{title}</h3>
      {answers ? (
        <>
          <p className="note">
            <Term id="greedy">Greedy</Term>: the likeliest token each time,{" "}
            <span className="asked-all">{shareText(answerProbability(answers.greedy))} in all</span>
          </p>
          <Answer answer={answers.greedy} />
          <p className="note">
            {answers.samples.length} <Term id="sampled">samples</Term>, as training draws them{rightText(answers.samples)}
          </p>
          <ol className="asked-samples">
            {countedAnswers(answers.samples).map(({ answer, count }) => (
              <li key={answer.pieces.join("\u0000")}>
                <span className="text-end aside">{count}×</span>
                <Answer answer={answer} />
              </li>
            ))}
          </ol>
        </>
      ) : (
        <p className="note">This run began with the weights of another run, and its save does not hold them.</p>
      )}
    </section>
  );
}

const question = (prompt: string) => engine.request({ type: "ask", samples: SAMPLES, ...(prompt === "" ? {} : { prompt }) });

export function AskPanel() {
  const [prompt, setPrompt] = useState("");
  const { answer: asked, problem, isWaiting, ask } = useQuestion(question);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    if (!useDialog.getState().ask.asksAtOnce) return;
    changeAsk({ asksAtOnce: false });
    ask("");
  }, []);
  const isTable = useRun((run) => run.config?.model === "tabular");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(prompt.trim());
  };
  return (
    <div className="ask grid">
      <form className="ask-form" onSubmit={submit}>
        <label className="aside" htmlFor="ask-prompt">
          {isTable ? "A logits table reads no prompt: it always answers the same." : "Prompt (empty asks a held-out problem)"}
        </label>
        <div className="mt-half flex gap-1">
          <input
            id="ask-prompt"
            className="ask-input min-w-0 on-surface rounded"
            value={prompt}
            disabled={isTable}
            maxLength={4000}
            autoComplete="off"
            onChange={(event) => setPrompt(event.target.value)}
          />
          <Button onPress={() => ask(prompt.trim())} isResting={isWaiting}>
            {isWaiting ? "Asking …" : "Ask"}
          </Button>
        </div>
      </form>
      <div aria-live="polite">
        {problem && <p className="config-status">{problem}</p>}
        {asked && (
          <>
            <p className="wrap-anywhere large">“{asked.messages.findLast(({ role }) => role === "user")?.content}”</p>
            <p className="note ask-judged">{judgedText(asked)}</p>
            <div className="asked grid">
              <Answers title="At the start" answers={asked.step === 0 ? asked.now : asked.start} />
              {asked.step > 0 && <Answers title={`Now, after step ${asked.step}`} answers={asked.now} />}
            </div>
          </>
        )}
      </div>
    </div>
  );
}
