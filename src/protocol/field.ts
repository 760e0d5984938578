// Builders for configuration fields: a zod type that carries its title, help, group and whether it
// may change while a run is going. They keep config.ts a table that reads like documentation.
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

interface FieldFlags {
  /** May change while the run goes on; other changes apply on restart. */
  readonly live?: boolean;
  /** Hidden behind "more" in forms. */
  readonly advanced?: boolean;
  /** Unit shown after the value. */
  readonly unit?: string;
}

/** A whole number in [min, max]. */
export function integer(
  min: number,
  max: number,
  preset: number,
  group: FieldGroup,
  title: string,
  description: string,
  flags: FieldFlags = {},
) {
  return z
    .int()
    .min(min)
    .max(max)
    .default(preset)
    .meta({ title, description, group, ...flags });
}

/** A finite real number in [min, max]. */
export function number(
  min: number,
  max: number,
  preset: number,
  group: FieldGroup,
  title: string,
  description: string,
  flags: FieldFlags = {},
) {
  return z
    .number()
    .min(min)
    .max(max)
    .default(preset)
    .meta({ title, description, group, ...flags });
}

/** One of a fixed list of words. */
export function choice<const T extends readonly [string, ...string[]]>(
  options: T,
  preset: T[number],
  group: FieldGroup,
  title: string,
  description: string,
  flags: FieldFlags = {},
) {
  return z
    .enum(options)
    .default(preset as z.util.NoUndefined<T[number]>)
    .meta({ title, description, group, ...flags });
}

/** On or off. */
export function flag(preset: boolean, group: FieldGroup, title: string, description: string, flags: FieldFlags = {}) {
  return z
    .boolean()
    .default(preset)
    .meta({ title, description, group, ...flags });
}

/** A name, checked later against the registry it points into. */
export function text(preset: string, group: FieldGroup, title: string, description: string, flags: FieldFlags = {}) {
  return z
    .string()
    .min(1)
    .max(80)
    .default(preset)
    .meta({ title, description, group, ...flags });
}
