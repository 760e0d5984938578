// Reward parts by their titles: the names are for scripts and addresses.
import type { Catalog } from "../../protocol/catalog.ts";
import { useEngine } from "../store/useRunView.ts";

/** The title of a reward part, or its name in words where no task lists it, as rules of the library. */
export function rewardTitle(catalog: Catalog | null, name: string): string {
  const known = catalog?.tasks.flatMap(({ rewards }) => rewards).find((reward) => reward.name === name);
  if (known) return known.title;
  const words = name.replace(/([a-z])([A-Z])/g, (_, end: string, next: string) => `${end} ${next.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The same with the page's catalog. */
export function useRewardTitle(): (name: string) => string {
  const catalog = useEngine((facts) => facts.catalog);
  return (name) => rewardTitle(catalog, name);
}
