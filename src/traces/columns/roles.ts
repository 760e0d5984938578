// What a column is taken for, by its name and its first value. Names are those that programs and people use; what is not among them is
// shown by its name and taken for nothing.
import { isRecord, showValue, unknownName } from "../../protocol/problems.ts";
import type { TraceChoice, TraceColumn, TraceRole } from "../../protocol/rollouts/traces.ts";
import { TraceError } from "../containers/container.ts";
import { areMessages } from "../text/messages.ts";

const NAMES: Readonly<Partial<Record<TraceRole, RegExp>>> = {
  messages: /^(messages|conversations?|chat|dialogue?|trajectory)$/,
  completion: /^(completions?|responses?|outputs?|generation|generated_text|model_output|model_response|rollout|prediction)$/,
  prompt: /^(prompts?|inputs?|questions?|query|instruction|problem)$/,
  answer: /^(answer|gts|ground_truths?|gold(_answer)?|target|solution|reference(_answer)?|label|expected)$/,
  reward: /^(reward|score|total_reward|total_score|final_reward|return)$/,
  advantage: /^advantages?$/,
  group: /^(group(_id|_idx|_index)?|prompt_(id|idx|index)|uid|example_id|problem_(id|idx)|question_id)$/,
  step: /^(step|global_steps?|training_step|train_step|iteration)$/,
  stop: /^(stop(_reason|_condition)?|finish_reason|done_reason)$/,
  "prompt-ids": /^prompt_(token_)?ids$/,
  "answer-ids": /^((completion|response|output|answer)_)?(token_)?ids$/,
  logprobs: /^((completion|response|output|rollout|sampl(er|ing)|inference|old)_)?log_?probs?$/,
  "trainer-logprobs": /^(trainer|train|policy|actor)_log_?probs?$/,
  "reference-logprobs": /^ref(erence)?_log_?probs?$/,
  mask: /^((completion|response|loss|action|assistant)_)?mask$/,
  success: /^(success|correct|is_correct|acc|accuracy|passed|solved)$/,
};

/** Objects whose entries are columns of their own: parts of a reward, and what else was measured. */
const NESTED: Readonly<Record<string, TraceRole>> = {
  rewards: "part",
  reward_parts: "part",
  reward_components: "part",
  scores: "part",
  metrics: "other",
  reward_metrics: "part",
  info: "other",
};

/** Roles that several columns may have. */
const SHARED: ReadonlySet<TraceRole> = new Set(["part", "other"]);

const isNumber = (value: unknown) => typeof value === "number" || typeof value === "boolean";
const areNumbers = (value: unknown) => Array.isArray(value) && value.every((each) => each === null || isNumber(each));
const isSaid = (value: unknown) => typeof value === "string" || areMessages(value) || (Array.isArray(value) && value.length === 0);
/** What a value of a role looks like. */
const FITS: Readonly<Partial<Record<TraceRole, (value: unknown) => boolean>>> = {
  messages: areMessages,
  prompt: isSaid,
  completion: isSaid,
  reward: isNumber,
  part: isNumber,
  advantage: isNumber,
  step: isNumber,
  "prompt-ids": areNumbers,
  "answer-ids": areNumbers,
  logprobs: areNumbers,
  mask: areNumbers,
  "trainer-logprobs": areNumbers,
  "reference-logprobs": areNumbers,
  success: isNumber,
  stop: (value) => typeof value === "string",
  group: (value) => typeof value === "string" || isNumber(value),
};

/** Roles of columns that a form knows by name, and what numbers under other names are. */
export interface KnownRoles {
  readonly names: Readonly<Record<string, TraceRole>>;
  readonly numbers: TraceRole;
  /** Whether rows are read as they were written, whatever somebody chooses. */
  readonly areFixed?: true;
}

/** A column that was met. */
export interface FoundColumn {
  readonly name: string;
  /** The part's name: the column's, without the object that it is in. */
  readonly part: string;
  role: TraceRole;
  weight: number | null;
  example: string;
}

/** The columns of rows and what they are taken for; grows as rows come. */
export interface Columns {
  readonly found: ReadonlyMap<string, FoundColumn>;
  /** Each column of a row with its value, entries of objects among them. */
  cells(row: Readonly<Record<string, unknown>>): readonly (readonly [FoundColumn, unknown])[];
  report(): readonly TraceColumn[];
  /** Throws where somebody chose a role for a column that is in no row. */
  check(): void;
}

/** Columns that are told; a row of more is no table, and the rest are taken for nothing. */
const MOST_COLUMNS = 400;
const UNTOLD = { role: "other", weight: null, example: "" } as const;

const example = (value: unknown) => showValue(value, 48);

/** Columns by a form's own names, what somebody chose, and what names and values say. */
export function createColumns(known: KnownRoles, chosen: NonNullable<TraceChoice["columns"]>): Columns {
  const found = new Map<string, FoundColumn>();
  const pick = (name: string) => (Object.hasOwn(chosen, name) ? chosen[name] : undefined);
  const taken = new Set<TraceRole>(Object.values(chosen).map(({ role }) => role));

  function roleOf(name: string, value: unknown, nested: TraceRole | null): TraceRole {
    const picked = pick(name);
    if (picked) return picked.role;
    const own = Object.hasOwn(known.names, name) ? known.names[name] : undefined;
    const byName = nested ? undefined : (Object.keys(NAMES) as TraceRole[]).find((role) => NAMES[role]!.test(name.toLowerCase()));
    for (const role of [own, byName]) {
      const isFree = role !== undefined && (SHARED.has(role) || !taken.has(role));
      if (role !== undefined && isFree && (FITS[role]?.(value) ?? true)) return role;
    }
    if (nested) return nested === "part" && !isNumber(value) ? "other" : nested;
    return isNumber(value) && (known.numbers === "part" || /reward|score/i.test(name)) ? "part" : "other";
  }

  function columnOf(name: string, part: string, value: unknown, nested: TraceRole | null): FoundColumn {
    const column = found.get(name);
    if (column) {
      if (column.example === "null" && value !== null) column.example = example(value);
      return column;
    }
    if (found.size >= MOST_COLUMNS) return { ...UNTOLD, name, part };
    // A column is known by its first value that is one.
    const role = value === null ? (pick(name)?.role ?? nested ?? "other") : roleOf(name, value, nested);
    const made = { name, part, role, weight: pick(name)?.weight ?? null, example: example(value) };
    if (value !== null || pick(name)) {
      found.set(name, made);
      if (!SHARED.has(role)) taken.add(role);
    }
    return made;
  }

  return {
    found,
    cells: (row) =>
      Object.entries(row).flatMap(([name, value]) => {
        const nested = Object.hasOwn(NESTED, name) ? NESTED[name]! : null;
        if (nested && isRecord(value) && !pick(name))
          return Object.entries(value).map(([key, each]) => [columnOf(`${name}.${key}`, key, each ?? null, nested), each ?? null] as const);
        return [[columnOf(name, name, value ?? null, null), value ?? null] as const];
      }),
    report: () =>
      [...found.values()].map(({ name, role, weight, example: shown }) => ({
        name,
        role,
        example: shown,
        ...(role === "part" ? { weight } : {}),
      })),
    check() {
      for (const name of Object.keys(chosen))
        if (!found.has(name)) throw new TraceError(unknownName("the column", name, [...found.keys()].slice(0, 40)));
    },
  };
}
