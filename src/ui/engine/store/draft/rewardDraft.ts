// Edits of what a draft's reward is made of: rules, code of one's own, judges and gates, a record of the configuration each. A record is
// written whole, in the place of the preset's; what is paid for takes its weight and its gate along as it goes, which would name nothing.
import type { Catalog } from "../../../../protocol/catalog.ts";
import type { RunConfig, RunConfigInput } from "../../../../protocol/config.ts";
import { type Draft, resolveDraft, withEdit } from "./draftConfig.ts";

/** What an entry of each record is. */
export interface RewardEntries {
  readonly rewardRules: RunConfig["rewardRules"][string];
  readonly customRewards: NonNullable<RunConfigInput["customRewards"]>[string];
  readonly judges: NonNullable<RunConfigInput["judges"]>[string];
  /** The total where the part is below 1. */
  readonly rewardGates: number;
}
export type RewardRecord = keyof RewardEntries;

/** With an entry, new or in the place of what it was. */
export function withReward<R extends RewardRecord>(
  catalog: Catalog,
  draft: Draft,
  record: R,
  name: string,
  entry: RewardEntries[R],
): Draft {
  return withEdit(catalog, draft, record, { ...resolveDraft(catalog, draft).shown[record], [name]: entry });
}

export function withoutReward(catalog: Catalog, draft: Draft, record: RewardRecord, name: string): Draft {
  const left = without(resolveDraft(catalog, draft).shown[record] ?? {}, name);
  return withEdit(catalog, record === "rewardGates" ? draft : withoutWeight(catalog, draft, name), record, left);
}

function without(entries: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== name));
}

/** Without the weight and the gate of a reward that goes. */
function withoutWeight(catalog: Catalog, draft: Draft, name: string): Draft {
  const { rewardWeights = {}, ...edits } = withoutReward(catalog, draft, "rewardGates", name).edits;
  const { [name]: _, ...weights } = rewardWeights;
  return { ...draft, edits: Object.keys(weights).length > 0 ? { ...edits, rewardWeights: weights } : edits };
}
