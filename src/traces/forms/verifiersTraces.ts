// Traces of verifiers v1, alone or as episodes of several: a graph of messages in which a branch is a path from a root to a leaf. Branches
// of a trace are members of a group, and which tokens one shares with an earlier is a channel of its own.
import { isRecord } from "../../protocol/problems.ts";
import { factsOf } from "../columns/flatRollout.ts";
import { type FoundRow, TraceError, valueText } from "../containers/container.ts";
import { type FoundPart, type FoundRollout, numberOf, stopOf } from "../rollout.ts";
import type { FormReading, TraceForm } from "./form.ts";
import { branchSaid, branchShape, type Node } from "./verifiersBranch.ts";

/** Nodes on the paths of one trace. */
const MOST_ON_PATHS = 200_000;

function nodesOf(trace: FoundRow): readonly Node[] {
  if (!Array.isArray(trace.nodes)) throw new TraceError(`nodes must be a list, got ${valueText(trace.nodes)}`);
  return trace.nodes.map((node: unknown, i) => {
    if (!isRecord(node) || !isRecord(node.message)) throw new TraceError(`nodes[${i}] must have a message, got ${valueText(node)}`);
    const parent = node.parent ?? null;
    if (parent !== null && !(Number.isInteger(parent) && (parent as number) >= 0 && (parent as number) < i))
      throw new TraceError(`nodes[${i}].parent must be an earlier node, got ${valueText(parent)}`);
    return node as Node;
  });
}

/** Paths from a root to each leaf, in the order of the leaves. */
function branchesOf(nodes: readonly Node[]): readonly (readonly number[])[] {
  const parents = new Set(nodes.map(({ parent }) => parent ?? -1));
  let left = MOST_ON_PATHS;
  return nodes.flatMap((_, leaf) => {
    if (parents.has(leaf)) return [];
    const path: number[] = [];
    for (let at: number | null = leaf; at !== null; at = nodes[at]?.parent ?? null) {
      path.push(at);
      if (--left < 0) throw new TraceError(`must have branches of at most ${MOST_ON_PATHS} nodes in all`);
    }
    return [path.reverse()];
  });
}

function partsOf({ rewards }: FoundRow): readonly FoundPart[] {
  return Object.entries(isRecord(rewards) ? rewards : {}).map(([name, part]) => ({
    name,
    value: isRecord(part) ? numberOf(part.score) : numberOf(part),
    weight: isRecord(part) ? (numberOf(part.weight) ?? 1) : null,
  }));
}

function totalOf(parts: readonly FoundPart[]): number | null {
  const known = parts.filter(({ value }) => value !== null);
  return known.length > 0 ? known.reduce((sum, { value, weight }) => sum + value! * (weight ?? 0), 0) : null;
}

const within = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : null), value);

const word = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

function failureOf({ errors }: FoundRow): string | null {
  const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : [];
  return isRecord(first) ? [first.type, first.message].filter((each) => typeof each === "string").join(": ") : null;
}

/** How a branch ended: by the trace's own word, or the reason of the branch's last call. */
function stopReasonOf(trace: FoundRow, nodes: readonly Node[], path: readonly number[]): FoundRollout["stopReason"] {
  const calls = Array.isArray(trace.calls) ? (trace.calls as readonly unknown[]) : [];
  const last = path.at(-1);
  const finish = calls.findLast((call) => within(call, "node") === last) ?? null;
  const reasons = [within(finish, "finish_reason"), nodes[last ?? -1]?.finish_reason, trace.stop_condition];
  for (const reason of reasons) {
    const stop = stopOf(reason);
    if (stop) return stop;
  }
  return null;
}

/** The rollouts of a trace. @param around the episode that it is of */
function rolloutsOf(trace: FoundRow, around: FoundRow | null, reading: FormReading): readonly FoundRollout[] {
  const nodes = nodesOf(trace);
  const branches = branchesOf(nodes);
  const { facts } = factsOf(around ?? trace, reading.columns);
  const parts = partsOf(trace);
  const task = trace.task ?? around?.task;
  const key = facts.group ?? word(within(around, "group", "id")) ?? word(within(task, "key")) ?? word(within(task, "hash"));
  const failure = failureOf(trace);
  const agent = word(within(trace, "agent", "name"));
  if (branches.length > 1)
    reading.seen.notes.add('Traces have several branches: each is a member, and "shared" marks what an earlier one has too.');
  return branches.map((path, b) => {
    const before = new Set(branches.slice(0, b).flat());
    const shape = branchShape(path.map((at) => nodes[at]!));
    if (shape.hasTokens) reading.seen.tokens.add("ids");
    else reading.seen.tokens.add("words");
    for (const whose of shape.logprobs) reading.seen.logprobs.add(whose);
    const step = facts.step ?? numberOf(within(around, "run", "work", "step")) ?? numberOf(within(trace, "info", "step"));
    const success = facts.success ?? within(trace, "info", "success");
    return {
      ...facts,
      step,
      group: key === null ? shape.promptKey() : `id ${key}`,
      exampleId: word(within(task, "data", "id")) ?? key ?? "",
      answer: facts.answer || (word(within(task, "data", "answer")) ?? ""),
      parts,
      reward: facts.reward ?? totalOf(parts),
      advantage: facts.advantage ?? shape.advantage,
      stopReason: facts.stopReason ?? stopReasonOf(trace, nodes, path),
      success: typeof success === "boolean" ? success : null,
      length: shape.length,
      apart: shape.apart,
      ...(failure ? { failure } : {}),
      said: (decoder) =>
        branchSaid(
          path.map((at) => nodes[at]!),
          path.map((at) => before.has(at)),
          agent !== null && around !== null && Array.isArray(around.traces) && around.traces.length > 1 ? agent : null,
          decoder,
        ),
    };
  });
}

export const verifiersTraces: TraceForm = {
  id: "verifiers",
  title: "traces of verifiers",
  matches: ({ nodes, traces }) =>
    Array.isArray(nodes) || (Array.isArray(traces) && traces.some((trace) => isRecord(trace) && Array.isArray(trace.nodes))),
  roles: { names: { rewards: "other", metrics: "other", id: "other", version: "other" }, numbers: "other" },
  read(row, reading) {
    if (!Array.isArray(row.traces)) return rolloutsOf(row, null, reading);
    return row.traces.flatMap((trace: unknown, i) => {
      if (!isRecord(trace)) throw new TraceError(`traces[${i}] must be a trace, got ${valueText(trace)}`);
      return rolloutsOf(trace, row, reading);
    });
  },
};
