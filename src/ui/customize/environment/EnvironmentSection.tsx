// An environment of one's own: the code that answers the model, its limits, and a pane in which somebody plays it before any
// model does.
import type { CustomTaskInput } from "../../../protocol/custom/customTasks.ts";
import { templates } from "../../../rl/templates/index.ts";
import { changeDraft } from "../../actions.ts";
import { Adder } from "../../controls/Adder.tsx";
import { RemoveButton } from "../../controls/Button.tsx";
import { HintedForm } from "../../controls/Hint.tsx";
import { NumberInput, TextInput } from "../../controls/TextInput.tsx";
import { ownTaskOf, withOwnTask } from "../../store/draft/taskDraft.ts";
import type { TaskForm } from "../../train/form/draftView.ts";
import { noteTyped } from "../sourcesRead.ts";
import { openTemplate } from "../templates/openTemplate.ts";
import { PlayPane } from "./PlayPane.tsx";
import "./environment.css";

type Environment = NonNullable<CustomTaskInput["environment"]>;

/** Templates with an environment of their own. */
const environments = templates.filter(({ config }) => Object.values(config.customTasks ?? {}).some(({ environment }) => environment));

const CONTRACT =
  "It exports some of draw (makes a problem), start (opens a conversation), tools (functions that the model may call) and step (answers a turn: what is said next, a reward, whether it is over). State is plain data that goes from turn to turn.";

interface EditorProps extends TaskForm {
  readonly environment: Environment;
}

function Editor({ catalog, view, environment }: EditorProps) {
  const name = ownTaskOf(view.shown)?.name ?? "";
  const set = (changed: Partial<Environment>) =>
    changeDraft((draft) => withOwnTask(catalog, draft, (own) => ({ ...own, environment: { ...environment, ...changed } })));
  const field = `customTasks.${name}.environment`;
  // What is typed here is read here: it runs without a question.
  const write = (source: string) => {
    noteTyped(source);
    set({ source });
  };
  const whole = (key: "turns" | "calls", label: string, preset: number) => (
    <NumberInput
      name={label}
      label={label}
      value={environment[key] ?? preset}
      problem={view.problemOf(`${field}.${key}`)}
      onChange={(value) => set({ [key]: value })}
    />
  );
  return (
    <>
      <RemoveButton
        className="environment-remove"
        label="Remove the environment"
        onPress={() => changeDraft((draft) => withOwnTask(catalog, draft, ({ environment: _, ...own }) => own))}
      />
      <p className="aside">Your own code, in TypeScript or JavaScript. {CONTRACT}</p>
      <TextInput
        label="Code of the environment"
        value={environment.source}
        hasLines
        problem={view.problemOf(`${field}.source`)}
        onChange={write}
      />
      {whole("turns", "Most turns", 4)}
      {whole("calls", "Most calls", 3)}
    </>
  );
}

/** The section of Customize about environments and tools. */
export function EnvironmentSection(form: TaskForm) {
  const { catalog, view } = form;
  const environment = ownTaskOf(view.shown)?.own.environment;
  const begin = (id: string) => {
    const template = environments.find((each) => each.id === id);
    if (template) openTemplate(catalog, template);
  };
  return (
    <div className="environment-section">
      <HintedForm className="config" label="Code and limits">
        {environment ? (
          <Editor {...form} environment={environment} />
        ) : (
          <p className="soft">{form.task.title} is answered as it is. An environment of your own answers the model turn by turn instead.</p>
        )}
        <Adder options={environments} onAdd={begin}>
          {environment ? "Start over from" : "Write an environment"}
        </Adder>
      </HintedForm>
      {environment && view.config && <PlayPane key={environment.source} config={view.config} />}
    </div>
  );
}
