// A conversation with a tool has tokens that the policy did not write. A real one from a small run of the
// calculator task, and the trainer's weights on each token with the mask and without.
import type { TrajectoryRecord } from "../../../protocol/records.ts";
import type { SmallPlan, SmallRuns } from "../../experiment/small/smallRun.ts";
import { pushesOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import { showPiece } from "../../step/tokens/drawing.ts";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const MEMBERS = 4;
const CONVERSATIONS = Array.from({ length: MEMBERS }, (_, i) => `Conversation ${i + 1}`);

/**
 * Pushes on the tokens of one conversation, minus the derivative of the loss by each log-probability; without the mask
 * all count as if the policy had written them.
 */
export function maskedPushes(
  { pieces, sampled, advantage }: Pick<TrajectoryRecord, "pieces" | "sampled" | "advantage">,
  isMasked: boolean,
) {
  const tokens = {
    advantages_K: sampled.map(() => advantage ?? 0),
    lengths: [pieces.length],
    mask_K: isMasked ? sampled : sampled.map(() => 1),
  };
  const { pushes_K } = pushesOf(tokens, settingsOf("grpo", { klCoef: 0 }));
  return pieces.map((piece, t) => ({ piece, isSampled: sampled[t] === 1, push: pushes_K[t]! }));
}

/** A conversation with a calculator, for the list of lessons. */
const EXAMPLE = {
  pieces: ["calculate", "(", "86", " - ", "67", ")", "tool", ": ", "19", "answer", ": ", "19"],
  sampled: [1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1],
  advantage: 1,
} as const;

const PLAN: SmallPlan = {
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
  },
  inspect: [1],
};

function stateOf({ member, mask }: Values, [run]: SmallRuns) {
  const group = run?.steps[0]?.groups[0];
  const members = group?.trajectories ?? [];
  const chosen = members[member! % Math.max(1, members.length)];
  const rows = (chosen ? maskedPushes(chosen, mask === 0) : []).map(({ piece, isSampled, push }) => ({
    piece,
    token: showPiece(piece).text,
    isSampled: Number(isSampled),
    by: isSampled ? "policy" : "environment",
    mask: isSampled || mask === 1 ? "1" : "0",
    push,
  }));
  const own = rows.filter(({ isSampled }) => isSampled === 1);
  const sizeOf = (tokens: typeof rows) => tokens.reduce((sum, { push }) => sum + Math.abs(push), 0);
  const inserted = rows.filter(({ isSampled }) => isSampled === 0);
  const size = sizeOf(rows);
  return {
    rows,
    prompt: group?.messages.findLast(({ role }) => role === "user")?.content ?? "",
    reward: String(chosen?.reward ?? "–"),
    advantage: chosen?.advantage ?? Number.NaN,
    push: own[0]?.push ?? Number.NaN,
    members: members.length,
    rewards: members.map(({ reward }) => reward ?? "–").join(", "),
    count: rows.length,
    written: own.length,
    inserted: inserted.length,
    /** Share of the push that lies on tokens the policy did not write. */
    foreign: size > 0 ? sizeOf(inserted) / size : 0,
  };
}

const NUMBERS = "Of the {count} tokens of the conversation in the figure the policy wrote {written}; the other {inserted} have mask 0.";

export const toolMask = defineLesson({
  id: "tool-mask",
  title: "Words the policy did not say",
  question: "When a tool answers in the middle of a conversation, its text becomes tokens like all others. Should they be trained?",
  minutes: 6,
  intro: `A small transformer of this page can call a calculator. Your run will sample one group of ${MEMBERS} conversations about one sum. The policy writes a call, the calculator's reply is **inserted**, and the policy goes on to its answer. All of it is one sequence of tokens.`,
  controls: [
    choiceControl("member", "Conversation", CONVERSATIONS, MEMBERS - 1),
    choiceControl("mask", "Inserted tokens are", ["masked", "trained like the rest"]),
  ],
  runs: () => [PLAN],
  state: stateOf,
  figureTitle: "One conversation of your run, token by token",
  figureHelp:
    "The tokens of one conversation: hatched ones were inserted, the others the policy wrote. Colour and edge show which way each is pushed.",
  figure: ({ rows, foreign }, { phase }) =>
    rows.length === 0
      ? ["The conversation will stand here. Its model is loaded first, a few megabytes."]
      : ["“{prompt}” Reward {reward}, advantage {advantage:+}.", { kind: "transcript", rows, foreign: phase >= 1 ? foreign : undefined }],
  picture: [
    {
      kind: "transcript",
      rows: maskedPushes(EXAMPLE, true).map(({ piece, isSampled, push }) => ({ piece, isSampled: Number(isSampled), push })),
      foreign: 0,
    },
  ],
  columns: { token: "token", "written by": "by", mask: "mask", push: "push:+" },
  answerColumns: ["mask", "push"],
  prediction: {
    question: `
      A conversation ends with a right answer and has a positive [[advantage]]. Which of its tokens does the trainer push up?
      - [ ] All tokens after the question: the tool's reply was part of the success.
        The reply helped, but the policy did not choose its words; the calculator did. Pushing them would train it to predict calculators. ${NUMBERS}
      - [ ] The final answer alone: only that was rewarded.
        The reward comes at the end, but it is the whole conversation's: without the call there would have been no answer. Every sampled token gets the same advantage. ${NUMBERS}
      - [x] Every token that the policy wrote: the call and the answer, not the reply.
        The gradient is that of the log-probability of what the policy did. The reply was done by the calculator. ${NUMBERS}`,
  },
  phases: [
    {
      title: "Who said what",
      loop: {
        at: ["env.step("],
        isInstead: true,
        note: "Here the trainer inserts the reply and samples on; the readable loop stops at one turn.",
      },
      text: "{written} of {count} tokens were sampled, among them the [[im_end|mark]] that ends a turn. The rest, hatched, came from the environment: the calculator's reply, and the marks around it that tell the model whose turn it is (`<|im_start|>` and so on: the chat template). The {members} conversations earned {rewards}.",
    },
    {
      title: "The mask",
      loop: {
        at: ["mask: tokens"],
        isInstead: true,
        note: "One turn is all the policy's own. With a reply in it, the trainer writes 0 at each inserted token.",
      },
      formula: {
        tex: String.raw`\begin{aligned} &\frac{1}{\sum_t \sym{m}{m_t}} \sum_t \sym{m}{m_t}\, c_t \\ &c_t = \min\bigl(\rho_t \hat A,\ \operatorname{clip}(\rho_t) \hat A\bigr) \\ &\sym{m}{m_t} = 1 \text{ where sampled} \\ &\sym{m}{m_t} = 0 \text{ where inserted} \end{aligned}`,
        spoken:
          "Sum over the tokens of the mask times the clipped objective, divided by the sum of the mask; the mask is one for sampled tokens and zero for inserted ones",
        symbols: { m: "mask, one where the policy sampled the token" },
      },
      text: "c_{t} is the clipped term of lesson 5. With the mask every written token has a push of {advantage:+} / {written} = {push:+}, every inserted one 0. (Lesson 7's 1/G, alike for all, is left out.) Inserted tokens are still read: the policy's next words depend on them.",
    },
    {
      title: "Without the mask",
      set: { mask: 1 },
      loop: { at: ["const weight", "const push"], note: "The loop would go over the inserted tokens as over all others." },
      text: "Count all tokens and **{foreign:%}** of the push lies on {inserted} tokens that the policy never sampled; each written one has {push:+} left. And the same push moves the weights more on a token that the policy finds unlikely (by 1 − π on its logit, lesson 1), as it may find much of what others write. Training on search results this way is known to make runs unstable.",
    },
    {
      title: "Tokens, not text",
      loop: { at: ["const tokens = own"], note: "The ids are kept as they were sampled; text is never encoded again." },
      text: "One more trap: keep the tokens' numbers as they were sampled. A policy may have said 19 as two tokens, “1” and “9”, where text that is encoded again gets one token “19”. That has another probability for the same words, and the ratio of lesson 5 is wrong from the first step. The trainer here never encodes again.",
    },
  ],
  play: "Go through the four conversations, with the mask and without. Which of them have the same push on each token? Why not all of them?",
  transfer: `
    Your agent pastes a web page of 2,000 tokens into a conversation and then writes 50 tokens of answer. You train without a mask, averaging over all tokens of the conversation. What happens?
    - [ ] Little: the page's tokens have the same advantage, so they cancel.
      The same advantage on each is a push in the same direction, up or down, on all of them.
    - [x] Nearly all of the gradient is about the web page, and the answer's share is about 2 %.
      2,000 of 2,050 tokens carry the push, and the average divides the answer's part by 2,050.
    - [ ] It helps: the policy learns what the web says.
      It would imitate pages of conversations that happened to be rewarded, and be pushed away from the others.`,
  sources: [
    "[Jin et al. 2025, Search-R1 (loss masking of retrieved tokens)](https://arxiv.org/abs/2503.09516)",
    "[TRL, a trainer for language models: GRPOTrainer (tool masks)](https://huggingface.co/docs/trl/grpo_trainer)",
  ],
  inLoop: {
    tokens: "{count}, of which the policy wrote {written}",
    mask: "1 at {written} tokens, 0 at {inserted}",
    env: "answers with {inserted} tokens",
    A: "{advantage:+}",
    push: "{foreign:%} of it on tokens that were inserted",
  },
  train: () => ({ preset: "calculator" }),
});
