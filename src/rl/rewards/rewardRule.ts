// A reward rule is a reward part before its settings are chosen: a task names the rules it scores with
// and their settings, so that one rule serves many tasks.
import { z } from "zod";
import { type Field, fieldsOf } from "../../protocol/fields.ts";
import { parseOrThrow } from "../../protocol/problems.ts";
import type { Example, RewardPart, Trajectory } from "../types.ts";

export interface RewardRule {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  /** Default weight; 0 makes it a metric only. */
  readonly weight: number;
  readonly fields: readonly Field[];
  /** The part with these settings; missing ones get their defaults. Throws InputError naming the setting. */
  part(settings?: Readonly<Record<string, unknown>>): RewardPart;
}

interface RuleDefinition<Settings extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  readonly weight: number;
  readonly settings: Settings;
  score(settings: z.output<Settings>, example: Example, trajectory: Trajectory): number | null;
}

/** No settings. */
export const noSettings = z.strictObject({});

/** A rule from its definition. */
export function defineReward<Settings extends z.ZodObject>(definition: RuleDefinition<Settings>): RewardRule {
  const { name, title, help, weight } = definition;
  return {
    name,
    title,
    help,
    weight,
    fields: fieldsOf(definition.settings),
    part(given = {}) {
      const settings = parseOrThrow(definition.settings, given);
      return { name, title, help, weight, score: (example, trajectory) => definition.score(settings, example, trajectory) };
    },
  };
}

/** Text of the last assistant message, or null when the policy said nothing. */
export function finalAnswer(trajectory: Trajectory): string | null {
  return trajectory.messages.findLast((message) => message.role === "assistant")?.content ?? null;
}
