// Judges as the draft has them: what a template adds, and which models can judge.
import { useEffect } from "react";
import type { Catalog, TaskEntry } from "../../../../protocol/catalog.ts";
import { OWN_MODELS } from "../../../../protocol/models/modelName.ts";
import { rewardRules } from "../../../../rl/rewards/library/index.ts";
import { changeDraft } from "../../../engine/draftActions.ts";
import { resolveDraft } from "../../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../../engine/store/draft/draftStore.ts";
import { withEntries, withJudge } from "../../../engine/store/draft/rewardDraft.ts";
import type { ChoiceOption } from "../../../kit/controls/Choice.tsx";
import { checkpointOf, readModels, useModels } from "../../models/modelsStore.ts";
import { openJudge } from "../customizeStore.ts";
import { freeName } from "../reward/ownRewards.ts";
import { judgeTemplates } from "./judgeTemplates.ts";

/** Adds a template to the draft and opens it. The first judge decides alone: the task's own rewards go on as metrics. */
export function addJudge(catalog: Catalog, task: TaskEntry, id: string): void {
  const template = judgeTemplates.find((each) => each.id === id);
  if (!template) return;
  const { judges = {}, customRewards = {} } = resolveDraft(catalog, useDraft.getState().draft).shown;
  const ofTask = task.rewards.map(({ name }) => name);
  const taken = [...ofTask, ...Object.keys(judges), ...Object.keys(customRewards), ...rewardRules.map(({ name }) => name)];
  const name = freeName(template.judge.title ?? template.title, taken);
  const isFirst = Object.keys(judges).length === 0;
  changeDraft((draft) => {
    const quiet = isFirst ? withEntries(draft, "rewardWeights", Object.fromEntries(ofTask.map((each) => [each, 0]))) : draft;
    return withJudge(catalog, quiet, name, template.judge);
  });
  openJudge(name);
}

/** What the frozen start is called among the choices, where every other is a name. */
export const START = "";

/** The models that can judge: the frozen start, those of the lab, those that are here, and the one that is named. */
export function useJudgeModels(named: string | null): readonly ChoiceOption[] {
  const { models, served } = useModels();
  useEffect(() => {
    if (useModels.getState().models === null) void readModels();
  }, []);
  const brought = [...(models ?? []), ...served].map(checkpointOf);
  const known = [...OWN_MODELS, ...brought];
  const other = named !== null && !known.includes(named) ? [named] : [];
  const group = (name: string) => (names: readonly string[]) => names.map((id) => ({ id, title: id, group: name }));
  return [
    { id: START, title: "The frozen start of the run", summary: "The weights that the run begins with, as they were." },
    ...group("The lab's own, each for its own tasks")(OWN_MODELS),
    ...group("Brought here")([...new Set(brought)]),
    ...group("Not here yet")(other),
  ];
}
