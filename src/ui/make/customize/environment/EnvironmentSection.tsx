// An environment of one's own: the code that answers the model, its limits, and a pane in which somebody plays it before any
// model does.
import { useState } from "react";
import type { CustomTaskInput } from "../../../../protocol/custom/customTasks.ts";
import { templates } from "../../../../rl/templates/index.ts";
import { changeOwnTask } from "../../../engine/draftActions.ts";
import { noteTyped } from "../../../engine/sourcesRead.ts";
import { ownTaskOf } from "../../../engine/store/draft/taskDraft.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Choice, optionsOf } from "../../../kit/controls/Choice.tsx";
import { HintedForm } from "../../../kit/controls/Hint.tsx";
import { NumberInput } from "../../../kit/controls/TextInput.tsx";
import { FaultBoundary } from "../../../kit/faults/FaultBoundary.tsx";
import { Adder } from "../../../kit/form/Adder.tsx";
import { lazyPart } from "../../../kit/lazyPart.tsx";
import { useDraftView, useFormTask } from "../../form/draftView.ts";
import { Fields, weightField } from "../../form/Fields.tsx";
import type { Complaint } from "../code/editor.ts";
import { ENVIRONMENT_GIVEN } from "../code/given.ts";
import { OptionsInput } from "../code/OptionsInput.tsx";
import { thingInForm } from "../library/formThings.ts";
import { KeptMark } from "../library/KeptMark.tsx";
import { expectEditor } from "../newCode.ts";
import { openTemplate } from "../templates/openTemplate.ts";
import { PlayPane } from "./PlayPane.tsx";
import "./environment.css";

const CodeEditor = lazyPart(() => import("../code/CodeEditor.tsx"), "CodeEditor");
const TOLD = optionsOf({ yes: "yes, in the system's turn", no: "no, the weights know them" });

type Environment = NonNullable<CustomTaskInput["environment"]>;

/** Templates with an environment of their own. */
const environments = templates.filter(({ config }) => Object.values(config.customTasks ?? {}).some(({ environment }) => environment));

const CONTRACT =
  "It exports some of draw (makes a problem), start (opens a conversation), tools (functions that the model may call) and step (answers a turn: what is said next, a reward, whether it is over). State is plain data that goes from turn to turn.";

interface EditorProps {
  readonly environment: Environment;
  /** What the sandbox says is wrong with the code. */
  readonly fault: string | null;
}

/** What is wrong, at the line that the sandbox names. */
function complaintOf(message: string | null): Complaint | null {
  if (message === null) return null;
  const line = /\(line (\d+)\)/.exec(message)?.[1];
  return { message, ...(line === undefined ? {} : { line: Number(line) }) };
}

function Editor({ environment, fault }: EditorProps) {
  const view = useDraftView();
  const task = useFormTask();
  const name = ownTaskOf(view.shown)?.name ?? "";
  const set = (changed: Partial<Environment>) => changeOwnTask((own) => ({ ...own, environment: { ...environment, ...changed } }));
  const field = `customTasks.${name}.environment`;
  // What is typed here is read here: it runs without a question.
  const write = (source: string) => {
    noteTyped(source);
    set({ source });
  };
  const whole = (key: "turns" | "calls" | "workMs", label: string, preset: number) => (
    <NumberInput
      name={label}
      keepAs={`${key}/${name}`}
      label={label}
      value={environment[key] ?? preset}
      problem={view.problemOf(`${field}.${key}`)}
      onChange={(value) => set({ [key]: value })}
    />
  );
  return (
    <>
      <p className="aside">Your own code, in TypeScript or JavaScript. {CONTRACT}</p>
      <FaultBoundary part="The editor" wait="Opening the editor …">
        <CodeEditor
          label="Code of the environment"
          source={environment.source}
          given={ENVIRONMENT_GIVEN}
          complaint={complaintOf(view.problemOf(`${field}.source`) ?? fault)}
          onChange={write}
        />
      </FaultBoundary>
      <HintedForm label="Limits and penalties">
        <p className="fold-caption fine-print">Limits</p>
        {whole("turns", "Most turns", 4)}
        {whole("calls", "Most calls", 3)}
        {whole("workMs", "Milliseconds a call may compute", 50)}
        <Choice
          label="Tools are described to the model"
          value={environment.announceTools === false ? "no" : "yes"}
          options={TOLD}
          onChange={(id) => set({ announceTools: id === "yes" })}
        />
        <p className="fold-caption fine-print">What counts: penalties have negative weights</p>
        <Fields fields={task.rewards.map((reward) => weightField(reward))} record="rewardWeights" />
        <OptionsInput of={name} options={environment.options ?? {}} onChange={(options) => set({ options: { ...options } })} />
      </HintedForm>
      <div>
        <Button onPress={() => changeOwnTask(({ environment: _, ...own }) => own)}>Remove the environment</Button>
      </div>
    </>
  );
}

/** The section of Customize about environments and tools. */
export function EnvironmentSection() {
  const task = useFormTask();
  const view = useDraftView();
  const found = ownTaskOf(view.shown);
  const environment = found?.own.environment;
  const thing = environment && found ? thingInForm(view.shown, "task", found.name) : null;
  const [fault, setFault] = useState<{ readonly of: string; readonly reason: string | null }>({ of: "", reason: null });
  const begin = (id: string) => {
    const template = environments.find((each) => each.id === id);
    if (!template) return;
    expectEditor();
    openTemplate(template);
  };
  return (
    <div className="environment-section grid grid-cols-1 gap-3">
      <div className="environment-code grid grid-cols-1 content-start gap-2">
        {environment ? (
          <Editor environment={environment} fault={fault.of === environment.source ? fault.reason : null} />
        ) : (
          <p className="soft">{task.title} already has its environment. Your own environment can answer the model turn by turn instead.</p>
        )}
        <Adder options={environments} onAdd={begin}>
          {environment ? "Start over from" : "Write an environment"}
        </Adder>
        {thing && <KeptMark key={thing.name} thing={thing} />}
      </div>
      {environment && view.config && (
        <PlayPane key={environment.source} config={view.config} onFault={(reason) => setFault({ of: environment.source, reason })} />
      )}
    </div>
  );
}
