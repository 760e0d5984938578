// What is wrong with the rules that a configuration chooses, by their names and schemas alone: the page checks with those of
// its catalog, the engine with the rules themselves.
import type { Catalog } from "../../protocol/catalog.ts";
import { schemaOfRecord } from "../../protocol/config/fields.ts";
import { type Problem, problemsOf, unknownName } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";

/** A rule as far as its settings are checked. */
export interface CheckedRule {
  readonly name: string;
  readonly settingsSchema: z.ZodObject;
}

/** Making a schema takes longer than reading with it. */
const rules = new WeakMap<Catalog, readonly CheckedRule[]>();

/** The rules that a catalog lists, with schemas made of their fields. */
export function rulesOf(catalog: Catalog): readonly CheckedRule[] {
  const known = rules.get(catalog);
  if (known) return known;
  const made = catalog.rewardRules.map(({ name, fields }) => ({ name, settingsSchema: schemaOfRecord(fields) }));
  rules.set(catalog, made);
  return made;
}

/** Settings of each chosen rule by its name; settings that are left out have their defaults. */
export type ChosenRules = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What is wrong with a choice of rules, a sentence each. */
export function ruleProblems(chosen: ChosenRules, rules: readonly CheckedRule[]): readonly Problem[] {
  return Object.entries(chosen).flatMap(([name, settings]): readonly Problem[] => {
    const rule = rules.find((each) => each.name === name);
    if (!rule) {
      const known = rules.map((each) => each.name);
      return [{ field: `rewardRules.${name}`, message: unknownName("rewardRules", name, known) }];
    }
    // Parsed inside records so that an error names "rewardRules.lengthTarget.width".
    const input = { rewardRules: { [name]: settings } };
    const parsed = z.object({ rewardRules: z.object({ [name]: rule.settingsSchema }) }).safeParse(input);
    return parsed.success ? [] : problemsOf(parsed.error, input);
  });
}
