// What a step's rewards can be made of: the parts that it has by itself, what may be added, and what may not, with the reason. Of a run the
// parts are its task's; of another program's files they are those that were recorded, and what can be asked is what the files can answer.
import { useMemo } from "react";
import type { Catalog } from "../../../../protocol/catalog.ts";
import type { StepGroups } from "../../../../protocol/messages.ts";
import { filedParts, lackOf } from "../../../../rl/otherwise/fileRewards.ts";
import { rewardRules } from "../../../../rl/rewards/library/index.ts";
import { resolveDraft } from "../../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../../engine/store/draft/draftStore.ts";
import type { Listed, OtherRewards } from "./otherRewards.ts";

/** Code or a judge that stands in the form, by its name. */
export interface Brought extends Listed {
  readonly adds: Pick<OtherRewards, "customRewards" | "judges">;
}

export interface RewardSources {
  readonly own: readonly Listed[];
  readonly rules: typeof rewardRules;
  readonly brought: readonly Brought[];
  /** Rules and judges by why they are not offered. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
}

const NO_START = "it judges by the start of a run, and these rollouts have none here";

function broughtBy(catalog: Catalog, draft: Parameters<typeof resolveDraft>[1]) {
  const { config } = resolveDraft(catalog, draft);
  const { customRewards = {}, judges = {} } = config ?? {};
  const code = Object.entries(customRewards).map(
    ([name, reward]): Brought => ({
      name,
      title: reward.title ?? name,
      help: "Your own code, from the form.",
      weight: 1,
      adds: { customRewards: { [name]: reward } },
    }),
  );
  const withModel = Object.entries(judges).filter(([, { checkpoint }]) => checkpoint);
  const models = withModel.map(
    ([name, judge]): Brought => ({
      name,
      title: judge.title ?? name,
      help: `A judge, by ${judge.checkpoint}.`,
      weight: 1,
      adds: { judges: { [name]: judge } },
    }),
  );
  const startless = Object.entries(judges).flatMap(([name, { checkpoint, title }]) => (checkpoint ? [] : [title ?? name]));
  return { brought: [...code, ...models], startless };
}

/** Of files, whatever can be asked of them; of a run null. */
function ofFiles({ groups }: StepGroups, catalog: Catalog, draft: Parameters<typeof resolveDraft>[1]): RewardSources {
  const refused = new Map<string, string[]>();
  const refuse = (why: string, title: string) => refused.set(why, [...(refused.get(why) ?? []), title]);
  const rules = rewardRules.filter((rule) => {
    const lack = lackOf(rule, groups);
    if (lack !== null) refuse(lack, rule.title);
    return lack === null;
  });
  const { brought, startless } = broughtBy(catalog, draft);
  for (const title of startless) refuse(NO_START, title);
  const own = filedParts(groups).map(({ name, weight }) => ({
    name,
    title: name,
    weight: weight ?? 1,
    help: weight === null ? "As the files have it. They do not say its weight." : "As the files have it.",
  }));
  return { own, rules, brought, refused };
}

const NONE: Pick<RewardSources, "brought" | "refused"> = { brought: [], refused: new Map() };

/** @param isTraced whether the step is another program's */
export function useRewardSources(step: StepGroups, catalog: Catalog | null, isTraced: boolean): RewardSources {
  const draft = useDraft((facts) => facts.draft);
  return useMemo(() => {
    if (isTraced && catalog) return ofFiles(step, catalog, draft);
    return { own: catalog?.tasks.find(({ id }) => id === step.config.task)?.rewards ?? [], rules: rewardRules, ...NONE };
  }, [step, catalog, isTraced, draft]);
}
