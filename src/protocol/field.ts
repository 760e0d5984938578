// Builders for configuration fields: a zod type that carries its title, help, group and the facts of its
// field, such as that it may change while a run goes on. They keep config.ts a table that reads like
// documentation.
import { z } from "zod";

/** Sections of the configuration form, in order. */
export const FIELD_GROUPS = [
  "run",
  "model",
  "sampling",
  "advantage",
  "objective",
  "kl",
  "critic",
  "optimizer",
  "evaluation",
  "engine",
] as const;
export type FieldGroup = (typeof FIELD_GROUPS)[number] | "task";

/** What a field says about itself beside its range; every list of fields elsewhere follows from these. */
export interface FieldFacts {
  /** May change while the run goes on; other changes apply on restart. */
  readonly live?: true;
  /** Hidden behind "more" in forms. */
  readonly advanced?: true;
  /** Unit shown after the value. */
  readonly unit?: string;
}

/** A schema that carries the facts of its field, in its type too. */
export type Declared<Schema extends z.ZodType, Facts extends FieldFacts> = Schema & { readonly facts: Facts | undefined };

function declare<Schema extends z.ZodType, Facts extends FieldFacts>(
  schema: Schema,
  group: FieldGroup,
  title: string,
  description: string,
  facts: Facts | undefined,
): Declared<Schema, Facts> {
  return Object.assign(schema.meta({ title, description, group, ...facts }), { facts });
}

/** A whole number in [min, max]. */
export function integer<const Facts extends FieldFacts>(
  min: number,
  max: number,
  preset: number,
  group: FieldGroup,
  title: string,
  description: string,
  facts?: Facts,
) {
  return declare(z.int().min(min).max(max).default(preset), group, title, description, facts);
}

/** A finite real number in [min, max]. */
export function number<const Facts extends FieldFacts>(
  min: number,
  max: number,
  preset: number,
  group: FieldGroup,
  title: string,
  description: string,
  facts?: Facts,
) {
  return declare(z.number().min(min).max(max).default(preset), group, title, description, facts);
}

/** One of a fixed list of words. */
export function choice<const T extends readonly [string, ...string[]], const Facts extends FieldFacts>(
  options: T,
  preset: T[number],
  group: FieldGroup,
  title: string,
  description: string,
  facts?: Facts,
) {
  return declare(z.enum(options).default(preset as z.util.NoUndefined<T[number]>), group, title, description, facts);
}

/** On or off. */
export function flag<const Facts extends FieldFacts>(
  preset: boolean,
  group: FieldGroup,
  title: string,
  description: string,
  facts?: Facts,
) {
  return declare(z.boolean().default(preset), group, title, description, facts);
}

/** A name, checked later against the registry it points into. */
export function text<const Facts extends FieldFacts>(preset: string, group: FieldGroup, title: string, description: string, facts?: Facts) {
  return declare(z.string().min(1).max(80).default(preset), group, title, description, facts);
}
