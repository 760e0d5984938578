// One branch of a trace: the nodes of its path end to end, their tokens, and the numbers that the sampled ones have.
import type { TraceLogprobs } from "../../protocol/rollouts/traces.ts";
import { TraceError } from "../containers/container.ts";
import type { Decoder, FoundChannel, Said, TokensApart } from "../rollout.ts";
import { messagesOf } from "../text/messages.ts";
import type { Stretch } from "../text/renderedText.ts";
import { saidWords, stretchesOf, wordTokens } from "../text/spoken.ts";
import { apartOf, channelOf, decoded, idsOf, numbersOf, sharedValue } from "./perToken.ts";

/** A message of the graph. */
export interface Node extends Readonly<Record<string, unknown>> {
  readonly parent?: number | null;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Numbers that a node has for each of its sampled tokens, under this lab's names. */
const STREAMS: readonly (readonly [string, FoundChannel, TraceLogprobs | null])[] = [
  ["logprobs", "oldLogprobs", "sampler"],
  ["trainer_logprobs", "trainLogprobs", "trainer"],
  ["reference_logprobs", "refLogprobs", "reference"],
  ["entropies", "trainEntropies", null],
  ["advantages", "advantages", null],
];

const tokensOf = (node: Node): readonly number[] =>
  node.token_ids === undefined || node.token_ids === null ? [] : idsOf(node.token_ids, "token_ids");

function maskOf(node: Node): readonly number[] {
  const { length } = tokensOf(node);
  return (numbersOf(node.mask ?? new Array(length).fill(false), "mask", length) ?? []).map((flag) => (flag === 1 ? 1 : 0));
}

/** Numbers of the sampled tokens at their places; null elsewhere and where the node has none. */
function spread(node: Node, name: string, mask: readonly number[]): readonly (number | null)[] {
  const count = mask.reduce((sum, flag) => sum + flag, 0);
  const own = node[name];
  if (own === undefined || own === null || (Array.isArray(own) && own.length === 0)) return mask.map(() => null);
  if (!Array.isArray(own) || own.length !== count)
    throw new TraceError(`${name} must have ${count} entries, one for each sampled token, got ${Array.isArray(own) ? own.length : "none"}`);
  let at = 0;
  const numbers = numbersOf(own, name, count) ?? [];
  return mask.map((flag) => (flag === 1 ? (numbers[at++] ?? null) : null));
}

/** What the index tells of a branch. */
interface BranchShape {
  readonly hasTokens: boolean;
  readonly length: number;
  readonly advantage: number | null;
  readonly logprobs: readonly TraceLogprobs[];
  readonly apart: TokensApart | null;
  promptKey(): string;
}

const isSampled = (node: Node) => node.sampled === true;
/** Nodes before the first that the policy sampled. */
const openingOf = (path: readonly Node[]) => {
  const first = path.findIndex(isSampled);
  return first < 0 ? path.length : first;
};
const messagesIn = (path: readonly Node[]) =>
  messagesOf(
    path.map(({ message }) => message),
    "nodes",
  );

export function branchShape(path: readonly Node[]): BranchShape {
  const masks = path.map(maskOf);
  const sampled = masks.flat();
  const hasTokens = sampled.length > 0;
  const streams = STREAMS.map(([name, , whose]) => [name, whose, path.flatMap((node, i) => spread(node, name, masks[i]!))] as const);
  const messages = messagesIn(path);
  const opening = openingOf(path);
  const stream = (wanted: string) => streams.find(([name]) => name === wanted)?.[2] ?? null;
  return {
    hasTokens,
    length: hasTokens ? sampled.reduce((sum, flag) => sum + flag, 0) : saidWords(stretchesOf(messages.slice(opening))),
    advantage: sharedValue(stream("advantages"), sampled),
    apart: apartOf(stream("logprobs"), stream("trainer_logprobs"), sampled),
    logprobs: streams.flatMap(([, whose, values]) => (whose && values.some((value) => value !== null) ? [whose] : [])),
    promptKey: () => JSON.stringify(messages.slice(0, opening)),
  };
}

const joined = (stretches: readonly Stretch[]) => stretches.map(({ text }) => text).join("");

/** A branch whose nodes have no tokens: its messages as words. */
function wordsSaid(path: readonly Node[], opening: number): Omit<Said, "opening" | "messages"> {
  const messages = messagesIn(path);
  const stretches = stretchesOf(messages.slice(opening));
  const { sampled: _, ...prompt } = wordTokens(stretchesOf(messages.slice(0, opening)));
  const { sampled, ...answer } = wordTokens(stretches);
  return { prompt, answer, sampled, text: joined(stretches), channels: {} };
}

/** Weights that the losses had for each token, by name. */
function weightsOf(path: readonly Node[], from: number): NonNullable<Said["extras"]> {
  const names = new Set(
    path.flatMap(({ loss_weights: weights }) => (typeof weights === "object" && weights !== null ? Object.keys(weights) : [])),
  );
  return Object.fromEntries(
    [...names].map((name) => {
      const values = path.flatMap((node) => {
        const { length } = tokensOf(node);
        const own = (node.loss_weights as Readonly<Record<string, unknown>> | null | undefined)?.[name];
        return numbersOf(own ?? new Array(length).fill(null), `loss_weights.${name}`, length) ?? [];
      });
      return [`loss_weights.${name}`, values.slice(from)] as const;
    }),
  );
}

function tokensSaid(path: readonly Node[], isShared: readonly boolean[], decoder: Decoder): Omit<Said, "opening" | "messages"> {
  const masks = path.map(maskOf);
  const mask = masks.flat();
  const ids = path.flatMap(tokensOf);
  // The answer begins with the first token that was sampled.
  const from = Math.max(0, mask.indexOf(1));
  const sampled = mask.slice(from);
  const channels = STREAMS.flatMap(([name, key]) => {
    const values = channelOf(path.flatMap((node, i) => spread(node, name, masks[i]!)).slice(from), sampled);
    return values ? [[key, values] as const] : [];
  });
  const shared = path.flatMap((_, i) => masks[i]!.map(() => (isShared[i] ? 1 : 0))).slice(from);
  const answered = ids.slice(from);
  return {
    prompt: decoded(ids.slice(0, from), decoder),
    answer: decoded(answered, decoder),
    sampled,
    text: decoder ? decoder.text(answered) : joined(stretchesOf(messagesIn(path).slice(openingOf(path)))),
    channels: Object.fromEntries(channels),
    extras: { ...weightsOf(path, from), ...(isShared.some(Boolean) ? { shared } : {}) },
  };
}

/**
 * What was said along a branch.
 * @param isShared of each node, whether an earlier branch has it too
 * @param agent who speaks, where several do
 */
export function branchSaid(path: readonly Node[], isShared: readonly boolean[], agent: string | null, decoder: Decoder): Said {
  const opening = openingOf(path);
  const messages = messagesIn(path).map((message) => (agent !== null && message.role === "assistant" ? { ...message, agent } : message));
  const said = path.some((node) => tokensOf(node).length > 0) ? tokensSaid(path, isShared, decoder) : wordsSaid(path, opening);
  return { opening: messages.slice(0, opening), messages: messages.slice(opening), ...said };
}
