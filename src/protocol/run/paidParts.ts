// What a run is paid for: the parts of its reward with the weights that its configuration gives them. A run is judged by
// these, and by its accuracy only where one of them pays for right answers.
import type { Catalog, CatalogReward } from "../catalog.ts";
import type { RunConfig } from "../config.ts";
import { customEntries } from "../custom/customEntry.ts";

export interface PaidPart {
  readonly name: string;
  readonly title: string;
  /** 0 for what is only measured. */
  readonly weight: number;
  /** Whether it pays for right answers, wholly or in part. */
  readonly paysAnswers: boolean;
}

/** All parts of a run's reward, those that are only measured included; null where nobody here knows the task's. */
export function paidParts(config: RunConfig, { tasks, rewardRules }: Pick<Catalog, "tasks" | "rewardRules">): readonly PaidPart[] | null {
  const task = [...customEntries(config.customTasks), ...tasks].find(({ id }) => id === config.task);
  if (!task) return null;
  // What somebody else makes of the parts may pay for any of them.
  const isRemade = config.rewardTransform !== null;
  const ofTask = task.rewards.some(({ paysAnswers }) => paysAnswers) ? task.rewards : task.rewards.map(alsoForAnswers);
  const ofLibrary = rewardRules.filter(({ name }) => Object.hasOwn(config.rewardRules, name));
  // A rule that the library has not is custom, from a file. Custom code and prompts that look at the expected answer pay for it.
  const own: Readonly<Record<string, { readonly title?: string | undefined; readonly source?: string; readonly prompt?: string }>> = {
    ...config.customRewards,
    ...config.judges,
  };
  const ownRules = Object.keys(config.rewardRules).filter((name) => !ofLibrary.some((rule) => rule.name === name));
  const parts: readonly Omit<CatalogReward, "help">[] = [
    ...ofTask,
    ...ofLibrary,
    ...ownRules.map((name) => ({ name, title: name, weight: 1 })),
    ...Object.entries(own).map(([name, { title, source, prompt }]) => ({
      name,
      title: title ?? name,
      weight: 1,
      ...(/\banswer\b/.test(source ?? "") || prompt?.includes("{answer}") ? { paysAnswers: true as const } : {}),
    })),
  ];
  return parts.map(({ name, title, weight: usual, paysAnswers = false }) => {
    const weight = config.rewardWeights[name] ?? usual;
    const counts = weight !== 0 || isRemade || Object.hasOwn(config.rewardGates, name);
    return { name, title, weight, paysAnswers: paysAnswers && counts };
  });
}

const alsoForAnswers = (part: CatalogReward): CatalogReward => ({ ...part, paysAnswers: true });

/** Whether accuracy is a measure of the run: somebody pays for it, or what is right is decided by the reward itself. */
export function paysForAnswers(parts: readonly PaidPart[] | null | undefined): boolean {
  return !parts || parts.length === 0 || parts.some(({ paysAnswers }) => paysAnswers);
}

/** Parts that are named one by one. */
const NAMED = 3;

/** What pays, in quotes: “Closeness of the sum”, “Right answer + 0.1 × Right form”; "" where that is not known. */
export function paidText(parts: readonly PaidPart[] | null | undefined): string {
  const paid = (parts ?? []).filter(({ weight }) => weight !== 0);
  if (paid.length === 0) return "";
  const terms = paid.slice(0, NAMED).map(({ title, weight }, i) => {
    const sign = weight < 0 ? (i === 0 ? "−" : " − ") : i === 0 ? "" : " + ";
    return `${sign}${Math.abs(weight) === 1 ? "" : `${Number(Math.abs(weight).toPrecision(3))} × `}${title}`;
  });
  return `“${terms.join("")}${paid.length > NAMED ? ` and ${paid.length - NAMED} more` : ""}”`;
}
