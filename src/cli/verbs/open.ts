// Opens rollouts that other programs wrote, and says what was recognised in them.
import {
  RUN_SPLITS,
  type RunSplit,
  type TraceChoice,
  type TraceReport,
  type TraceRole,
  type TraceRuns,
} from "../../protocol/rollouts/traces.ts";
import { CommandError } from "../lab/exit.ts";
import { columns as aligned, count } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";
import { comparedRuns, pairQueryOf, refused } from "../traces/pairText.ts";

type Chosen = Record<string, { role: TraceRole; weight?: number }>;

/** Columns as they stand on the command line: NAME=ROLE, a part's weight behind a colon. */
async function chosenColumns(given: readonly string[], group: string | undefined): Promise<Chosen> {
  const { TRACE_ROLES } = await import("../../protocol/rollouts/traces.ts");
  const { unknownName } = await import("../../protocol/problems.ts");
  const columns: Chosen = group === undefined ? {} : Object.fromEntries([[group, { role: "group" as const }]]);
  const entries = given.map((word) => {
    const at = word.lastIndexOf("=");
    const [name, value = ""] = at < 1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
    const [role = "", weight] = value.split(":");
    const known = TRACE_ROLES.find((each) => each === role);
    if (known === undefined) throw new CommandError(unknownName(`the role of ${name} (--column NAME=ROLE)`, role, TRACE_ROLES));
    if (weight === undefined) return [name, { role: known }] as const;
    if (known !== "part" || weight.trim() === "" || !Number.isFinite(Number(weight)))
      throw new CommandError(`--column NAME=part:WEIGHT must have a number as weight, got ${word}`);
    return [name, { role: known, weight: Number(weight) }] as const;
  });
  return { ...columns, ...Object.fromEntries(entries) };
}

/** The tokenizer.json of the lab, of a folder of models/, of a path or of a model of the hub. */
async function tokenizerOf(name: string): Promise<unknown> {
  const { createNodeHost } = await import("../nodeHost.ts");
  const { tokenizerNamed } = await import("../../train/backend/loadRenderer.ts");
  return tokenizerNamed(name, createNodeHost());
}

const WORDS: Readonly<Record<TraceReport["tokens"], string>> = {
  "decoded ids": "ids, decoded",
  ids: "ids, which nothing here decodes: --tokenizer NAME",
  words: "words cut from text",
  lengths: "counted only",
};

const SPLITS: Readonly<Record<RunSplit, string>> = {
  one: "all files are of one",
  folders: "told apart by folders",
  files: "each file is one",
};

const runsText = ({ all, by, shown }: TraceRuns) => `${all.map(({ name }) => name).join(", ")} (${SPLITS[by]}); this is ${shown}`;

/** The report for people. */
function textOf(report: TraceReport, compared: readonly (readonly [string, string])[]): string {
  const { steps, broken } = report;
  const facts = [
    ...(report.runs ? [["runs", runsText(report.runs)]] : []),
    ["form", report.title],
    ["files", `${report.files}, ${count(report.bytes)} bytes`],
    ["rollouts", `${count(report.rollouts)} in ${count(report.groups)} groups, ${report.groupedBy}`],
    ["steps", `${steps.length === 1 ? steps[0] : `${steps.length}, from ${steps[0]} to ${steps.at(-1)}`}, ${report.stepsBy}`],
    ["tokens", WORDS[report.tokens]],
    ["log-probs", report.logprobs.length > 0 ? `of the ${report.logprobs.join(" and the ")}` : "none"],
    ...report.columns.map(({ name, role, weight, example }) => [
      `column ${name}`,
      `${role}${typeof weight === "number" ? ` of weight ${weight}` : ""}, such as ${example}`,
    ]),
    ...(report.cutOff ? [["cut off", `${count(report.cutOff)} of ${count(report.rollouts)}`]] : []),
    ...report.leftOpen.map(({ mark, answers }) => ["end inside", `${mark} ${count(answers)}`]),
    ...report.missing.map(({ what, why }) => ["not shown", `${what}: ${why}`]),
    ...report.notes.map((note) => ["note", note]),
    ...(broken.count > 0 ? [["broken", `${count(broken.count)} rows, such as ${broken.first[0]?.where}: ${broken.first[0]?.why}`]] : []),
    ...compared,
  ];
  return aligned(facts);
}

export const openVerb = defineVerb({
  name: "open",
  help: "Open rollouts that TRL, verl, prime-rl, verifiers, the Tinker cookbook or anybody wrote, files or a data set of the hub (OWNER/NAME), and say what is in them.",
  operands: ["PATH..."],
  options: {
    form: { kind: "text", value: "FORM", help: "The form they are in, where another than the recognised one is meant." },
    tokenizer: { kind: "text", value: "NAME", help: 'Decodes ids: "lab", a folder of models/, a path, or OWNER/NAME of the hub.' },
    group: { kind: "text", value: "COLUMN", help: "The column that rollouts of one group share." },
    column: { kind: "list", value: "NAME=ROLE", help: "What a column is: a role, or part:WEIGHT for a part of the reward." },
    subset: { kind: "text", value: "NAME", help: "The configuration that is meant of a data set of the hub, where it has several." },
    split: { kind: "text", value: "NAME", help: "The rows that are meant of a data set of the hub (train)." },
    step: { kind: "integer", value: "N", min: 0, help: "With --json, tell all rollouts of this step; runs are compared at it." },
    runs: {
      kind: "text",
      value: "HOW",
      choices: RUN_SPLITS,
      help: "How files are told apart by runs: all of one, by folders, or each one a run (folders with files of the same names are runs).",
    },
    pair: { kind: "text", value: "LEFT,RIGHT", help: "The two runs that are compared on the same prompts (the first two)." },
  },
  async run({ operands, options }) {
    const { openRuns } = await import("../../traces/runs/openRuns.ts");
    const { traceFilesOf } = await import("../traces/traceFiles.ts");
    const { form, tokenizer, step: at, subset, split, runs: by } = options;
    const query = pairQueryOf(options.pair, at);
    const choice: TraceChoice = {
      columns: await chosenColumns(options.column, options.group),
      ...(form === undefined ? {} : { form }),
      ...(tokenizer === undefined ? {} : { tokenizer }),
      ...(by === undefined ? {} : { runs: by }),
      ...(query.left === null ? {} : { run: query.left }),
    };
    const files = await traceFilesOf(operands, { subset, split });
    const { runs, shown } = await openRuns(files, choice, undefined, { tokenizer: tokenizerOf }).catch(refused);
    const { report, steps } = shown;
    const compared = runs.length > 1 || options.pair !== undefined ? await comparedRuns(runs, query, options.pair !== undefined) : null;
    if (at !== undefined && !report.steps.includes(at))
      throw new CommandError(
        `--step must be a step that has rollouts, ${report.steps.slice(0, 8).join(", ")}${report.steps.length > 8 ? " ..." : ""}, got ${at}`,
      );
    const groups = at === undefined ? {} : { step: at, groups: await shown.groups(at) };
    return { facts: { report, steps, ...compared?.facts, ...groups }, text: textOf(report, compared?.rows ?? []) };
  },
});
