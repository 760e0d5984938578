// Builders for configuration fields: a zod type that carries its title, help, group and the facts of its
// field, such as that it may change while a run goes on. They keep config.ts a table that reads like
// documentation.

import { z } from "../zod.ts";
import { type NoEffect, SUPERVISED } from "./noEffect.ts";

interface FieldSection {
  readonly title: string;
  /** Where none of its fields changes anything. */
  readonly noEffect?: readonly NoEffect[];
}

const sections = {
  run: { title: "Run" },
  model: { title: "Model" },
  sampling: { title: "Sampling" },
  advantage: { title: "Advantage", noEffect: [SUPERVISED] },
  objective: { title: "Objective", noEffect: [SUPERVISED] },
  kl: { title: "KL to reference", noEffect: [SUPERVISED] },
  critic: { title: "Critic", noEffect: [SUPERVISED] },
  optimizer: { title: "Optimizer" },
  evaluation: { title: "Evaluation" },
  engine: { title: "Engine" },
  /** Options of a task and weights of its rewards: fields of the task's entry. */
  task: { title: "Task and rewards" },
} as const satisfies Readonly<Record<string, FieldSection>>;
/** A section of the fields. */
export type FieldGroup = keyof typeof sections;
/** Sections of the configuration form. */
export const FIELD_GROUPS: Readonly<Record<FieldGroup, FieldSection>> = sections;

/** What a field says about itself beside its range; every list of fields elsewhere follows from these. */
export interface FieldFacts {
  /** May change while the run goes on; other changes apply on restart. */
  readonly live?: true;
  /** Decided when a run starts, such as what its model is made of: no change on the way can set it. */
  readonly fixed?: true;
  /** Decides how much an answer earns: rewards that differ in it are not compared. */
  readonly inReward?: true;
  /** Read when advantages are computed. */
  readonly inAdvantages?: true;
  /** Read by the per-token objective. */
  readonly inObjective?: true;
  /** A choice of the algorithm that decides how hard a sampled token is pushed. */
  readonly weighsTokens?: true;
  /** Where the field changes nothing, and why; beside what its whole section says. */
  readonly noEffect?: readonly NoEffect[];
  /** Hidden behind "more" in forms. */
  readonly advanced?: true;
  /** Says how a run is computed and kept, not what comes of it. */
  readonly aside?: true;
  /** Among what most comparisons are about. */
  readonly compared?: true;
  /** A text of several lines. */
  readonly lines?: true;
  /** A text that must be a regular expression of JavaScript. */
  readonly isExpression?: true;
  /** What a text must be that has a pattern. */
  readonly mustBe?: string;
  /** Unit shown after the value. */
  readonly unit?: string;
  /** Titles of the choices whose title is not their id in words. */
  readonly titles?: Readonly<Record<string, string>>;
}

/** A schema that carries the facts of its field, in its type too. */
export type Declared<Schema extends z.ZodType, Facts extends FieldFacts> = Schema & { readonly facts: Facts | undefined };

/** Any schema as a field. */
export function declare<Schema extends z.ZodType, const Facts extends FieldFacts>(
  schema: Schema,
  title: string,
  description: string,
  facts?: Facts,
): Declared<Schema, Facts> {
  return Object.assign(schema.meta({ title, description, ...facts }), { facts });
}

/** Fields as a section of the configuration; each carries its group. */
export function section<Fields extends Readonly<Record<string, Declared<z.ZodType, FieldFacts>>>>(group: FieldGroup, fields: Fields) {
  const placed = Object.entries(fields).map(([key, field]) => {
    const schema = field.meta({ ...field.meta(), group });
    return [key, Object.assign(schema, { group, facts: field.facts })];
  });
  return Object.fromEntries(placed) as { [K in keyof Fields]: Fields[K] & { readonly group: FieldGroup } };
}

const bounded =
  (schema: z.ZodNumber) =>
  <const Facts extends FieldFacts>(min: number, max: number, preset: number, title: string, description: string, facts?: Facts) =>
    declare(schema.min(min).max(max).default(preset), title, description, facts);

/** A whole number in [min, max]. */
export const integer = bounded(z.int());
/** A finite real number in [min, max]. */
export const number = bounded(z.number());

/** One of a fixed list of words. */
export function choice<const T extends readonly [string, ...string[]], const Facts extends FieldFacts>(
  options: T,
  preset: T[number],
  title: string,
  description: string,
  facts?: Facts,
) {
  return declare(z.enum(options).default(preset as z.util.NoUndefined<T[number]>), title, description, facts);
}

/** On or off. */
export function flag<const Facts extends FieldFacts>(preset: boolean, title: string, description: string, facts?: Facts) {
  return declare(z.boolean().default(preset), title, description, facts);
}

/** A name, checked later against the registry it points into. */
export function text<const Facts extends FieldFacts>(preset: string, title: string, description: string, facts?: Facts) {
  return declare(z.string().min(1).max(80).default(preset), title, description, facts);
}
