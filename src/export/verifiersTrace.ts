// A recorded conversation as an episode with one trace, the form in which verifiers (v1) keeps rollouts and trainers on
// it read them: a chain of messages, each with the tokens that it adds, so that joined they are what the policy saw.
import { z } from "../protocol/zod.ts";

const perToken = z.array(z.number().nullable());
const call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()), written: z.string().optional() });
const message = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  toolCalls: z.array(call).optional(),
});

/** What is read of a line of trajectories.jsonl. */
export const trajectoryLine = z.object({
  step: z.number(),
  prompt: z.number(),
  member: z.number(),
  exampleId: z.string(),
  answer: z.string(),
  messages: z.array(message),
  stopReason: z.string(),
  reward: z.number().nullable(),
  success: z.boolean(),
  rewardParts: z.array(z.object({ name: z.string(), value: z.number().nullable(), weight: z.number() })),
  promptTokens: z.array(z.number()),
  tokens: z.array(z.number()),
  sampled: z.array(z.number()),
  logprobs: perToken,
  newLogprobs: perToken.nullable(),
  refLogprobs: perToken.nullable(),
  entropies: perToken.nullable(),
  advantages: perToken,
});
type Line = z.output<typeof trajectoryLine>;
type Said = Line["messages"][number];

interface TraceOrigin {
  readonly task: string;
  readonly runId: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly begun: number;
}

/** Messages with ids for calls, which results name in the order of the calls. */
function linked(messages: readonly Said[]) {
  let waiting: string[] = [];
  return messages.map(({ role, content, toolCalls = [] }, i) => {
    if (role === "tool") return { role, content, tool_call_id: waiting.shift() ?? "" };
    if (role !== "assistant" || toolCalls.length === 0) return { role, content };
    const calls = toolCalls.map((call, k) => ({
      id: `call-${i}-${k}`,
      type: "function",
      name: call.name,
      arguments: call.written ?? JSON.stringify(call.arguments),
    }));
    waiting = calls.map(({ id }) => id);
    return { role, content, tool_calls: calls };
  });
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly isSampled: boolean;
}

/** Runs of tokens between which sampling begins or ends. */
function runsOf(sampled: readonly number[]): readonly Run[] {
  const starts = sampled.flatMap((flag, i) => (i === 0 || flag !== sampled[i - 1] ? [i] : []));
  return starts.map((from, i) => ({ from, to: starts[i + 1] ?? sampled.length, isSampled: sampled[from] === 1 }));
}

/** Named streams of the sampled tokens of a run; those that were not recorded are left out. */
function streams(line: Line, from: number, to: number) {
  const named = {
    logprobs: "logprobs",
    advantages: "advantages",
    reference_logprobs: "refLogprobs",
    trainer_logprobs: "newLogprobs",
    entropies: "entropies",
  } as const;
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, key]) => {
      const values = line[key]?.slice(from, to);
      return values?.length === to - from && values.every((value) => value !== null) ? [[name, values]] : [];
    }),
  );
}

const inserted = (token_ids: readonly number[]) => ({ sampled: false, token_ids, mask: token_ids.map(() => false) });

/** One node a message. What lies between two turns is carried by the last message there, or begins the turn where none is. */
function nodesOf(line: Line, timestamp: number) {
  const runs = [...runsOf(line.sampled)];
  const opening = line.messages.length - messagesAfter(line);
  /** Tokens of the next run if it is of this kind. */
  const take = (isSampled: boolean) => (runs[0]?.isSampled === isSampled ? (runs.shift() ?? null) : null);
  const idsOf = (run: Run | null) => (run ? line.tokens.slice(run.from, run.to) : []);
  return linked(line.messages).map((said, i, all) => {
    const base = { ...(i > 0 ? { parent: i - 1 } : {}), message: said, timestamp };
    if (i < opening) return { ...base, ...inserted(i === opening - 1 ? line.promptTokens : []) };
    if (said.role !== "assistant")
      return { ...base, ...inserted((all[i + 1]?.role ?? "assistant") === "assistant" ? idsOf(take(false)) : []) };
    const before = idsOf(take(false));
    const turn = take(true);
    const mask = [...before.map(() => false), ...idsOf(turn).map(() => true)];
    return { ...base, sampled: true, token_ids: [...before, ...idsOf(turn)], mask, ...(turn ? streams(line, turn.from, turn.to) : {}) };
  });
}

/** Messages from the policy's first turn on: as many turns of the assistant as were sampled, and what lies among them. */
function messagesAfter({ messages, sampled }: Line): number {
  let turns = runsOf(sampled).filter(({ isSampled }) => isSampled).length;
  let at = messages.length;
  while (at > 0 && turns > 0) {
    at -= 1;
    if (messages[at]?.role === "assistant") turns -= 1;
  }
  return messages.length - at;
}

/** The episode of a conversation. */
export function episodeOf(line: Line, { task, runId, version, begun }: TraceOrigin) {
  const { step, prompt, member, exampleId, answer, messages, stopReason, reward, success } = line;
  const id = `${runId}-${step}-${prompt}-${member}`;
  const data = { id: exampleId, prompt: linked(messages.slice(0, messages.length - messagesAfter(line))), answer };
  const seed = { type: task, data };
  const parts = line.rewardParts.map(({ name, value, weight }) => [name, value === null ? null : { score: value, weight }] as const);
  const trace = {
    version: 1,
    id,
    verifiers: { version },
    task: seed,
    agent: { config: { model: runId } },
    nodes: nodesOf(line, begun),
    rewards: Object.fromEntries(parts.filter(([, part]) => part === null || part.weight !== 0)),
    metrics: Object.fromEntries(parts.filter(([, part]) => part?.weight === 0).map(([name, part]) => [name, part?.score ?? null])),
    info: { reward, success, step },
    is_completed: true,
    ok: true,
    stop_condition: stopReason,
    timing: { start: begun },
  };
  return {
    id,
    env: { id: task },
    task: seed,
    group: { id: `${runId}-${step}-${prompt}` },
    ok: true,
    traces: [trace],
    run: { type: "train", id: runId, work: { type: "train", step } },
  };
}
