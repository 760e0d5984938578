// Reward parts by their titles: the names are for scripts and addresses.
import type { Catalog } from "../../protocol/catalog.ts";
import { rewardRules } from "../../rl/rewards/library/index.ts";
import { useEngine } from "../store/useRunView.ts";

/** The title of a reward part, a task's or one of the library; its name in words where neither has it. */
export function rewardTitle(catalog: Catalog | null, name: string): string {
  const ofTasks = catalog?.tasks.flatMap(({ rewards }) => rewards) ?? [];
  const known = [...ofTasks, ...rewardRules].find((reward) => reward.name === name);
  if (known) return known.title;
  const words = name.replace(/([a-z])([A-Z])/g, (_, end: string, next: string) => `${end} ${next.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The same with the page's catalog. */
export function useRewardTitle(): (name: string) => string {
  const catalog = useEngine((facts) => facts.catalog);
  return (name) => rewardTitle(catalog, name);
}
