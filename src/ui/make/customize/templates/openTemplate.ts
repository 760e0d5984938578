// A template taken up: the whole draft becomes it, and its code opens where it can be changed.

import { codeIn } from "../../../../protocol/config/customRewards.ts";
import type { RunConfigInput } from "../../../../protocol/config.ts";
import { templates } from "../../../../rl/templates/index.ts";
import type { Template } from "../../../../rl/templates/template.ts";
import { changeDraft } from "../../../engine/draftActions.ts";
import { goTo } from "../../../engine/route.ts";
import { noteTyped } from "../../../engine/sourcesRead.ts";
import { presetOf } from "../../../engine/store/draft/draftConfig.ts";
import { catalogNow } from "../../../engine/store/useRunView.ts";
import { useCustomize } from "../customizeStore.ts";
import { isOtherThan } from "../reward/otherCode.ts";

/** The template that a configuration trains, as long as some of its code is left; null once all of that was written anew. */
export function templateOf(config: Pick<RunConfigInput, "task" | "customTasks" | "customRewards">): Template | null {
  const { task, customTasks } = config;
  const found = templates.find(({ id }) => id === task);
  if (!found || !customTasks || !Object.hasOwn(customTasks, found.id)) return null;
  const [shipped, now] = [found.config, config].map((each) => codeIn(each).map(({ source }) => source));
  const mended = Object.values(found.diagnosis?.mended ?? {}).map(({ source }) => source);
  return isOtherThan([...(shipped ?? []), ...mended], now ?? []) ? null : found;
}

/** The section of Customize in which its code is. */
export function sectionOf({ config }: Template): "environment" | "reward" {
  return config.customRewards ? "reward" : "environment";
}

/** Its code is the lab's own: it runs without a question. */
function allow(config: RunConfigInput): void {
  for (const { source } of codeIn(config)) noteTyped(source);
}

export function openTemplate(template: Template): void {
  allow(template.config);
  useCustomize.setState({ reward: null, refusal: null });
  changeDraft(() => ({ presetId: presetOf(catalogNow(), "").id, edits: template.config }));
  goTo("customize", { section: sectionOf(template) });
}

/** The mended version of a reward that is meant to be cheated, in the place of the first. */
export function takeMended({ diagnosis }: Template): void {
  if (!diagnosis) return;
  allow({ customRewards: diagnosis.mended });
  useCustomize.setState({ reward: null, refusal: null });
  changeDraft((draft) => ({ ...draft, edits: { ...draft.edits, customRewards: diagnosis.mended } }));
}
