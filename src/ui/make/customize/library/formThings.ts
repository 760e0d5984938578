// From the form to things of one's own and back: what of the form can be kept, and what taking a thing into the form changes.

import type { Catalog } from "../../../../protocol/catalog.ts";
import type { RunConfigInput } from "../../../../protocol/config.ts";
import type { CustomTaskInput } from "../../../../protocol/custom/customTasks.ts";
import { type OwnThing, thingsIn, titleOf } from "../../../../protocol/custom/ownThings.ts";
import { changeDraft, editReward } from "../../../engine/draftActions.ts";
import { goTo } from "../../../engine/route.ts";
import { type Draft, resolveDraft } from "../../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../../engine/store/draft/draftStore.ts";
import { withOwnTask, withTaskNamed } from "../../../engine/store/draft/taskDraft.ts";
import { catalogNow } from "../../../engine/store/useRunView.ts";
import { openReward } from "../customizeStore.ts";
import { addOwn, type GivenReward } from "../reward/ownRewards.ts";

/** The thing of that kind and name in the form, as far as it can be read. */
export function thingInForm(config: RunConfigInput, kind: string, name: string): OwnThing | null {
  return thingsIn(config).find((each) => each.kind === kind && each.name === name) ?? null;
}

/** Which part of a task is taken. */
export type TakenPart = "whole" | "environment" | "prompts";

type Taken = Readonly<Record<string, unknown>> & CustomTaskInput;

function withPart(own: CustomTaskInput, taken: Taken, part: TakenPart): CustomTaskInput {
  if (part === "whole") return taken;
  const { environment, problems, data, ...others } = taken;
  if (part === "environment") return { ...own, ...(environment ? { environment } : {}) };
  const { problems: _, data: __, ...kept } = own;
  const { system, solvedFrom } = others;
  return { ...kept, ...(problems ? { problems } : {}), ...(data ? { data } : {}), system: system ?? "", solvedFrom: solvedFrom ?? 1 };
}

/** A draft with a task taken into it; taken whole it keeps its own name. */
export function withTaskTaken(catalog: Catalog, draft: Draft, { name, content }: OwnThing, part: TakenPart = "whole"): Draft {
  const taken = withOwnTask(catalog, draft, (own) => withPart(own, content as Taken, part));
  return part === "whole" ? withTaskNamed(taken, name, resolveDraft(catalog, taken).shown) : taken;
}

/** Takes a thing into the form. Gives the section of Customize that shows it. */
export function takeThing(thing: OwnThing, part: TakenPart = "whole"): string {
  const catalog = catalogNow();
  const { shown } = resolveDraft(catalog, useDraft.getState().draft);
  if (thing.kind === "task") {
    changeDraft((draft) => withTaskTaken(catalog, draft, thing, part));
    return "environment" in thing.content && part !== "prompts" ? "environment" : "data";
  }
  const reward = thing.content as unknown as GivenReward;
  if (thing.name in (shown.customRewards ?? {})) {
    editReward("customRewards", thing.name, reward);
    openReward(thing.name);
  } else addOwn("customRewards", { title: titleOf(thing), ...reward }, thing.name);
  return "reward";
}

/** Puts a thing into the form and goes where it is edited. */
export function takeAndShow(thing: OwnThing, part: TakenPart = "whole"): void {
  goTo("customize", { section: takeThing(thing, part) });
}
