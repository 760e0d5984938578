// A judge as a part of a reward: its prompt filled in from a conversation, and its answer read as a number. Where a scale
// is given the number is the expectation over the probabilities that the judge gives to the scale's answers, found in one
// scoring pass as in G-Eval (Liu et al. 2023, arXiv 2303.16634), which samples for what is exact here.

import type { RunConfig } from "../../protocol/config.ts";
import { JUDGE_PLACES, type Judge, type JudgedFrom, type NamedJudge } from "../../protocol/custom/judges.ts";
import { type Problem, showValue } from "../../protocol/problems.ts";
import { exp } from "../exactMath.ts";
import { type Judged, judgedOf, oneAnswer } from "../rewards/rewardRule.ts";
import type { Failure, Message, Rollout } from "../types.ts";

/** What a judge is asked about, and what fills its prompt. */
export interface JudgeInput {
  readonly question: string;
  readonly answer: string;
  readonly text: string;
  readonly conversation: string;
  readonly messages: readonly Message[];
}

/** A judge's number and what it was read from, or why there is none. */
export type JudgeVerdict = ({ readonly value: number } & JudgedFrom) | Failure;

/** Asks judges' models; one verdict for each input, in order. Never rejects. */
export interface Judging {
  judge(judge: NamedJudge, inputs: readonly JudgeInput[]): Promise<readonly JudgeVerdict[]>;
}

const toldMessage = ({ role, content, toolCalls = [] }: Message): string =>
  [`${role}: ${content}`, ...toolCalls.map((call) => `calls ${call.name} ${JSON.stringify(call.arguments)}`)].join("\n");

function inputFrom({ question, answer, text, messages }: Omit<Judged, "stopReason">): JudgeInput {
  return { question, answer, text, conversation: messages.map(toldMessage).join("\n"), messages };
}

/** What a judge is asked about a conversation. */
export const judgeInput = ({ example, trajectory }: Rollout): JudgeInput => inputFrom(judgedOf(example, trajectory));

/** The same of an answer that was typed. */
export function typedInput({ question, answer, text }: Pick<Judged, "question" | "answer" | "text">): JudgeInput {
  return inputFrom({ question, answer, text, messages: oneAnswer(question, text) });
}

const PLACE = new RegExp(`\\{(${JUDGE_PLACES.join("|")})\\}`, "g");

/** A message as a model reads it that was offered no tools: results are told by somebody, calls are words. */
function plainTurn({ role, content, toolCalls = [] }: Message): Message {
  if (role === "tool") return { role: "user", content };
  return { role, content: toolCalls.length === 0 ? content : toldMessage({ role, content, toolCalls }).slice(`${role}: `.length) };
}

/** The messages that put a conversation before a judge; what fills a place is not looked through for places. */
export function judgeMessages(
  { system, prompt, asTurns }: Pick<Judge, "system" | "prompt" | "asTurns">,
  input: JudgeInput,
): readonly Message[] {
  const content = prompt.replace(PLACE, (_, place: (typeof JUDGE_PLACES)[number]) => input[place]);
  const turns = asTurns ? input.messages.filter(({ role }) => role !== "system").map(plainTurn) : [];
  return [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...turns, { role: "user", content }];
}

/** The verdict from the log-probs of the scale's answers, in its order (nats). */
export function readScale({ scale, read }: Pick<Judge, "scale" | "read">, logprobs: readonly number[]): JudgeVerdict {
  const answers = Object.keys(scale);
  const most = Math.max(...logprobs);
  if (!Number.isFinite(most)) return { reason: "its model gave log-probs that are not finite" };
  const weights = logprobs.map((logprob) => exp(logprob - most));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const odds = Object.fromEntries(answers.map((answer, i) => [answer, weights[i]! / sum]));
  const held = Math.min(1, exp(most) * sum);
  const likeliest = scale[answers[logprobs.indexOf(most)]!]!;
  const value = read === "likeliest" ? likeliest : answers.reduce((total, answer) => total + odds[answer]! * scale[answer]!, 0);
  return { value, odds, held };
}

/** Words as they are looked for on a scale: small, without what closes a sentence. */
const plainWords = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}.\-+']+/u)
    .map((word) => word.replace(/^[.']+|(?<![.'])[.']+$/g, ""))
    .filter((word) => word !== "");

/** The verdict from what a judge wrote: the last of the scale's answers in it. */
export function readWritten({ scale }: Pick<Judge, "scale">, said: string): JudgeVerdict {
  const words = plainWords(said);
  const found = Object.entries(scale).map(([answer, value]) => {
    const sought = plainWords(answer);
    const at = words.findLastIndex((_, i) => sought.length > 0 && sought.every((word, k) => words[i + k] === word));
    return { at, value, length: sought.length };
  });
  const last = found.reduce((best, each) => (each.at > best.at || (each.at === best.at && each.length > best.length) ? each : best));
  if (last.at < 0) return { reason: `wrote ${showValue(said, 60)}, in which no answer of its scale stands` };
  return { value: last.value, said };
}

/** The judges of a configuration, each with the model that it asks. */
export function namedJudges({ judges, checkpoint }: Pick<RunConfig, "judges" | "checkpoint">): Readonly<Record<string, NamedJudge>> {
  return Object.fromEntries(
    Object.entries(judges).map(([name, judge]) => [name, { ...judge, checkpoint: judge.checkpoint ?? checkpoint }]),
  );
}

/** The parts of a configuration's judges. */
export function judgeParts(config: Pick<RunConfig, "judges" | "checkpoint">) {
  return Object.entries(namedJudges(config)).map(([name, judge]) => ({
    name,
    title: judge.title ?? name,
    help: "A second model that is asked about each conversation; its answer on the scale is the value.",
    weight: 1,
    judged: judge,
  }));
}

/** Why there is no frozen start that could judge; undefined where there is one. */
function lackOfStart({ model, startFrom, backend }: RunConfig): string | undefined {
  if (model === "tabular") return "a logits table cannot read";
  if (startFrom === "random") return "weights that are drawn at random say nothing";
  if (startFrom === "run") return "what the run before learnt is not kept as a model";
  return backend === "tinker" ? "the start lies on a server, which is not asked to judge" : undefined;
}

/** Judges that ask for a frozen start where there is none. */
export function judgeProblems(config: RunConfig): readonly Problem[] {
  const lack = lackOfStart(config);
  const judges = Object.entries(config.judges).filter(([, { checkpoint }]) => checkpoint === null && lack !== undefined);
  return judges.map(([name]) => {
    const field = `judges.${name}.checkpoint`;
    return { field, message: `${field} must name a model, got null: ${lack}` };
  });
}
