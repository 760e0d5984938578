// Rewards that whoever sits here writes: code that scores a finished conversation, in the form beside the task's own.
import type { Catalog, TaskEntry } from "../../protocol/catalog.ts";
import type { CustomReward } from "../../protocol/config/customRewards.ts";
import { changeDraft } from "../actions.ts";
import { Adder } from "../controls/Adder.tsx";
import { RemoveButton } from "../controls/Button.tsx";
import { TextInput } from "../controls/TextInput.tsx";
import { withCustom, withEntries, withoutCustom } from "../store/draft/rewardDraft.ts";
import type { DraftView } from "../train/form/draftView.ts";
import { Fields, weightField } from "../train/form/Fields.tsx";
import { markRead } from "./sourcesRead.ts";
import { rewardTemplates } from "./templates.ts";
import "./customize.css";

interface CustomRewardsProps {
  readonly catalog: Catalog;
  readonly view: DraftView;
  readonly task: TaskEntry;
}

type Given = { readonly source: string } & Partial<Omit<CustomReward, "source">>;

interface OwnRewardProps extends Omit<CustomRewardsProps, "task"> {
  readonly name: string;
  readonly reward: Given;
}

function OwnReward({ catalog, view, name, reward }: OwnRewardProps) {
  const { title = name, source } = reward;
  // What is typed here is read here: it runs without a question.
  const write = (text: string) => {
    markRead([text]);
    changeDraft((draft) => withCustom(catalog, draft, name, { ...reward, source: text }));
  };
  const problem = view.problemOf(`customRewards.${name}`) ?? view.problemOf(`customRewards.${name}.source`);
  return (
    <fieldset className="rule custom-reward">
      <legend className="rule-title">{title}</legend>
      <RemoveButton
        className="rule-remove"
        label={`Remove ${title}`}
        onPress={() => changeDraft((draft) => withoutCustom(catalog, draft, name))}
      />
      <p className="aside">
        Your own code, in TypeScript or JavaScript. It is handed question, answer, text, messages and stopReason, and gives a number.
      </p>
      <Fields
        fields={[weightField({ name, title, weight: 1, help: "A reward of your own." }, "Weight")]}
        view={view}
        record="rewardWeights"
      />
      <TextInput label="Code" value={source} hasLines problem={problem} onChange={write} />
    </fieldset>
  );
}

/** A name that no reward of the draft or the task has yet. */
function freeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}${n}`;
    if (!taken.includes(name)) return name;
  }
}

export function CustomRewards({ catalog, view, task }: CustomRewardsProps) {
  const own = view.shown.customRewards ?? {};
  const add = (id: string) => {
    const template = rewardTemplates.find((each) => each.id === id);
    if (!template) return;
    markRead([template.source]);
    const ofTask = task.rewards.map(({ name }) => name);
    const name = freeName(id, [...ofTask, ...Object.keys(own)]);
    const { title, source } = template;
    changeDraft((draft) => {
      const first = Object.keys(own).length === 0;
      // The first one decides alone; the task's own rewards go on as metrics.
      const quiet = first ? withEntries(draft, "rewardWeights", Object.fromEntries(ofTask.map((each) => [each, 0]))) : draft;
      return withCustom(catalog, quiet, name, { title, source });
    });
  };
  return (
    <>
      {Object.entries(own).map(([name, reward]) => (
        <OwnReward key={name} catalog={catalog} view={view} name={name} reward={reward as Given} />
      ))}
      <div className="rewards-add">
        <Adder options={rewardTemplates} onAdd={add}>
          Write a reward
        </Adder>
      </div>
    </>
  );
}
