// The index of all rollouts, in arrays of numbers: where each lies, and what can be asked of all of them without reading their text again.
import { STOP_REASONS } from "../../protocol/record/rolloutSchemas.ts";
import type { RowPlace } from "../containers/container.ts";
import type { FoundRollout } from "../rollout.ts";
import type { TracePrompt } from "../traceSet.ts";
import { hash53 } from "./promptKeys.ts";

/** Facts of rollouts in the order in which they were met: entry i of every list is of rollout i; NaN where a number is not known. */
export interface TraceIndex {
  readonly file: number[];
  readonly begin: number[];
  readonly end: number[];
  /** Which of the rollouts of its row it is. */
  readonly branch: number[];
  readonly step: number[];
  /** Groups are numbered over all steps as they are met. */
  readonly group: number[];
  readonly reward: number[];
  readonly advantage: number[];
  readonly length: number[];
  readonly stop: number[];
  /** 1 right, 0 wrong. */
  readonly success: number[];
  /** How far sampler and trainer are apart; 0 tokens where a rollout does not tell it. */
  readonly apart: { readonly tokens: number[]; readonly k1: number[]; readonly k3: number[] };
  /** Values of reward parts by name, of all rollouts that were met up to the last that has it. */
  readonly parts: Map<string, number[]>;
  /** Weights of parts, where rows say them. */
  readonly weights: Map<string, number | null>;
  groups: number;
  /** Prompts of all groups, where they are told: each once, and which of them each group was asked (-1 where its files do not say it). */
  readonly prompts: { readonly told: TracePrompt[]; readonly ofGroup: number[] };
  /** Answers by what their texts had open at their ends. */
  readonly leftOpen: Map<string, number>;
}

/** A number of the index; null where it is not known. */
export const known = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value);

/** Keys that are no longer are kept as they are. */
const SHORT = 40;

/** Numbers the prompts of rollouts, equal ones alike, and keeps each once; -1 of one whose prompt is not told. */
function numbersPrompts(promptOfFound: PromptTeller, told: TracePrompt[]): (found: FoundRollout) => number {
  const numbers = new Map<string, number>();
  return (found) => {
    const prompt = promptOfFound(found);
    if (!prompt) return -1;
    const number = numbers.get(prompt.key) ?? told.push(prompt) - 1;
    numbers.set(prompt.key, number);
    return number;
  };
}

type PromptTeller = (found: FoundRollout) => TracePrompt | null;

/** Values of the reward parts of rollout i by name. */
function takeParts({ parts: columns, weights }: TraceIndex, i: number, parts: FoundRollout["parts"]): void {
  for (const { name, value, weight } of parts) {
    const values = columns.get(name) ?? [];
    columns.set(name, values);
    while (values.length < i) values.push(Number.NaN);
    values[i] = value ?? Number.NaN;
    if (weight !== null || !weights.has(name)) weights.set(name, weight);
  }
}

function emptyIndex(): TraceIndex {
  return {
    file: [],
    begin: [],
    end: [],
    branch: [],
    step: [],
    group: [],
    reward: [],
    advantage: [],
    length: [],
    stop: [],
    success: [],
    apart: { tokens: [], k1: [], k3: [] },
    parts: new Map(),
    weights: new Map(),
    groups: 0,
    prompts: { told: [], ofGroup: [] },
    leftOpen: new Map(),
  };
}

/** An empty index, and what takes rollouts into it. @param promptOfFound tells the prompt of a rollout, asked once for each group */
export function createIndex(promptOfFound: PromptTeller = () => null): {
  readonly index: TraceIndex;
  take(file: number, place: RowPlace, rollouts: readonly FoundRollout[], stepOfPath: number | null): void;
} {
  const index = emptyIndex();
  const promptNumber = numbersPrompts(promptOfFound, index.prompts.told);
  const groups = new Map<string, number>();
  let last = { step: Number.NaN, key: "", group: -1 };

  function groupOf(step: number, found: FoundRollout): number {
    const { group: key } = found;
    // Rollouts of a group mostly lie together, and two equal texts are compared faster than they are added up.
    if (step === last.step && key === last.key) return last.group;
    const short = `${step} ${key.length > SHORT ? `${key.length}#${hash53(key)}` : key}`;
    const known = groups.get(short);
    if (known === undefined) index.prompts.ofGroup.push(promptNumber(found));
    const group = known ?? index.groups++;
    groups.set(short, group);
    last = { step, key, group };
    return group;
  }

  return {
    index,
    take(file, { begin, end }, rollouts, stepOfPath) {
      for (const [branch, found] of rollouts.entries()) {
        const i = index.file.length;
        const step = found.step ?? stepOfPath ?? 0;
        const group = groupOf(step, found);
        index.file.push(file);
        index.begin.push(begin);
        index.end.push(end);
        index.branch.push(branch);
        index.step.push(step);
        index.group.push(group);
        index.reward.push(found.reward ?? Number.NaN);
        index.advantage.push(found.advantage ?? Number.NaN);
        index.length.push(found.length);
        index.stop.push(found.stopReason === null ? -1 : STOP_REASONS.indexOf(found.stopReason));
        index.success.push(found.success === null ? Number.NaN : Number(found.success));
        index.apart.tokens.push(found.apart?.tokens ?? 0);
        index.apart.k1.push(found.apart?.k1 ?? 0);
        index.apart.k3.push(found.apart?.k3 ?? 0);
        if (found.leftOpen) index.leftOpen.set(found.leftOpen, (index.leftOpen.get(found.leftOpen) ?? 0) + 1);
        takeParts(index, i, found.parts);
      }
    },
  };
}

/** A step's rollouts: places in the index, group after group. */
export interface OrderedStep {
  readonly step: number;
  readonly groups: readonly (readonly number[])[];
}

/** All steps, ascending; groups and members stand as they were met. */
export function orderedSteps(index: TraceIndex): readonly OrderedStep[] {
  const steps = new Map<number, Map<number, number[]>>();
  for (const [i, step] of index.step.entries()) {
    const groups = steps.get(step) ?? new Map<number, number[]>();
    steps.set(step, groups);
    const members = groups.get(index.group[i]!);
    if (members) members.push(i);
    else groups.set(index.group[i]!, [i]);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([step, groups]) => ({ step, groups: [...groups.values()] }));
}
