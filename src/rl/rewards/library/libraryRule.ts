// A reward rule that any task can be scored with, beside the parts that the task names itself. A
// configuration chooses it by name and gives its settings, which a schema checks; its entry says what
// forms and catalogs show.
import { choice } from "../../../protocol/config/field.ts";
import { type Field, fieldsLater } from "../../../protocol/config/fields.ts";
import type { z } from "../../../protocol/zod.ts";
import type { RewardPart, RulePart, Trajectory } from "../../types.ts";
import { lastBoxed } from "../match/semanticMatch.ts";
import { defineReward, finalAnswer, type RewardEntry, type RuleDefinition } from "../rewardRule.ts";
import { lastTagged } from "../taggedAnswer.ts";

/** A reward rule that any configuration can name, with settings of its own. */
export interface LibraryRule extends RewardEntry {
  readonly settingsSchema: z.ZodObject;
  readonly fields: readonly Field[];
  /** What a verdict looks at beside what was said: the right answer, why the conversation ended, what its environment reported. */
  readonly needs?: readonly ("answer" | "stop" | "environment")[];
  /**
   * The same in Python, for exports to TRL and verl: an expression, or functions of which the last is the rule. It is given the
   * conversation (Judged) and the settings by name, and may call what stands in cli/exports/trl/python/rewards.py. An export
   * of a rule without one is refused by its name.
   */
  readonly python?: string;
  /** Its Python reads conversations without tools alone: what it looks at in others is not exported. */
  readonly pythonWithoutTools?: true;
  /** The part with these settings, which have passed the schema; missing ones get their defaults. */
  part(settings: Readonly<Record<string, unknown>>): RewardPart;
}

/** A rule whose part is a plain function. */
export interface PlainRule extends LibraryRule {
  part(settings: Readonly<Record<string, unknown>>): RulePart;
}

/** What a rule of the library is made from. */
export interface LibraryRuleDefinition<Settings extends z.ZodObject> extends RuleDefinition<z.output<Settings>> {
  readonly settingsSchema: Settings;
  readonly needs?: NonNullable<LibraryRule["needs"]>;
  readonly python?: string;
  readonly pythonWithoutTools?: true;
}

/** A rule from its definition. */
export function defineLibraryRule<Settings extends z.ZodObject>(definition: LibraryRuleDefinition<Settings>): PlainRule {
  const { settingsSchema, needs, python, pythonWithoutTools, ...written } = definition;
  const rule = defineReward<z.output<Settings>>(written);
  const fields = fieldsLater(settingsSchema);
  return {
    ...rule,
    settingsSchema,
    ...(needs ? { needs } : {}),
    ...(python === undefined ? {} : { python }),
    ...(pythonWithoutTools ? { pythonWithoutTools } : {}),
    get fields() {
      return fields();
    },
    part: (settings) => rule.part(settingsSchema.parse(settings)),
  };
}

/** Where in the last message the answer is looked for. */
const PLACES = ["message", "box", "tag"] as const;

/** The setting that says so. */
export const answerPlace = choice(PLACES, "message", "Answer in", "The whole last message, its last \\boxed{}, or its last <answer>.", {
  titles: { message: "The last message", box: "Its last \\boxed{}", tag: "Its last <answer>" },
});

/** What of the last message counts as the answer: all of it, its last \boxed{}, or its last <answer>; null where that is missing. */
export function answerIn(trajectory: Trajectory, place: (typeof PLACES)[number]): string | null {
  const text = finalAnswer(trajectory);
  if (text === null || place === "message") return text;
  return place === "box" ? lastBoxed(text) : lastTagged(text);
}
