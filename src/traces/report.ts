// What is said of files that were read: what was recognised, what was taken for what, and what can therefore not be shown.

import { counted } from "../protocol/quantities.ts";
import { STOP_REASONS } from "../protocol/record/rolloutSchemas.ts";
import type { BrokenRow, TraceReport } from "../protocol/rollouts/traces.ts";
import type { SortedFiles } from "./files/sortFiles.ts";
import type { FormReading, TraceForm } from "./forms/form.ts";
import type { Totals } from "./index/totals.ts";
import type { OrderedStep, TraceIndex } from "./index/traceIndex.ts";
import type { TraceFile } from "./traceSet.ts";

/** What was met while files were gone through. */
export interface Met {
  readonly files: readonly TraceFile[];
  readonly sorted: SortedFiles;
  readonly form: TraceForm;
  readonly reading: FormReading;
  readonly broken: { count: number; readonly first: BrokenRow[] };
  /** Rollouts whose step a column says, and whose step the path of their file says. */
  readonly stepsSaid: { column: number; path: number };
  readonly notes: readonly string[];
  readonly forms: TraceReport["forms"];
  readonly isFormChosen: boolean;
  readonly tokenizer: string | null;
}

const columnOf = ({ columns }: FormReading, role: string) => columns.report().find((column) => column.role === role)?.name ?? null;

function groupedBy(reading: FormReading, steps: readonly OrderedStep[]): string {
  const sizes = steps.flatMap(({ groups }) => groups.map(({ length }) => length));
  const least = sizes.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = sizes.reduce((a, b) => Math.max(a, b), 0);
  const column = columnOf(reading, "group");
  return `${column === null ? "by equal prompts" : `by the column ${column}`}, ${least === most ? counted(least, "rollout") : `${least} to ${most} rollouts`} each`;
}

function stepsBy({ reading, stepsSaid }: Met): string {
  if (stepsSaid.column > 0) return `by the column ${columnOf(reading, "step") ?? "step"}`;
  return stepsSaid.path > 0 ? "by the names of files" : "nothing tells steps apart";
}

const isKnown = (values: readonly number[]) => values.some((value) => !Number.isNaN(value));

/** What the files do not hold. */
function missingOf(index: TraceIndex, { source, rewards }: Totals, { seen }: FormReading): TraceReport["missing"] {
  const parts = [...index.parts.keys()];
  const found: (readonly [boolean, string, string])[] = [
    [seen.tokens.has("lengths"), "What was said", "the files hold lengths and rewards alone"],
    [seen.tokens.has("words"), "Tokens", "the files hold text; answers are cut into words"],
    [seen.logprobs.size === 0, "Log-probs, ratios and entropies of tokens", "no file has them"],
    [source === "unknown", "The total reward", `the weights of ${parts.join(", ")} are in no file; give each one a weight`],
    [source !== "unknown" && !isKnown(rewards as number[]), "Rewards", "no column was taken for one"],
    [!isKnown(index.advantage), "Advantages that were used", "no file has them"],
    [index.stop.every((stop) => stop < 0), "Which answers were cut off", "no file says why they stopped"],
    [!isKnown(index.success), "Which answers are right", "no file says it; a reward is no verdict"],
  ];
  return found.filter(([lacks]) => lacks).map(([, what, why]) => ({ what, why }));
}

/** Paths that are named in one sentence. */
const FEW = 3;

function notesOf({ reading, sorted, notes }: Met, { source, weights }: Totals): readonly string[] {
  const { templates, notes: said } = reading.seen;
  const [first] = sorted.leftAside;
  return [
    ...(templates.size > 0 ? [`Texts were split into messages by the marks of ${[...templates].join(", ")}.`] : []),
    ...(source === "proved"
      ? [
          `No file has the weights of the reward's parts. The advantages come out by ${[...weights].map(([name, weight]) => `${weight} × ${name}`).join(" + ")}, which is taken for the total reward.`,
        ]
      : []),
    ...said,
    ...notes,
    ...(first
      ? [
          `${counted(sorted.leftAside.length, "file")} ${sorted.leftAside.length === 1 ? "was" : "were"} left aside: ${sorted.leftAside
            .slice(0, FEW)
            .map(({ path, why }) => `${path} ${why}`)
            .join(", ")}${sorted.leftAside.length > FEW ? ", and others" : ""}.`,
        ]
      : []),
  ];
}

/** The kind that most can be told from. */
function tokensOf({ reading, tokenizer }: Met): TraceReport["tokens"] {
  const { tokens } = reading.seen;
  if (tokens.has("decoded ids")) return "decoded ids";
  if (tokens.has("ids")) return tokenizer === null ? "ids" : "decoded ids";
  return tokens.has("words") ? "words" : "lengths";
}

export function reportOf(index: TraceIndex, steps: readonly OrderedStep[], totals: Totals, met: Met): TraceReport {
  const { form, files, reading, broken, tokenizer } = met;
  return {
    form: form.id,
    title: form.title,
    forms: met.forms,
    isFormChosen: met.isFormChosen,
    isWhole: true,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    rollouts: steps.reduce((sum, { groups }) => sum + groups.reduce((all, { length }) => all + length, 0), 0),
    steps: steps.map(({ step }) => step),
    groups: steps.reduce((sum, { groups }) => sum + groups.length, 0),
    groupedBy: groupedBy(reading, steps),
    stepsBy: stepsBy(met),
    // What nobody can choose otherwise is no choice.
    columns: (form.roles.areFixed ? [] : reading.columns.report()).map((column) => {
      const weight = column.role === "part" ? (totals.weights.get(partOf(column.name, totals)) ?? column.weight ?? null) : undefined;
      return weight === undefined ? column : { ...column, weight };
    }),
    rewardParts: [...index.parts.keys()],
    tokens: tokensOf(met),
    tokenizer,
    logprobs: [...reading.seen.logprobs],
    cutOff: index.stop.every((stop) => stop < 0) ? null : index.stop.filter((stop) => STOP_REASONS[stop] === "max-tokens").length,
    leftOpen: [...index.leftOpen].map(([mark, answers]) => ({ mark, answers })).sort((a, b) => b.answers - a.answers),
    broken: { count: broken.count, first: [...broken.first] },
    missing: missingOf(index, totals, reading),
    notes: notesOf(met, totals),
  };
}

/** The part of a column: its name, or the entry of the object that it is in. */
const partOf = (name: string, { weights }: Totals) => (weights.has(name) ? name : name.slice(name.indexOf(".") + 1));
