// Lesson 10: a conversation with a tool has tokens that the policy did not write. A real one from a small run of the
// calculator task, and the trainer's weights on each token with the mask and without.
import { shareText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { TrajectoryRecord } from "../../../protocol/records.ts";
import type { LabPlan, LabRuns } from "../../experiment/lab/labRun.ts";
import { objectiveOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import { Term } from "../../kit/words/Term.tsx";
import { showPiece } from "../../step/tokens/drawing.ts";
import { choiceControl, defineLesson, oneOf, type Values, verdictOn } from "../lesson/lesson.ts";

const MEMBERS = 4;
const CONVERSATIONS = Array.from({ length: MEMBERS }, (_, i) => `Conversation ${i + 1}`);

/** Pushes on the tokens of one conversation, minus the derivative of the loss by each log-probability; without the mask all count as if the policy had written them. */
export function maskedPushes(
  { pieces, sampled, advantage }: Pick<TrajectoryRecord, "pieces" | "sampled" | "advantage">,
  isMasked: boolean,
) {
  const settings = settingsOf("grpo", { klCoef: 0 });
  const zeros = new Float64Array(pieces.length);
  const mask_K = isMasked ? sampled : sampled.map(() => 1);
  const advantages_K = sampled.map(() => advantage);
  const { gradLogprobs_K } = objectiveOf(
    { advantages_K, logprobs_K: zeros, oldLogprobs_K: zeros, lengths: [pieces.length], mask_K },
    settings,
  );
  return pieces.map((piece, t) => ({ piece, isSampled: sampled[t] === 1, push: gradLogprobs_K[t] === 0 ? 0 : -gradLogprobs_K[t]! }));
}

type MaskedToken = ReturnType<typeof maskedPushes>[number];

const PLAN: LabPlan = {
  config: {
    task: "calculator",
    taskOptions: { operations: 1 },
    algorithm: "grpo",
    promptsPerStep: 1,
    groupSize: MEMBERS,
    steps: 1,
    learningRate: 5e-4,
    klCoef: 0,
    measureUpdate: false,
    evalProblems: 1,
    evalSamples: 1,
  },
  inspect: [1],
};

function stateOf({ member, mask }: Values, [run]: LabRuns) {
  const group = run?.steps[0]?.groups[0];
  const members = group?.trajectories ?? [];
  const chosen = members[member! % Math.max(1, members.length)] ?? null;
  const tokens = chosen ? maskedPushes(chosen, mask === 0) : [];
  const total = tokens.reduce((sum, { push }) => sum + Math.abs(push), 0);
  const foreign = tokens.reduce((sum, { push, isSampled }) => sum + (isSampled ? 0 : Math.abs(push)), 0);
  return {
    prompt: group?.messages.findLast(({ role }) => role === "user")?.content ?? "",
    members,
    chosen,
    tokens,
    written: tokens.filter(({ isSampled }) => isSampled).length,
    /** Share of the push that lies on tokens the policy did not write. */
    foreign: total > 0 ? foreign / total : 0,
  };
}

/** Stretches of tokens by one hand. */
function stretches(tokens: readonly MaskedToken[]): readonly (readonly MaskedToken[])[] {
  const all: MaskedToken[][] = [];
  for (const token of tokens) {
    const last = all.at(-1);
    if (last?.[0]?.isSampled === token.isSampled) last.push(token);
    else all.push([token]);
  }
  return all;
}

/** A conversation, token by token: what the policy wrote with its push, what was inserted hatched. */
function Transcript({ tokens, isJudged }: { readonly tokens: readonly MaskedToken[]; readonly isJudged: boolean }) {
  return stretches(tokens).map((stretch, s) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no names, and never move
    <p key={s} className="transcript mono">
      {stretch.map(({ piece, isSampled, push }, t) => {
        const { text, kind, spoken } = showPiece(piece);
        const way = !isJudged || push === 0 ? "" : push > 0 ? "token-up" : "token-down";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names, and never move
          <span key={t} className={`transcript-token ${way}`} data-inserted={!isSampled || undefined}>
            {text === piece || kind === "mark" ? piece : <span title={spoken}>{text}</span>}
          </span>
        );
      })}
    </p>
  ));
}

/** What the underlines mean. */
function Underlines() {
  return (
    <>
      {" "}
      <span className="transcript-token token-up">Blue</span>: pushed up, <span className="transcript-token token-down">double</span>: down.
    </>
  );
}

export const toolMask = defineLesson({
  id: "tool-mask",
  title: "Words the policy did not say",
  question: "When a tool answers in the middle of a conversation, its text becomes tokens like all others. Should they be trained?",
  minutes: 6,
  intro: (
    <p>
      A small transformer of this page can call a calculator. Your run will sample one group of {MEMBERS} conversations about one sum. The
      policy writes a call, the calculator's reply is <b>inserted</b>, and the policy goes on to its answer. All of it is one sequence of
      tokens.
    </p>
  ),
  controls: [
    choiceControl("member", "Conversation", CONVERSATIONS, MEMBERS - 1),
    choiceControl("mask", "Inserted tokens are", ["masked", "trained like the rest"]),
  ],
  runs: () => [PLAN],
  state: stateOf,
  figureTitle: "One conversation of your run, token by token",
  figure: ({ prompt, chosen, tokens, foreign }, { phase }) =>
    chosen === null ? (
      <p>The conversation will stand here. Its model is loaded first, a few megabytes.</p>
    ) : (
      <>
        <p>
          “{prompt}” Reward {chosen.reward ?? "–"}, advantage {signedMeasureText(chosen.advantage)}.
        </p>
        <Transcript tokens={tokens} isJudged={phase >= 1} />
        <p className="fine-print">
          <span className="transcript-token" data-inserted="">
            hatched
          </span>{" "}
          inserted{phase >= 1 && `, ${shareText(foreign)} of the push`}.{phase >= 1 && <Underlines />}
        </p>
      </>
    ),
  table: ({ tokens }, { mask }) => ({
    head: ["token", "written by", "mask", "push"],
    rows: tokens.map(({ piece, isSampled, push }) => [
      showPiece(piece).text,
      isSampled ? "policy" : "environment",
      isSampled || mask === 1 ? "1" : "0",
      signedMeasureText(push),
    ]),
  }),
  answerColumns: ["mask", "push"],
  prediction: {
    text: (
      <p>
        A conversation ends with a right answer and has a positive <Term id="advantage">advantage</Term>. Which of its tokens does the
        trainer push up?
      </p>
    ),
    ask: oneOf([
      "All tokens after the question: the tool's reply was part of the success.",
      "The final answer alone: only that was rewarded.",
      "Every token that the policy wrote: the call and the answer, not the reply.",
    ]),
  },
  judge: (answer, { tokens, written }) => {
    const numbers = `Of the ${tokens.length} tokens of the conversation in the figure the policy wrote ${written}; the other ${tokens.length - written} have mask 0.`;
    const reasons = [
      "The reply helped, but the policy did not choose its words; the calculator did. Pushing them would train it to predict calculators.",
      "The reward comes at the end, but it is the whole conversation's: without the call there would have been no answer. Every sampled token gets the same advantage.",
      "The gradient is that of the log-probability of what the policy did. The reply was done by the calculator.",
    ];
    return verdictOn(answer, 2, reasons, numbers);
  },
  phases: [
    {
      title: "Who said what",
      text: ({ tokens, written, members }) => (
        <p>
          {written} of {tokens.length} tokens were sampled, among them the <Term id="im_end">mark</Term> that ends a turn. The rest,
          hatched, came from the environment: the calculator's reply, and the marks around it that tell the model whose turn it is (
          <span className="mono">&lt;|im_start|&gt;</span> and so on: the chat template). The {members.length} conversations earned{" "}
          {members.map(({ reward }) => reward ?? "–").join(", ")}.
        </p>
      ),
    },
    {
      title: "The mask",
      formula: () => ({
        tex: String.raw`\begin{aligned} &\frac{1}{\sum_t \sym{m}{m_t}} \sum_t \sym{m}{m_t}\, c_t \\ &c_t = \min\bigl(\rho_t \hat A,\ \operatorname{clip}(\rho_t) \hat A\bigr) \\ &\sym{m}{m_t} = 1 \text{ where sampled} \\ &\sym{m}{m_t} = 0 \text{ where inserted} \end{aligned}`,
        spoken:
          "Sum over the tokens of the mask times the clipped objective, divided by the sum of the mask; the mask is one for sampled tokens and zero for inserted ones",
        symbols: { m: "mask, one where the policy sampled the token" },
      }),
      text: ({ tokens, chosen, written }) => (
        <p>
          c<sub>t</sub> is the clipped term of lesson 5. With the mask every written token has a push of{" "}
          {signedMeasureText(chosen?.advantage ?? Number.NaN)} / {written} ={" "}
          {signedMeasureText(tokens.find(({ isSampled }) => isSampled)?.push ?? Number.NaN)}, every inserted one 0. (Lesson 7's 1/G, alike
          for all, is left out.) Inserted tokens are still read: the policy's next words depend on them.
        </p>
      ),
    },
    {
      title: "Without the mask",
      set: { mask: 1 },
      text: ({ foreign, written, tokens }) => (
        <p>
          Count all tokens and <b>{shareText(foreign)}</b> of the push lies on {tokens.length - written} tokens that the policy never
          sampled; each written one has {signedMeasureText(tokens.find(({ isSampled }) => isSampled)?.push ?? Number.NaN)} left. And the
          same push moves the weights more on a token that the policy finds unlikely (by 1 − π on its logit, lesson 1), as it may find much
          of what others write. Training on search results this way is known to make runs unstable.
        </p>
      ),
    },
    {
      title: "Tokens, not text",
      text: () => (
        <p>
          One more trap: keep the tokens' numbers as they were sampled. A policy may have said 19 as two tokens, “1” and “9”, where text
          that is encoded again gets one token “19”. That has another probability for the same words, and the ratio of lesson 5 is wrong
          from the first step. The trainer here never encodes again.
        </p>
      ),
    },
  ],
  play: <p>Go through the four conversations, with the mask and without. Which have the same push on each token, and why not all?</p>,
  transfer: {
    text: "Your agent pastes a web page of 2,000 tokens into a conversation and then writes 50 tokens of answer. You train without a mask, averaging over all tokens of the conversation. What happens?",
    options: [
      {
        text: "Little: the page's tokens have the same advantage, so they cancel.",
        reason: "The same advantage on each is a push in the same direction, up or down, on all of them.",
      },
      {
        text: "Nearly all of the gradient is about the web page, and the answer's share is about 2 %.",
        isRight: true,
        reason: "2,000 of 2,050 tokens carry the push, and the average divides the answer's part by 2,050.",
      },
      {
        text: "It helps: the policy learns what the web says.",
        reason: "It would imitate pages of conversations that happened to be rewarded, and be pushed away from the others.",
      },
    ],
  },
  sources: [
    { text: "Jin et al. 2025, Search-R1 (loss masking of retrieved tokens)", href: "https://arxiv.org/abs/2503.09516" },
    { text: "TRL, a trainer for language models: GRPOTrainer (tool masks)", href: "https://huggingface.co/docs/trl/grpo_trainer" },
  ],
  inLoop: ({ tokens, written, chosen, foreign }) => ({
    tokens: `${tokens.length}, of which the policy wrote ${written}`,
    mask: `1 at ${written} tokens, 0 at ${tokens.length - written}`,
    env: `answers with ${tokens.length - written} tokens`,
    A: signedMeasureText(chosen?.advantage ?? Number.NaN),
    push: `${shareText(foreign)} of it on tokens that were inserted`,
  }),
  train: () => ({ preset: "calculator" }),
});
