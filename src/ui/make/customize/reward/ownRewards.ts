// Rewards of somebody's own as the draft has them: new names, and what a starter, a file or a judge's template adds.
import { type CustomReward, customRewardSchema, REWARD_NAME } from "../../../../protocol/config/customRewards.ts";
import { parseOrThrow } from "../../../../protocol/problems.ts";
import { rewardRules } from "../../../../rl/rewards/library/index.ts";
import { changeDraft } from "../../../engine/draftActions.ts";
import { type Draft, resolveDraft, withEntry } from "../../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../../engine/store/draft/draftStore.ts";
import { type RewardEntries, withReward } from "../../../engine/store/draft/rewardDraft.ts";
import { catalogNow } from "../../../engine/store/useRunView.ts";
import { useCustomize } from "../customizeStore.ts";

/** As it stands in a draft, where what is at its default may be left out. */
export type GivenReward = Pick<CustomReward, "source"> & Partial<Omit<CustomReward, "source">>;

/**
 * With everything that was left out. Throws an InputError that says what is wrong with one that nobody can call yet,
 * such as code without a letter.
 */
export function wholeReward(reward: GivenReward): CustomReward {
  return parseOrThrow(customRewardSchema, reward);
}

/** Whether there is something to call, to keep or to save. */
export const isWhole = (reward: GivenReward): boolean => customRewardSchema.safeParse(reward).success;

/** A name that code can be called by, made of a title and like none of those taken. */
export function freeName(title: string, taken: readonly string[]): string {
  const words = title
    .replace(/[^A-Za-z0-9 ]/g, " ")
    .trim()
    .split(/\s+/);
  const camel = words.map((word, i) => (i === 0 ? word.toLowerCase() : word.slice(0, 1).toUpperCase() + word.slice(1))).join("");
  const base = REWARD_NAME.test(camel.slice(0, 24)) ? camel.slice(0, 24) : "mine";
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}${n}`;
    if (!taken.includes(name)) return name;
  }
}

/**
 * Adds a reward or a judge to the draft and opens it. The first one decides alone: the task's own rewards go on as metrics.
 * @param wanted the name it would like to have; made of its title where left out.
 */
export function addOwn<R extends "customRewards" | "judges">(record: R, own: RewardEntries[R], wanted = ""): string {
  const catalog = catalogNow();
  const { task, customRewards = {}, judges = {} } = resolveDraft(catalog, useDraft.getState().draft).shown;
  const ofTask = catalog.tasks.find(({ id }) => id === task)?.rewards.map(({ name }) => name) ?? [];
  const taken = [...ofTask, ...Object.keys({ ...customRewards, ...judges }), ...rewardRules.map(({ name }) => name)];
  const name = REWARD_NAME.test(wanted) && !taken.includes(wanted) ? wanted : freeName(own.title ?? "mine", taken);
  const isFirst = Object.keys(record === "judges" ? judges : customRewards).length === 0;
  const quiet = (draft: Draft) => ofTask.reduce((changed, each) => withEntry(changed, "rewardWeights", each, 0), draft);
  changeDraft((draft) => withReward(catalog, isFirst ? quiet(draft) : draft, record, name, own));
  useCustomize.setState(record === "judges" ? { judge: name } : { reward: name });
  return name;
}
