// What a completion is rewarded for: the task's own parts with their weights, rules of the library added to
// them, each with its settings, and gates, which decide the total alone where their part is not met.
import { useMemo } from "react";
import type { Catalog, CatalogReward, RewardRuleEntry, TaskEntry } from "../../../protocol/catalog.ts";
import { changeDraft } from "../../engine/draftActions.ts";
import { withGate, withoutGate, withoutRule, withRule } from "../../engine/store/draft/rewardDraft.ts";
import { RemoveButton } from "../../kit/controls/Button.tsx";
import { NumberInput } from "../../kit/controls/TextInput.tsx";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { Adder } from "../../kit/form/Adder.tsx";
import { FieldInput } from "../../kit/form/FieldInput.tsx";
import { lazyPart } from "../../kit/lazyPart.tsx";
import type { DraftView } from "./draftView.ts";
import { Fields, weightField } from "./Fields.tsx";

interface FormProps {
  readonly catalog: Catalog;
  readonly view: DraftView;
}

interface RuleFormProps extends FormProps {
  readonly rule: RewardRuleEntry;
  readonly settings: Readonly<Record<string, unknown>>;
}

function RuleForm({ catalog, view, rule, settings }: RuleFormProps) {
  const set = (key: string, value: number | string | boolean) =>
    changeDraft((draft) => withRule(catalog, draft, rule.name, { ...(settings as Record<string, typeof value>), [key]: value }));
  return (
    <fieldset className="rule">
      <legend className="rule-title">{rule.title}</legend>
      <RemoveButton
        className="rule-remove"
        label={`Remove ${rule.title}`}
        onPress={() => changeDraft((draft) => withoutRule(catalog, draft, rule.name))}
      />
      <p className="aside">{rule.help}</p>
      {rule.weight === 0 ? (
        <p className="aside">A metric: it is shown and never trained on.</p>
      ) : (
        <Fields fields={[weightField(rule, "Weight")]} view={view} record="rewardWeights" />
      )}
      {rule.fields.map((field) => (
        <FieldInput
          key={field.key}
          field={field}
          value={settings[field.key] ?? field.preset}
          problem={view.problemOf(`rewardRules.${rule.name}.${field.key}`)}
          onChange={(value) => set(field.key, value)}
        />
      ))}
    </fieldset>
  );
}

interface GatesProps extends FormProps {
  readonly parts: readonly CatalogReward[];
}

function Gates({ catalog, view, parts }: GatesProps) {
  const gates = view.shown.rewardGates ?? {};
  const add = (name: string) => changeDraft((draft) => withGate(catalog, draft, name, 0));
  return (
    <>
      {parts
        .filter(({ name }) => name in gates)
        .map(({ name, title }) => (
          <div key={name} className="gate grid items-center">
            <NumberInput
              label={`Reward unless “${title}” is 1`}
              name={`The reward unless ${title} is 1`}
              keepAs={`gate/${name}`}
              value={gates[name] ?? 0}
              problem={view.problemOf(`rewardGates.${name}`)}
              onChange={(total) => changeDraft((draft) => withGate(catalog, draft, name, total))}
            />
            <RemoveButton label={`Remove the gate of ${title}`} onPress={() => changeDraft((draft) => withoutGate(catalog, draft, name))} />
          </div>
        ))}
      <Adder options={parts.filter(({ name }) => !(name in gates)).map(({ name, title }) => ({ id: name, title }))} onAdd={add}>
        Add a gate
      </Adder>
    </>
  );
}

const CustomRewards = lazyPart(() => import("../customize/CustomRewards.tsx"), "CustomRewards");

interface RewardsFormProps extends FormProps {
  readonly task: TaskEntry;
  /** Whether the code of own rewards stands beside the form. */
  readonly isBesideCode?: boolean;
}

export function RewardsForm({ catalog, view, task, isBesideCode = false }: RewardsFormProps) {
  const chosen = view.shown.rewardRules ?? {};
  const rules = catalog.rewardRules.filter(({ name }) => name in chosen);
  const weights = useMemo(() => task.rewards.map((reward) => weightField(reward)), [task]);
  const own = Object.entries({ ...view.shown.customRewards, ...view.shown.judges }).map(([name, { title }]) => ({
    name,
    title: title ?? name,
    weight: 1,
    help: "",
  }));
  const left = catalog.rewardRules.filter(({ name }) => !(name in chosen));
  return (
    <>
      <p className="fold-caption fine-print">Rewards and their weights</p>
      <Fields fields={weights} view={view} record="rewardWeights" />
      {rules.map((rule) => (
        <RuleForm key={rule.name} catalog={catalog} view={view} rule={rule} settings={chosen[rule.name] ?? {}} />
      ))}
      <FaultBoundary part="Rewards of your own" isBrief>
        <CustomRewards catalog={catalog} view={view} task={task} isBesideCode={isBesideCode} />
      </FaultBoundary>
      <div className="rewards-add">
        <Adder
          options={left.map(({ name, title, help }) => ({ id: name, title, summary: help }))}
          onAdd={(name) => changeDraft((draft) => withRule(catalog, draft, name, {}))}
        >
          Add a reward
        </Adder>
        <Gates catalog={catalog} view={view} parts={[...task.rewards, ...rules, ...own]} />
      </div>
      <p className="fine-print">A gate sets the whole reward where its part does not score 1.</p>
    </>
  );
}
