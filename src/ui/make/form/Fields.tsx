// The fields of one section of the form. Those that change nothing as things are lie folded behind their
// count, each reason once.
import type { ReactNode } from "react";
import type { CatalogReward } from "../../../protocol/catalog.ts";
import type { Field } from "../../../protocol/config/fields.ts";
import { editReward } from "../../engine/draftActions.ts";
import type { RewardRecord } from "../../engine/store/draft/rewardDraft.ts";
import { RemoveButton } from "../../kit/controls/Button.tsx";
import { FormFold } from "../../kit/controls/Fold.tsx";
import { ConfigField } from "./ConfigField.tsx";
import { useDraftView } from "./draftView.ts";

/** The field of a part's weight. @param label what it is called where the title stands above it. */
export function weightField({ name, title, weight, help }: CatalogReward, label = title): Field {
  const text = `${help} The weight of this part in the reward; 0 makes it a metric only.`;
  const range = { min: -10, max: 10, live: false, fixed: true, advanced: false } as const;
  return { key: name, kind: "number", title: label, help: text, group: "task", preset: weight, ...range };
}

interface FieldsProps {
  readonly fields: readonly Field[];
  /** The record of the configuration that the fields are entries of; none for its own fields. */
  readonly record?: "taskOptions" | "rewardWeights";
}

export function Fields({ fields, record }: FieldsProps) {
  const view = useDraftView();
  const shown: Readonly<Record<string, unknown>> = (record ? view.shown[record] : view.shown) ?? {};
  const edits: Readonly<Record<string, unknown>> = (record ? view.edits[record] : view.edits) ?? {};
  return fields.map((field) => {
    const name = record ? `${record}.${field.key}` : field.key;
    return (
      <ConfigField
        key={name}
        field={field}
        home={record ?? "config"}
        value={shown[field.key] ?? field.preset}
        problem={view.problemOf(name)}
        inert={view.inert.get(name)}
        waits={view.waiting.includes(name)}
        edited={field.key in edits}
      />
    );
  });
}

interface RewardPartProps {
  readonly part: CatalogReward;
  /** Where the configuration holds it. */
  readonly record: RewardRecord;
  readonly about: string;
  /** What else can be set of it. */
  readonly children: ReactNode;
}

/** A part of the reward that somebody added to the task's own, with its weight. */
export function RewardPart({ part, record, about, children }: RewardPartProps) {
  return (
    <fieldset className="rule">
      <legend className="semibold">{part.title}</legend>
      <RemoveButton className="rule-remove" label={`Remove ${part.title}`} onPress={() => editReward(record, part.name, null)} />
      <p className="aside">{about}</p>
      {part.weight === 0 ? (
        <p className="aside">A metric: it is shown and never trained on.</p>
      ) : (
        <Fields fields={[weightField(part, "Weight")]} record="rewardWeights" />
      )}
      {children}
    </fieldset>
  );
}

/** Fields under one fold each: those that matter first, what is rarely touched, and what has no effect. */
export function SortedFields({ fields }: Omit<FieldsProps, "record">) {
  const view = useDraftView();
  const isInert = ({ key }: Field) => view.inert.has(key) && view.problemOf(key) === undefined;
  const inert = fields.filter(isInert);
  const active = fields.filter((field) => !isInert(field));
  const plain = active.filter(({ advanced }) => !advanced);
  const more = active.filter(({ advanced }) => advanced);
  return (
    <>
      <Fields fields={plain} />
      {more.length > 0 && plain.length > 0 && (
        <FormFold title="More" note={String(more.length)} className="fold-more">
          <Fields fields={more} />
        </FormFold>
      )}
      {plain.length === 0 && <Fields fields={more} />}
      {inert.length > 0 && <InertFields fields={inert} />}
    </>
  );
}

function InertFields({ fields }: Omit<FieldsProps, "record">) {
  const view = useDraftView();
  const reasons = [...new Set(fields.map(({ key }) => view.inert.get(key) ?? ""))];
  return (
    <FormFold title="Without effect" note={String(fields.length)} className="fold-more">
      {reasons.map((reason) => (
        <section key={reason} className="field-inert">
          <p className="field-inert-note aside">Now without effect: {reason}.</p>
          <Fields fields={fields.filter(({ key }) => view.inert.get(key) === reason)} />
        </section>
      ))}
    </FormFold>
  );
}
