// What a completion is rewarded for: the task's own parts with their weights, rules of the library added to
// them, each with its settings, and gates, which decide the total alone where their part is not met.
import { useMemo } from "react";
import type { CatalogReward, RewardRuleEntry } from "../../../protocol/catalog.ts";
import { editReward } from "../../engine/draftActions.ts";
import type { RewardEntries } from "../../engine/store/draft/rewardDraft.ts";
import { useCatalog } from "../../engine/store/useRunView.ts";
import { RemoveButton } from "../../kit/controls/Button.tsx";
import { NumberInput } from "../../kit/controls/TextInput.tsx";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { Adder } from "../../kit/form/Adder.tsx";
import { FieldInput } from "../../kit/form/FieldInput.tsx";
import { lazyPart } from "../../kit/lazyPart.tsx";
import { useDraftView, useFormTask } from "./draftView.ts";
import { Fields, RewardPart, weightField } from "./Fields.tsx";

interface RuleFormProps {
  readonly rule: RewardRuleEntry;
  readonly settings: RewardEntries["rewardRules"];
}

function RuleForm({ rule, settings }: RuleFormProps) {
  const view = useDraftView();
  return (
    <RewardPart part={rule} record="rewardRules" about={rule.help}>
      {rule.fields.map((field) => (
        <FieldInput
          key={field.key}
          field={field}
          value={settings[field.key] ?? field.preset}
          problem={view.problemOf(`rewardRules.${rule.name}.${field.key}`)}
          onChange={(value) => editReward("rewardRules", rule.name, { ...settings, [field.key]: value })}
        />
      ))}
    </RewardPart>
  );
}

function Gates({ parts }: { readonly parts: readonly CatalogReward[] }) {
  const view = useDraftView();
  const gates = view.shown.rewardGates ?? {};
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
              onChange={(total) => editReward("rewardGates", name, total)}
            />
            <RemoveButton label={`Remove the gate of ${title}`} onPress={() => editReward("rewardGates", name, null)} />
          </div>
        ))}
      <Adder
        options={parts.filter(({ name }) => !(name in gates)).map(({ name, title }) => ({ id: name, title }))}
        onAdd={(name) => editReward("rewardGates", name, 0)}
      >
        Add a gate
      </Adder>
    </>
  );
}

const CustomRewards = lazyPart(() => import("../customize/CustomRewards.tsx"), "CustomRewards");

/** @param isBesideCode whether the code of own rewards stands beside the form */
export function RewardsForm({ isBesideCode = false }: { readonly isBesideCode?: boolean }) {
  const catalog = useCatalog();
  const view = useDraftView();
  const task = useFormTask();
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
      <Fields fields={weights} record="rewardWeights" />
      {rules.map((rule) => (
        <RuleForm key={rule.name} rule={rule} settings={chosen[rule.name] ?? {}} />
      ))}
      <FaultBoundary part="Rewards of your own" isBrief>
        <CustomRewards isBesideCode={isBesideCode} />
      </FaultBoundary>
      <div>
        <Adder
          options={left.map(({ name, title, help }) => ({ id: name, title, summary: help }))}
          onAdd={(name) => editReward("rewardRules", name, {})}
        >
          Add a reward
        </Adder>
        <Gates parts={[...task.rewards, ...rules, ...own]} />
      </div>
      <p className="fine-print">A gate sets the whole reward where its part does not score 1.</p>
    </>
  );
}
