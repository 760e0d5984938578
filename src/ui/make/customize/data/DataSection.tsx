// Prompts and data of one's own: typed, from a file, or from a data set of the hub; then what opens every conversation, and
// the whole as the model reads it.
import type { CustomTaskInput, OwnProblem } from "../../../../protocol/custom/customTasks.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { changeOwnTask, edit } from "../../../engine/draftActions.ts";
import { ownTaskOf } from "../../../engine/store/draft/taskDraft.ts";
import { HintedForm } from "../../../kit/controls/Hint.tsx";
import { Problem } from "../../../kit/controls/States.tsx";
import { NumberInput, TextInput } from "../../../kit/controls/TextInput.tsx";
import { useDraftView, useFormTask } from "../../form/draftView.ts";
import { useCustomize } from "../customizeStore.ts";
import { thingInForm } from "../library/formThings.ts";
import { KeptMark } from "../library/KeptMark.tsx";
import { BringData, takeProblems } from "./BringData.tsx";
import { complain, keepTyped } from "./dataStore.ts";
import { Opening } from "./Opening.tsx";
import { linesOf, typedProblems } from "./typedPrompts.ts";
import "./data.css";

/** Typed problems that a configuration holds itself. */
const MOST_TYPED = 500;

const HELP = "One prompt a line, with the answer behind => where there is one: What is 3 + 4? => 7";

interface PartProps {
  readonly own: CustomTaskInput | null;
}

/** What is wrong with lines that are typed, if something is. */
function lineRefusal(text: string): string | undefined {
  const read = typedProblems(text);
  return typeof read === "string" ? read : undefined;
}

function Typed({ own }: PartProps) {
  const lines = own?.data ? "" : linesOf(own?.problems ?? []);
  const take = (text: string) => {
    const read = typedProblems(text);
    if (typeof read === "string") return;
    if (read.length <= MOST_TYPED) takeProblems({ problems: read });
    else keepTyped(read).then(({ held }) => takeProblems(held), complain);
  };
  if (lines === null)
    return (
      <p className="aside">
        These problems have texts of several lines, which you cannot type here. To change them, bring their file again.
      </p>
    );
  return (
    <>
      <TextInput label="Prompts" value={lines} hasLines keepAs="prompts" refusal={lineRefusal} onChange={take} />
      <p className="aside">{HELP}</p>
    </>
  );
}

/** How many problems there are, and where they are. */
function countText({ problems = [], data, environment }: CustomTaskInput): string {
  if (data)
    return `${counted(data.rows, "problem")} of ${data.name}, ${data.answers === data.rows ? "all" : data.answers} with an answer. They are kept in this browser by their content.`;
  if (problems.length === 0) return environment ? "The environment draws its problems." : "There is no prompt yet.";
  const answers = problems.filter(({ answer = "" }) => answer !== "").length;
  const known = answers === problems.length ? "all" : answers === 0 ? "none" : String(answers);
  return `${counted(problems.length, "problem")}, ${known} with an answer.`;
}

function Solved({ own }: PartProps) {
  const hasAnswers = own?.data ? own.data.answers > 0 : own?.problems?.some(({ answer = "" }) => answer !== "");
  if (!own || hasAnswers || own.environment) return null;
  return (
    <>
      <NumberInput
        keepAs="solvedFrom"
        name="Right from"
        label="Counts as right from a reward of"
        value={own.solvedFrom ?? 1}
        onChange={(solvedFrom) => changeOwnTask((before) => ({ ...before, solvedFrom }))}
      />
      <p className="aside">
        No answers are known, so add a reward under Reward to say what is better. Accuracy counts the answers that earn this much or more.
      </p>
    </>
  );
}

/** Questions and answers that are shown before each problem. */
function Examples() {
  const view = useDraftView();
  const lines = linesOf((view.shown.examples ?? []) as readonly OwnProblem[]) ?? "";
  const take = (text: string) => {
    const read = typedProblems(text);
    if (typeof read === "string") return;
    edit(
      "examples",
      read.map(({ question, answer }) => ({ question, answer })),
    );
  };
  const problem = view.problemOf("examples");
  return (
    <TextInput
      label="Examples shown first"
      value={lines}
      hasLines
      keepAs="examples"
      refusal={lineRefusal}
      problem={problem}
      onChange={take}
    />
  );
}

/** The section of Customize about prompts and data. */
export function DataSection() {
  const task = useFormTask();
  const { shown } = useDraftView();
  const found = ownTaskOf(shown);
  const own = found?.own ?? null;
  const thing = found && thingInForm(shown, "task", found.name);
  const problem = useCustomize(({ data }) => data.problem);
  const notes = useCustomize(({ data }) => data.notes);
  const system = (text: string) => changeOwnTask((before) => ({ ...before, system: text }));
  return (
    <div className="data-section">
      <HintedForm label="Problems and what opens them">
        {own ? (
          <p role="status">
            {countText(own)}{" "}
            {own.problems?.some(({ heldOut }) => heldOut)
              ? "Those marked are held out."
              : "One in eight is held out for evaluation, and at least eight of 32 or more."}
          </p>
        ) : (
          <p className="soft">{task.title} has problems of its own. What you bring here takes their place.</p>
        )}
        <Typed own={own} />
        <BringData />
        {notes.map((note) => (
          <p key={note} className="aside" role="status">
            {note}.
          </p>
        ))}
        <Problem text={problem} isOfField />
        {own && (
          <>
            <TextInput label="System prompt" value={own.system ?? ""} hasLines keepAs="system" onChange={system} />
            <Examples />
            <Solved own={own} />
            {thing && <KeptMark key={thing.name} thing={thing} />}
          </>
        )}
      </HintedForm>
      <Opening />
    </div>
  );
}
