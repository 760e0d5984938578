// Edits of a draft's reward rules and gates. Both are written whole, in the place of the preset's; a rule
// that goes takes its weight and its gate along, which would name nothing.
import type { Catalog } from "../../../../protocol/catalog.ts";
import type { RunConfig } from "../../../../protocol/config.ts";
import { type Draft, resolveDraft, withEdit } from "./draftConfig.ts";

type RuleSettings = RunConfig["rewardRules"][string];

function without<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

/** A rule with these settings, new or in the place of its old ones. */
export function withRule(catalog: Catalog, draft: Draft, name: string, settings: RuleSettings): Draft {
  const { rewardRules = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, draft, "rewardRules", { ...rewardRules, [name]: settings });
}

export function withoutRule(catalog: Catalog, draft: Draft, name: string): Draft {
  const { rewardRules = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, withoutWeight(catalog, draft, name), "rewardRules", without(rewardRules, name));
}

/** Without the weight and the gate of a reward that goes. */
function withoutWeight(catalog: Catalog, draft: Draft, name: string): Draft {
  const ungated = withoutGate(catalog, draft, name);
  const { rewardWeights = {}, ...edits } = ungated.edits;
  const weights = without(rewardWeights, name);
  return { ...ungated, edits: Object.keys(weights).length > 0 ? { ...edits, rewardWeights: weights } : edits };
}

type CustomRewards = NonNullable<Draft["edits"]["customRewards"]>;

/** A reward of somebody's own, new or in the place of what it was. */
export function withCustom(catalog: Catalog, draft: Draft, name: string, reward: CustomRewards[string]): Draft {
  const { customRewards = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, draft, "customRewards", { ...customRewards, [name]: reward });
}

/** Edits after several weights were set. */
export function withEntries(draft: Draft, record: "rewardWeights", values: Readonly<Record<string, number>>): Draft {
  return { ...draft, edits: { ...draft.edits, [record]: { ...draft.edits[record], ...values } } };
}

export function withoutCustom(catalog: Catalog, draft: Draft, name: string): Draft {
  const { customRewards = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, withoutWeight(catalog, draft, name), "customRewards", without(customRewards, name));
}

type Judges = NonNullable<Draft["edits"]["judges"]>;

/** A judge, new or in the place of what it was. */
export function withJudge(catalog: Catalog, draft: Draft, name: string, judge: Judges[string]): Draft {
  const { judges = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, draft, "judges", { ...judges, [name]: judge });
}

export function withoutJudge(catalog: Catalog, draft: Draft, name: string): Draft {
  const { judges = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, withoutWeight(catalog, draft, name), "judges", without(judges, name));
}

/** A gate: the total where the part is below 1. */
export function withGate(catalog: Catalog, draft: Draft, name: string, total: number): Draft {
  const { rewardGates = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, draft, "rewardGates", { ...rewardGates, [name]: total });
}

export function withoutGate(catalog: Catalog, draft: Draft, name: string): Draft {
  const { rewardGates = {} } = resolveDraft(catalog, draft).shown;
  return withEdit(catalog, draft, "rewardGates", without(rewardGates, name));
}
