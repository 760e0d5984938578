// Everything a configuration may say, and every task, algorithm, preset and reward rule.
import type { Field } from "../../protocol/config/fields.ts";
import { unknownName } from "../../protocol/problems.ts";
import { CommandError } from "../lab/exit.ts";
import { columns } from "../lab/texts.ts";
import { defineVerb, type Report } from "../lab/verb.ts";

function fieldRow({ key, kind, preset, min, max, choices, help }: Field): readonly string[] {
  const range = choices ? choices.join(" | ") : kind === "flag" ? "true | false" : min === undefined ? kind : `${min} .. ${max ?? ""}`;
  return [`  ${key}`, String(preset), range.length > 60 ? kind : range, help];
}

const named = (entries: readonly { readonly id: string; readonly summary: string }[]) =>
  columns(entries.map(({ id, summary }) => [`  ${id}`, summary]));

/** Keys of configuration files that are no fields. */
const OF_FILES = {
  preset: "NAME: its settings below those of the file",
  reward: "FILE.ts:NAME, a function of your own (init reward)",
  task: "FILE.ts:NAME, a task of your own (init task, init task --tools), or the id of one above",
  data: "a file of questions and answers, or several keys (schema data)",
  tools: "[calculate, search]: tools of the lab beside data or a task of your own; taskOptions maxCalls and announceTools go with them",
  callSeconds:
    "what one call of a reward or task of your own may take (5, and 60 for what a promise waits for): then its verdict is null, or its conversation ends with env-error",
} as const;

/** A key of configuration files that is no single field: what stands in a file beside them, and what holds names with values. */
async function keyReport(name: string): Promise<Report | null> {
  if (name === "data") {
    const { jsonSchemaOf } = await import("../../protocol/config/fields.ts");
    const { dataSchema } = await import("../custom/dataTask.ts");
    const keys = Object.entries(dataSchema.shape).map(([key, { description = "" }]) => [`  ${key}`, description]);
    const text = `data: problems from a file, as "data: ./problems.csv" or with these keys; paths are relative to the configuration\n${columns(keys)}\nexample: data: { file: ./train.parquet, heldOut: ./test.parquet, question: prompt, answer: result }`;
    return { facts: { data: jsonSchemaOf(dataSchema) }, text };
  }
  const { runConfigSchema } = await import("../../protocol/config.ts");
  const { catalog } = await import("../../train/catalog.ts");
  const ofFile = Object.entries(OF_FILES).find(([key]) => key === name && key !== "task")?.[1];
  const isRecord = Object.hasOwn(runConfigSchema.shape, name) && !catalog.fields.some(({ key }) => key === name);
  const help = ofFile ?? (isRecord ? runConfigSchema.shape[name as keyof typeof runConfigSchema.shape].meta()?.description : undefined);
  return help === undefined ? null : { facts: { field: { key: name, help } }, text: `${name}: ${help}` };
}

export const schema = defineVerb({
  name: "schema",
  help: "Print every field of a configuration with its default and range, and all tasks, algorithms, rewards and presets; or one of them.",
  operands: ["[NAME]"],
  options: {},
  async run({ operands }) {
    const { catalog } = await import("../../train/catalog.ts");
    const { runConfigSchema } = await import("../../protocol/config.ts");
    const { rewardRules } = await import("../../rl/rewards/library/index.ts");
    const { templates } = await import("../../rl/templates/index.ts");
    const { jsonSchemaOf } = await import("../../protocol/config/fields.ts");
    const listed = [...catalog.tasks, ...catalog.algorithms, ...catalog.presets, ...templates];
    const rules = rewardRules.map(({ name, title, help, weight, fields }) => ({ name, title, help, weight, fields }));
    const [name] = operands;
    if (name === undefined) {
      const text = [
        "fields (with default and range):",
        columns(catalog.fields.map(fieldRow)),
        ...["", "tasks (schema TASK shows its options):", named(catalog.tasks), "", "algorithms:", named(catalog.algorithms)],
        ...["", "rewards that any task can add (rewardRules):", columns(rules.map((rule) => [`  ${rule.name}`, rule.help]))],
        ...["", "presets (preset: NAME in a configuration):", named(catalog.presets)],
        ...["", "templates (preset: NAME too; their code lies in examples/templates):", named(templates)],
        ...["", "what stands in a configuration's file beside the fields:"],
        columns(Object.entries(OF_FILES).map(([key, help]) => [`  ${key}`, help])),
      ].join("\n");
      return {
        facts: {
          ofFiles: OF_FILES,
          configuration: jsonSchemaOf(runConfigSchema),
          ...catalog,
          templates,
          rewardRules: rules,
        },
        text,
      };
    }
    if (name === "rewards" || name === "rewardRules")
      return { facts: { rewardRules: rules }, text: columns(rules.map((rule) => [`  ${rule.name}`, rule.help])) };
    const key = await keyReport(name);
    if (key) return key;
    const field = catalog.fields.find(({ key }) => key === name);
    if (field) return { facts: { field }, text: columns([fieldRow(field)]) };
    const entry = listed.find(({ id }) => id === name);
    const rule = rules.find((each) => each.name === name);
    const found = entry ?? rule;
    if (!found) {
      const keys = ["rewards", ...Object.keys(OF_FILES), ...Object.keys(runConfigSchema.shape)];
      const known = [...keys, ...[...listed.map(({ id }) => id), ...rules.map((each) => each.name)]];
      throw new CommandError(unknownName("the name", name, known));
    }
    const fields = "fields" in found ? columns(found.fields.map(fieldRow)) : "";
    const settings = "config" in found ? `sets ${JSON.stringify(found.config)}` : "";
    const rewards =
      "rewards" in found ? `rewards:\n${columns(found.rewards.map((each) => [`  ${each.name}`, `weight ${each.weight}`, each.help]))}` : "";
    const about = entry ? entry.summary : (rule?.help ?? "");
    return { facts: { entry: found }, text: [`${name}: ${about}`, fields, rewards, settings].filter(Boolean).join("\n") };
  },
});
