// The form of one judge: its model, what it is asked, and the scale of its answers.
import { Plus } from "lucide-react";
import { useEffect } from "react";
import { OWN_MODELS } from "../../../../protocol/models/modelName.ts";
import { editReward } from "../../../engine/draftActions.ts";
import { Button, RemoveButton } from "../../../kit/controls/Button.tsx";
import { Choice, type ChoiceOption, optionsOf } from "../../../kit/controls/Choice.tsx";
import { NumberInput, TextInput } from "../../../kit/controls/TextInput.tsx";
import { useDraftView } from "../../form/draftView.ts";
import { Fields, weightField } from "../../form/Fields.tsx";
import { checkpointOf, readModels, useModels } from "../../models/modelsStore.ts";
import type { GivenJudge } from "./judgeTemplates.ts";

const READINGS = optionsOf({
  expected: "The mean over the probabilities of all its answers",
  likeliest: "Its likeliest answer",
  written: "What it writes: the last answer of the scale in it",
});

const PLACES = optionsOf({ no: "By itself", yes: "Behind the whole conversation" });

/** What the frozen start is called among the choices, where every other is a name. */
const START = "";

/** The models that can judge: the frozen start, those of the lab, those that are here, and the one that is named. */
function useJudgeModels(named: string | null): readonly ChoiceOption[] {
  const { models, served } = useModels();
  useEffect(() => {
    if (useModels.getState().models === null) void readModels();
  }, []);
  const brought = [...(models ?? []), ...served].map(checkpointOf);
  const known = [...OWN_MODELS, ...brought];
  const other = named !== null && !known.includes(named) ? [named] : [];
  const group = (name: string) => (names: readonly string[]) => names.map((id) => ({ id, title: id, group: name }));
  return [
    { id: START, title: "The frozen start of the run", summary: "The weights that the run begins with, as they were." },
    ...group("The lab's own, each for its own tasks")(OWN_MODELS),
    ...group("Brought here")([...new Set(brought)]),
    ...group("Not here yet")(other),
  ];
}

interface JudgeFormProps {
  readonly name: string;
  readonly judge: GivenJudge;
}

type SetJudge = (change: Partial<GivenJudge>) => void;

function Scale({
  of,
  scale,
  problem,
  set,
}: {
  /** The judge that has it. */
  readonly of: string;
  readonly scale: GivenJudge["scale"];
  readonly problem: string | undefined;
  readonly set: SetJudge;
}) {
  const rows = Object.entries(scale);
  const put = (changed: readonly (readonly [string, number])[]) => set({ scale: Object.fromEntries(changed) });
  const refusal = (own: string) => (typed: string) =>
    typed.trim() === "" || (typed !== own && typed in scale) ? "An answer must have a word of its own" : undefined;
  return (
    <fieldset className="gap-x-1 grid justify-items-start">
      <legend className="field-label">Its answers, and what each is worth</legend>
      {rows.map(([answer, worth], i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <div key={i} className="judge-answer grid gap-1 w-full">
          <TextInput
            label={`Answer ${i + 1}`}
            keepAs={`scale/${of}/${i}`}
            value={answer}
            refusal={refusal(answer)}
            onChange={(text) => put(rows.map((row, at) => (at === i ? [text, worth] : row)))}
          />
          <NumberInput
            label="Worth"
            keepAs={`worth/${of}/${i}`}
            name={`The worth of ${answer}`}
            value={worth}
            onChange={(value) => put(rows.map((row, at) => (at === i ? [answer, value] : row)))}
          />
          <RemoveButton label={`Remove the answer ${answer}`} onPress={() => put(rows.filter((_, at) => at !== i))} />
        </div>
      ))}
      {problem && <p className="field-error">{problem}</p>}
      <Button kind="quiet" onPress={() => put([...rows, [`answer ${rows.length + 1}`, 0]])}>
        <Plus size={14} aria-hidden="true" /> Add an answer of the scale
      </Button>
    </fieldset>
  );
}

export function JudgeForm({ name, judge }: JudgeFormProps) {
  const view = useDraftView();
  const { title = name, checkpoint = null, system = "", prompt, scale, asTurns = false, read = "expected", maxTokens = 24 } = judge;
  const set: SetJudge = (change) => editReward("judges", name, { ...judge, ...change });
  const problemOf = (field: string) => view.problemOf(`judges.${name}.${field}`);
  return (
    <div className="reward-code">
      {view.problemOf(`judges.${name}`) && <p className="field-error">{view.problemOf(`judges.${name}`)}</p>}
      <TextInput label="Title" keepAs={`title/${name}`} value={title} onChange={(text) => set({ title: text.slice(0, 60) || name })} />
      <Choice
        label="Model that judges"
        value={checkpoint ?? START}
        options={useJudgeModels(checkpoint)}
        problem={problemOf("checkpoint")}
        onChange={(id) => set({ checkpoint: id === START ? null : id })}
      />
      <TextInput
        label="System prompt"
        keepAs={`system/${name}`}
        value={system}
        problem={problemOf("system")}
        onChange={(text) => set({ system: text })}
      />
      <TextInput
        label="What it is asked"
        keepAs={`asked/${name}`}
        value={prompt}
        hasLines
        problem={problemOf("prompt")}
        onChange={(text) => set({ prompt: text })}
      />
      <p className="fine-print">
        In it {"{text}"} stands for the answer, {"{question}"} for what was asked, {"{answer}"} for what the task expects,{" "}
        {"{conversation}"} for all that was said.
      </p>
      <Choice label="The prompt stands" value={asTurns ? "yes" : "no"} options={PLACES} onChange={(id) => set({ asTurns: id === "yes" })} />
      <Scale of={name} scale={scale} problem={problemOf("scale")} set={set} />
      <Choice label="Its verdict is" value={read} options={READINGS} onChange={(id) => set({ read: id as typeof read })} />
      {read === "written" && (
        <NumberInput
          label="Most tokens that it writes"
          keepAs={`maxTokens/${name}`}
          name="Most tokens that it writes"
          value={maxTokens}
          problem={problemOf("maxTokens")}
          onChange={(value) => set({ maxTokens: value })}
        />
      )}
      <Fields fields={[weightField({ name, title, weight: 1, help: "A judge." }, "Weight")]} record="rewardWeights" />
    </div>
  );
}
