// What a judge's model is asked: the log-probs of the answers of a scale behind each prompt, in one pass of scoring, or
// what it writes. Prompts go in batches of a bounded number of rows, between which others are let in.
import type { PackedBatch } from "../../model/backend.ts";
import type { NamedJudge } from "../../protocol/custom/judges.ts";
import { type JudgeInput, type JudgeVerdict, judgeMessages, readScale, readWritten } from "../../rl/judge/judge.ts";
import { Random } from "../../rl/random.ts";
import { generate } from "../../rl/rollout/generator.ts";
import type { EnvBuilder, Example, Message } from "../../rl/types.ts";
import { packGroups } from "../step/update/batch.ts";
import { answerTokens, BATCH_ROWS, type JudgeModel, packScale, sharedBeginning, WRITTEN_AT_ONCE } from "./judgeModel.ts";

/** Verdicts, and how many rows the model computed for them. */
interface AskedVerdicts {
  readonly verdicts: readonly JudgeVerdict[];
  readonly tokens: number;
}
type Asking = (model: JudgeModel, judge: NamedJudge, inputs: readonly JudgeInput[], pause: () => Promise<void>) => Promise<AskedVerdicts>;

/** Texts that fill the places of a prompt, to see what stands before the first. */
const [ONE, OTHER]: readonly [JudgeInput, JudgeInput] = [
  { question: "a", answer: "a", text: "a", conversation: "a", messages: [{ role: "user", content: "a" }] },
  { question: "7", answer: "7", text: "7", conversation: "7", messages: [{ role: "user", content: "7" }] },
];

/** The prompt as the model reads it. */
export function judgePrompt({ renderer }: Pick<JudgeModel, "renderer">, judge: NamedJudge, input: JudgeInput): readonly number[] {
  return renderer.renderPrompt({ messages: judgeMessages(judge, input) });
}

const startsWith = (tokens: readonly number[], prefix: readonly number[]): boolean =>
  tokens.length > prefix.length && prefix.every((token, i) => tokens[i] === token);

const isPrefix = (a: readonly number[], b: readonly number[]): boolean =>
  a !== b && a.length <= b.length && a.every((token, i) => b[i] === token);

/** The scale's answers as ids. Where one is how another begins, what ends a turn tells them apart, and all are scored with it. */
function scaleTokens({ scale }: NamedJudge, { renderer }: JudgeModel): readonly (readonly number[])[] {
  const answers = Object.keys(scale).map((answer) => answerTokens(answer, renderer));
  const isAmbiguous = answers.some((a) => answers.some((b) => isPrefix(a, b)));
  return isAmbiguous ? answers.map((answer) => [...answer, renderer.stopTokens[0]!]) : answers;
}

interface Placed {
  /** Its place among what is asked. */
  readonly at: number;
  readonly tokens: readonly number[];
}

/** Runs of prompts whose rows fit a batch; one that does not is by itself. */
function cutBatches(placed: readonly Placed[], rowsOf: (one: Placed) => number): readonly (readonly Placed[])[] {
  const batches: Placed[][] = [];
  let rows = 0;
  for (const one of placed) {
    const own = rowsOf(one);
    if (batches.length === 0 || rows + own > BATCH_ROWS) {
      batches.push([]);
      rows = 0;
    }
    batches.at(-1)!.push(one);
    rows += own;
  }
  return batches;
}

interface Scored {
  readonly logprobs: readonly (readonly number[])[];
  readonly tokens: number;
}

async function score(
  { backend }: JudgeModel,
  batch: PackedBatch,
  texts: number,
  sum: (scores_K: Float32Array, text: number) => readonly number[],
) {
  const { logprobs_K } = await backend.score(batch, "policy");
  return { logprobs: Array.from({ length: texts }, (_, q) => sum(logprobs_K, q)), tokens: batch.tokens_N.length };
}

/** Answers of one token: read off the last row of each prompt. */
function scoreTokens(
  model: JudgeModel,
  prompts: readonly (readonly number[])[],
  prefix: readonly number[],
  targets: readonly number[],
): Promise<Scored> {
  const batch = packScale({ prefix, texts_Q: prompts.map((tokens) => tokens.slice(prefix.length)), targets });
  return score(model, batch, prompts.length, (scores_K, q) => Array.from(scores_K.subarray(q * targets.length, (q + 1) * targets.length)));
}

/** Longer answers: each stands behind the prompt, and its tokens' log-probs are summed. */
function scoreAnswers(
  model: JudgeModel,
  prompts: readonly (readonly number[])[],
  answers: readonly (readonly number[])[],
): Promise<Scored> {
  const batch = packGroups(
    prompts.map((promptTokens) => ({ promptTokens, completions: answers })),
    1,
  );
  const { sequenceStart_Q } = batch;
  return score(model, batch, prompts.length, (scores_K, q) =>
    answers.map((_, a) => {
      const sequence = q * answers.length + a;
      return scores_K.subarray(sequenceStart_Q[sequence]!, sequenceStart_Q[sequence + 1]!).reduce((sum, each) => sum + each, 0);
    }),
  );
}

const tooLong = (length: number, most: number): JudgeVerdict => ({
  reason: `its prompt must have at most ${most} tokens with this model, got ${length}`,
});

const askScale: Asking = async (model, judge, inputs, pause) => {
  const answers = scaleTokens(judge, model);
  const targets = answers.map((answer) => answer[0]!);
  const isShort = answers.every(({ length }) => length === 1);
  const longest = answers.reduce((most, { length }) => Math.max(most, length), 0);
  const most = model.backend.config.maxPositions - longest;
  const verdicts: JudgeVerdict[] = inputs.map(() => ({ reason: "was not asked" }));
  const prefix = isShort ? sharedBeginning(judgePrompt(model, judge, ONE), judgePrompt(model, judge, OTHER)) : [];
  const [shared, alone]: [Placed[], Placed[]] = [[], []];
  for (const [at, input] of inputs.entries()) {
    const tokens = judgePrompt(model, judge, input);
    if (tokens.length > most) verdicts[at] = tooLong(tokens.length, most);
    else (prefix.length > 0 && startsWith(tokens, prefix) ? shared : alone).push({ at, tokens });
  }
  let tokens = 0;
  const ask = async (batch: readonly Placed[], scored: (prompts: readonly (readonly number[])[]) => Promise<Scored>) => {
    const found = await scored(batch.map((one) => one.tokens));
    tokens += found.tokens;
    for (const [i, { at }] of batch.entries()) verdicts[at] = readScale(judge, found.logprobs[i]!);
    await pause();
  };
  for (const batch of cutBatches(shared, (one) => one.tokens.length - prefix.length))
    await ask(batch, (prompts) => scoreTokens(model, prompts, prefix, targets));
  const extra = answers.reduce((rows, { length }) => rows + length - 1, 0);
  for (const batch of cutBatches(alone, (one) => one.tokens.length + extra))
    await ask(batch, (prompts) => (isShort ? scoreTokens(model, prompts, [], targets) : scoreAnswers(model, prompts, answers)));
  return { verdicts, tokens };
};

/** An environment of one turn. */
function oneTurn(messagesOf: (example: Example) => readonly Message[]): EnvBuilder {
  return { build: (example) => ({ start: () => ({ messages: messagesOf(example) }), step: () => null }) };
}

const askWords: Asking = async (model, judge, inputs, pause) => {
  const { backend, renderer } = model;
  const most = backend.config.maxPositions - judge.maxTokens;
  const verdicts: JudgeVerdict[] = inputs.map((input) => tooLong(judgePrompt(model, judge, input).length, most));
  const fitting = inputs.flatMap((input, at) => (judgePrompt(model, judge, input).length <= most ? [{ at, input }] : []));
  let tokens = 0;
  for (let first = 0; first < fitting.length; first += WRITTEN_AT_ONCE) {
    const some = fitting.slice(first, first + WRITTEN_AT_ONCE);
    const examples = some.map(({ at, input }): Example => ({ id: String(at), messages: judgeMessages(judge, input), answer: "" }));
    const groups = await generate({ policy: backend, envs: oneTurn(({ messages }) => messages), renderer }, examples, {
      copies: 1,
      maxTurns: 1,
      maxNewTokens: judge.maxTokens,
      random: new Random(0),
      temperature: 0,
      topK: 0,
      topP: 1,
      minP: 0,
    });
    for (const [i, { trajectories }] of groups.entries()) {
      const { promptTokens, tokens: said, messages } = trajectories[0]!;
      tokens += promptTokens.length + said.length;
      verdicts[some[i]!.at] = readWritten(judge, messages.findLast(({ role }) => role === "assistant")?.content ?? "");
    }
    await pause();
  }
  return { verdicts, tokens };
};

/** Asks a model; one verdict for each input, in order. */
export const askJudge: Asking = (model, judge, inputs, pause) =>
  (judge.read === "written" ? askWords : askScale)(model, judge, inputs, pause);
