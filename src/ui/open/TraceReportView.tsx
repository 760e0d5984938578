// What was recognised in somebody's files, what each column was taken for, and what can therefore not be shown.
import type { ReactNode } from "react";
import { bytesText } from "../../protocol/memory.ts";
import { counted } from "../../protocol/quantities.ts";
import type { TableCondition } from "../../protocol/rollouts/rolloutTable.ts";
import type { TraceLogprobs, TraceReport } from "../../protocol/rollouts/traces.ts";
import { CUT_OFF } from "../../rl/table/tableColumns.ts";
import { hashOf } from "../engine/route.ts";
import { Choice } from "../kit/controls/Choice.tsx";
import { TextInput } from "../kit/controls/TextInput.tsx";
import { Term } from "../kit/words/Term.tsx";
import { conditionText } from "../step/table/conditionText.ts";
import { ColumnTable } from "./ColumnTable.tsx";
import { canReadAgain, choiceNow, readAgain } from "./openFiles.ts";
import { RunsFound } from "./RunsFound.tsx";

const WHOSE: Readonly<Record<TraceLogprobs, string>> = {
  sampler: "of the policy as it sampled",
  trainer: "of the policy in training",
  reference: "of the reference",
};

function tokensText({ tokens, tokenizer }: TraceReport): string {
  if (tokens === "decoded ids") return `ids, with the texts of ${tokenizer ?? "a tokenizer"}`;
  if (tokens === "ids") return "ids without text: drop the tokenizer.json of the model together with the files to read them";
  if (tokens === "lengths") return "only counted: the files hold no text";
  return "not in the files: the text is cut into words";
}

function stepsText({ steps, stepsBy }: TraceReport): string {
  const [first] = steps;
  const range = steps.length > 1 ? `, ${first} to ${steps.at(-1)}` : "";
  return `${counted(steps.length, "step")}${range}, ${stepsBy}`;
}

/** The form that was recognised, and another where that is wrong. */
function FormChoice({ forms, form, isFormChosen }: TraceReport) {
  if (!canReadAgain()) return <dd>{forms.find(({ id }) => id === form)?.title}</dd>;
  return (
    <dd>
      <Choice
        className="field-inline"
        label={<span className="visually-hidden">Form of the files</span>}
        value={form}
        options={forms}
        // Roles are those of a form's columns, so another form finds its own.
        onChange={(id) => void readAgain({ ...choiceNow(), columns: {}, form: id })}
      />{" "}
      <span className="note">{isFormChosen ? "as you chose" : "recognised by the first rows"}</span>
    </dd>
  );
}

/** Names a tokenizer for ids; nothing where there are no ids. */
function TokenizerChoice({ tokens, tokenizer }: TraceReport) {
  if (!canReadAgain() || (tokens !== "ids" && tokens !== "decoded ids")) return null;
  return (
    <TextInput
      label="Tokenizer: the name of a model of this page, or drop its tokenizer.json here"
      value={choiceNow().tokenizer ?? tokenizer ?? ""}
      onChange={(typed) => {
        const { tokenizer: _, ...others } = choiceNow();
        void readAgain(typed.trim() === "" ? others : { ...others, tokenizer: typed.trim() });
      }}
    />
  );
}

interface ListedProps {
  readonly id: string;
  readonly title: string;
  readonly items: readonly ReactNode[];
  /** How many more there are. */
  readonly more?: number;
}

/** Sentences under a heading; nothing where there are none. */
function Listed({ id, title, items, more = 0 }: ListedProps) {
  if (items.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <ul>
        {items.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is its place in the list
          <li key={at}>{item}</li>
        ))}
      </ul>
      {more > 0 && <p className="note">and {more} more</p>}
    </section>
  );
}

/** How answers ended, each a way to those that did so. */
function endings({ cutOff, leftOpen, rollouts }: TraceReport): readonly ReactNode[] {
  const link = (where: TableCondition, answers: number, how: string) => (
    <a key={how} href={hashOf("table", { where: [conditionText(where)] })}>
      {answers.toLocaleString("en")} of {rollouts.toLocaleString("en")} answers {how}
    </a>
  );
  return [
    ...(cutOff ? [link({ is: "one-of", column: "stop", words: [CUT_OFF] }, cutOff, `were ${CUT_OFF}`)] : []),
    ...leftOpen.map(({ mark, answers }) => link({ is: "one-of", column: "open", words: [mark] }, answers, `end in the middle of ${mark}`)),
  ];
}

function Facts({ report }: { readonly report: TraceReport }) {
  const { rewardParts, logprobs } = report;
  return (
    <dl className="open-facts grid">
      <dt>Form</dt>
      <FormChoice {...report} />
      <dt>Files</dt>
      <dd>
        {counted(report.files, "file")}, {bytesText(report.bytes, 1000)}
      </dd>
      <dt>Rollouts</dt>
      <dd>{counted(report.rollouts.toLocaleString("en"), "rollout")}</dd>
      <dt>Steps</dt>
      <dd>{stepsText(report)}</dd>
      <dt>
        <Term id="group">Groups</Term>
      </dt>
      <dd>
        {counted(report.groups.toLocaleString("en"), "group")}, {report.groupedBy}
      </dd>
      <dt>
        <Term id="reward">Reward</Term> parts
      </dt>
      <dd>{rewardParts.length === 0 ? "none by name" : rewardParts.join(", ")}</dd>
      <dt>
        <Term id="token">Tokens</Term>
      </dt>
      <dd>{tokensText(report)}</dd>
      <dt>
        <Term id="logprob">Log-probs</Term>
      </dt>
      <dd>{logprobs.length === 0 ? "none" : logprobs.map((whose) => WHOSE[whose]).join("; ")}</dd>
    </dl>
  );
}

export function TraceReportView({ report }: { readonly report: TraceReport }) {
  const { broken } = report;
  const isSeveral = (report.runs?.all.length ?? 0) > 1;
  return (
    <section className="open-report grid grid-cols-1 gap-2" aria-labelledby="open-found">
      <h2 id="open-found">{report.title}</h2>
      <div className="actions">
        <a className={`button ${isSeveral ? "button-plain" : "button-primary"}`} href={hashOf("rollouts")}>
          Look at the rollouts
        </a>
        <a className="button button-plain" href={hashOf("train")}>
          See the curves
        </a>
        <a className="button button-plain" href={hashOf("table")}>
          All as a table
        </a>
      </div>
      {report.isWhole && <RunsFound report={report} />}
      <Listed id="open-ends" title="How answers end" items={endings(report)} />
      <Facts report={report} />
      <TokenizerChoice {...report} />
      <Listed id="open-missing" title="What the files do not tell" items={report.missing.map(({ what, why }) => `${what}: ${why}`)} />
      <ColumnTable key={JSON.stringify(report.columns)} columns={report.columns} />
      <Listed
        id="open-broken"
        title={`${counted(broken.count, "row")} could not be read`}
        items={broken.first.map(({ where, why }) => `${where}: ${why}`)}
        more={broken.count - broken.first.length}
      />
      <Listed id="open-notes" title="Notes" items={report.notes} />
    </section>
  );
}
