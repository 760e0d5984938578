// Edits of a draft's own task: its problems, what opens its conversations, its environment.
import type { Catalog } from "../../../../protocol/catalog.ts";
import { RECORDS } from "../../../../protocol/config/configFacts.ts";
import type { RunConfigInput } from "../../../../protocol/config.ts";
import type { CustomTaskInput } from "../../../../protocol/custom/customTasks.ts";
import { type Draft, presetOf, resolveDraft } from "./draftConfig.ts";

/** What a first task of one's own is called in configurations. */
const FIRST_NAME = "mine";
export const FIRST_TITLE = "Your own task";

/** The task of one's own that a draft trains, as far as it is one. */
export function ownTaskOf({ task = "", customTasks }: RunConfigInput): { readonly name: string; readonly own: CustomTaskInput } | null {
  const own = customTasks?.[task];
  return own ? { name: task, own } : null;
}

/** Of names of rewards those that belong to no task. */
function ofNoTask<T>(
  record: Readonly<Record<string, T>> | undefined,
  { rewardRules = {}, customRewards = {}, judges = {} }: RunConfigInput,
) {
  const kept = { ...rewardRules, ...customRewards, ...judges };
  return Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => name in kept));
}

/** A draft that trains a task of one's own: the one it trained, changed, or a first one in the place of another task. */
export function withOwnTask(catalog: Catalog, draft: Draft, change: (own: CustomTaskInput) => CustomTaskInput): Draft {
  const { shown } = resolveDraft(catalog, draft);
  const found = ownTaskOf(shown);
  if (found) return { ...draft, edits: { ...draft.edits, customTasks: { ...shown.customTasks, [found.name]: change(found.own) } } };
  // What the preset sets of its own task would name nothing; the rest of it goes on as edits.
  // Those of a logits table would wreck a transformer.
  const before = shown.model === "tabular" ? {} : { ...presetOf(catalog, draft.presetId).config, ...draft.edits };
  const kept = Object.entries(before).filter(([key]) => key !== "task" && !RECORDS.has(key));
  const { rewardRules, customRewards, judges, rewardWeights, rewardGates } = shown;
  return {
    presetId: presetOf(catalog, "").id,
    edits: {
      ...Object.fromEntries(kept),
      task: FIRST_NAME,
      customTasks: { [FIRST_NAME]: change({ title: FIRST_TITLE }) },
      ...(rewardRules && Object.keys(rewardRules).length > 0 ? { rewardRules } : {}),
      ...(customRewards && Object.keys(customRewards).length > 0 ? { customRewards } : {}),
      ...(judges && Object.keys(judges).length > 0 ? { judges } : {}),
      rewardWeights: ofNoTask(rewardWeights, shown),
      rewardGates: ofNoTask(rewardGates, shown),
    },
  };
}

/** A draft whose task of one's own has another name. @param shown what the draft comes to */
export function withTaskNamed(draft: Draft, name: string, shown: RunConfigInput): Draft {
  const found = ownTaskOf(shown);
  if (!found || found.name === name) return draft;
  const { [found.name]: own, ...others } = shown.customTasks ?? {};
  return { ...draft, edits: { ...draft.edits, task: name, customTasks: { ...others, [name]: own! } } };
}
