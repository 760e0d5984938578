// Puts a model into the form. Beside one that knows English, prompts of one's own are trained with what was measured to learn them:
// few and short answers, and a learning rate that shows within a dozen steps.
import type { RunConfigInput, RunConfigKey } from "../../../protocol/config.ts";
import { beginningWith, isNamed, OWN_MODELS, readModelName } from "../../../protocol/models/modelName.ts";
import { BESIDE_SMOLLM2, SMOLLM2 } from "../../../rl/templates/template.ts";
import { engine } from "../../engine/client.ts";
import { changeDraft } from "../../engine/draftActions.ts";
import { type Draft, resolveDraft, withEdit } from "../../engine/store/draft/draftConfig.ts";
import { ownTaskOf } from "../../engine/store/draft/taskDraft.ts";
import { checkpointOf, type ModelsFacts } from "./modelsStore.ts";
import { SUGGESTED } from "./suggested.ts";

/**
 * For prompts of one's own beside a pretrained model, where nothing else was chosen. Measured on SmolLM2 with twelve questions: one
 * sentence from 0.25 to 1 in 8 steps, a given word from 0.06 to 0.81 in 8; at a learning rate of 3e-4 nothing moved in 4.
 */
const { checkpoint: _, ...BESIDE } = BESIDE_SMOLLM2;
const OWN_PROMPTS: RunConfigInput = { ...BESIDE, promptsPerStep: 2, learningRate: 1e-3, maxCompletionTokens: 24 };

/** Whether a checkpoint is one of the lab's own small models. */
export function isSmall(checkpoint: string): boolean {
  return OWN_MODELS.includes(checkpoint);
}

/** A model as people call it. */
export function modelTitle(checkpoint: string): string {
  if (isSmall(checkpoint)) return `the lab's small “${checkpoint}”`;
  const [name = checkpoint] = checkpoint.split("/").at(-1)?.split("@") ?? [];
  return SUGGESTED.find(({ repository }) => repository.toLowerCase().endsWith(`/${name.toLowerCase()}`))?.title ?? name;
}

/** Without what was set for another kind of model. */
function withoutOf(draft: Draft, settings: RunConfigInput): Draft {
  const edits = Object.fromEntries(
    Object.entries(draft.edits).filter(
      ([key, value]) => settings[key as RunConfigKey] === undefined || settings[key as RunConfigKey] !== value,
    ),
  );
  return { ...draft, edits };
}

/** Puts a model into the form. */
export function chooseModel(checkpoint: string): void {
  const { catalog } = engine.facts.getState();
  if (!catalog) return;
  changeDraft((draft) => {
    const { shown, config } = resolveDraft(catalog, draft);
    const isOwn = ownTaskOf(shown) !== null;
    if (isSmall(checkpoint)) {
      const plain = isOwn ? withoutOf(draft, OWN_PROMPTS) : draft;
      const small = { model: "transformer", startFrom: "checkpoint", checkpoint, loraRank: 0 } as const;
      return Object.entries(small).reduce((changed, [key, value]) => withEdit(catalog, changed, key as RunConfigKey, value), plain);
    }
    const left = Object.entries(isOwn ? OWN_PROMPTS : {}).filter(([key]) => !(key in draft.edits));
    const settings = {
      ...Object.fromEntries(left),
      ...beginningWith(checkpoint, { loraRank: config?.loraRank || (isOwn ? BESIDE_SMOLLM2.loraRank : 0) }),
    };
    return Object.entries(settings).reduce((changed, [key, value]) => withEdit(catalog, changed, key as RunConfigKey, value), draft);
  });
}

/** What a configuration calls SmolLM2 here: where it is kept or served under any name, that one. @returns whether it is here */
export function smollm2Here({ models, served }: Pick<ModelsFacts, "models" | "served">): {
  readonly checkpoint: string;
  readonly isHere: boolean;
} {
  const hub = readModelName(SMOLLM2)!;
  const folder = SMOLLM2.slice(SMOLLM2.indexOf("/") + 1).toLowerCase();
  const found = [...(models ?? []), ...served].find((model) => isNamed(model, hub) || model.name.toLowerCase() === folder);
  return found ? { checkpoint: checkpointOf(found), isHere: true } : { checkpoint: SMOLLM2, isHere: false };
}
