// Reads a schema back as a list of plain field descriptions, so that forms, the catalog and the
// command line build themselves from the one table in config.ts (or a task's own options).

import { orElse } from "../problems.ts";
import { z } from "../zod.ts";
import type { FieldGroup } from "./field.ts";

/** A configuration field as plain data. */
export interface Field {
  readonly key: string;
  readonly kind: "integer" | "number" | "choice" | "flag" | "text";
  readonly title: string;
  readonly help: string;
  readonly group: FieldGroup;
  readonly preset: number | string | boolean;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** Titles of choices, where they are more than the id in words; see choiceTitle. */
  readonly titles?: Readonly<Record<string, string>>;
  readonly unit?: string;
  /** A text of several lines. */
  readonly lines?: true;
  /** A text that must be a regular expression of JavaScript. */
  readonly isExpression?: true;
  /** What a text must match, and the sentence where it does not. */
  readonly pattern?: string;
  readonly mustBe?: string;
  /** Characters of a text. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly live: boolean;
  /** Decided when a run starts. */
  readonly fixed: boolean;
  readonly advanced: boolean;
  /** Among what most comparisons are about. */
  readonly compared?: true;
}

interface JsonProperty
  extends Partial<
    Pick<
      Field,
      | "title"
      | "group"
      | "unit"
      | "lines"
      | "isExpression"
      | "pattern"
      | "mustBe"
      | "minLength"
      | "maxLength"
      | "titles"
      | "live"
      | "fixed"
      | "advanced"
      | "compared"
    >
  > {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: Field["preset"];
  readonly description?: string;
  readonly const?: unknown;
}

function kindOf(property: JsonProperty): Field["kind"] | null {
  if (property.const !== undefined) return null;
  if (property.enum) return "choice";
  const kinds = { integer: "integer", number: "number", boolean: "flag", string: "text" } as const;
  return kinds[property.type as keyof typeof kinds] ?? null;
}

/**
 * What a schema takes in, as JSON schema. It is asked here: where a program loads the schema library as it goes, a bundler keeps
 * all of it, with its sentences in fifty languages.
 */
export function jsonSchemaOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: "input" });
}

/** The fields of an object schema in declaration order; nested records and constants are left out. */
export function fieldsOf(schema: z.ZodObject): readonly Field[] {
  const json = jsonSchemaOf(schema) as { properties?: Record<string, JsonProperty> };
  const fields: Field[] = [];
  for (const [key, property] of Object.entries(json.properties ?? {})) {
    const kind = kindOf(property);
    if (!kind || property.default === undefined || !property.group) continue;
    fields.push({
      key,
      kind,
      title: property.title ?? key,
      help: property.description ?? "",
      group: property.group,
      preset: property.default,
      ...(property.minimum === undefined ? {} : { min: property.minimum }),
      ...(property.maximum === undefined ? {} : { max: property.maximum }),
      ...(property.enum ? { choices: property.enum } : {}),
      ...(property.titles ? { titles: property.titles } : {}),
      ...(property.unit ? { unit: property.unit } : {}),
      ...(property.lines ? { lines: true } : {}),
      ...(property.isExpression ? { isExpression: true } : {}),
      ...(property.pattern && property.mustBe ? { pattern: property.pattern, mustBe: property.mustBe } : {}),
      ...(property.minLength === undefined ? {} : { minLength: property.minLength }),
      ...(property.maxLength === undefined ? {} : { maxLength: property.maxLength }),
      live: property.live ?? false,
      fixed: property.fixed ?? false,
      advanced: property.advanced ?? false,
      ...(property.compared ? { compared: true } : {}),
    });
  }
  return fields;
}

/** The same when they are first asked for: reading all schemas back takes longer than a small run. */
export function fieldsLater(schema: z.ZodObject): () => readonly Field[] {
  let fields: readonly Field[] | null = null;
  return () => {
    fields ??= fieldsOf(schema);
    return fields;
  };
}

/** Whether a text is a regular expression with the flags that patterns are read with: a dot matches line ends, too. */
export const isExpression = (source: string): boolean => orElse(() => Boolean(new RegExp(source, "su")), false);

/** The rule of a field's value, for whoever has the description alone. */
export function schemaOf(field: Field): z.ZodType {
  const { kind, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, choices = [], minLength = 0 } = field;
  if (kind === "choice") return z.enum(choices);
  if (kind === "flag") return z.boolean();
  if (kind !== "text") return (kind === "integer" ? z.int() : z.number()).min(min).max(max);
  const text = z
    .string()
    .min(minLength)
    .max(field.maxLength ?? Number.MAX_SAFE_INTEGER);
  if (field.pattern !== undefined) return text.regex(new RegExp(field.pattern), field.mustBe ?? "must have another form");
  return field.isExpression ? text.refine(isExpression, "must be a regular expression") : text;
}

/** The rule of a record with these fields, each of which may be left out. */
export function schemaOfRecord(fields: readonly Field[]): z.ZodObject {
  return z.strictObject(Object.fromEntries(fields.map((field) => [field.key, schemaOf(field).optional()])));
}

/** What people read for a choice: its title, or the id as words ("max-tokens" is "Max tokens"). */
export function choiceTitle({ titles }: Pick<Field, "titles">, id: string): string {
  const words = id.replaceAll("-", " ");
  return titles?.[id] ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
