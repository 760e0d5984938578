// Rewards that whoever sits here wrote, as the form of rewards lists them: the weight of each here, its code on Customize.

import type { Catalog, TaskEntry } from "../../../protocol/catalog.ts";
import { changeDraft } from "../../engine/draftActions.ts";
import { goTo } from "../../engine/route.ts";
import { withoutCustom, withoutJudge } from "../../engine/store/draft/rewardDraft.ts";
import { Button, RemoveButton } from "../../kit/controls/Button.tsx";
import { Adder } from "../../kit/form/Adder.tsx";
import type { DraftView } from "../form/draftView.ts";
import { Fields, weightField } from "../form/Fields.tsx";
import { openReward } from "./customizeStore.ts";
import { beginReward } from "./newCode.ts";
import type { GivenReward } from "./reward/ownRewards.ts";
import { startersFor } from "./reward/starters.ts";

interface CustomRewardsProps {
  readonly catalog: Catalog;
  readonly view: DraftView;
  readonly task: TaskEntry;
  /** Whether their code stands beside this. */
  readonly isBesideCode: boolean;
}

const REWARDS = { section: "reward" };

/** Shows the code of a reward, where it is edited. */
function openCode(name: string): void {
  openReward(name);
  goTo("customize", REWARDS);
}

export function CustomRewards({ catalog, view, task, isBesideCode }: CustomRewardsProps) {
  const own = Object.entries(view.shown.customRewards ?? {}) as [string, GivenReward][];
  const add = (id: string) => {
    const name = beginReward(catalog, task, id);
    if (name !== null) openCode(name);
  };
  return (
    <>
      {own.map(([name, { title = name }]) => (
        <fieldset key={name} className="rule custom-reward">
          <legend className="rule-title">{title}</legend>
          <RemoveButton
            className="rule-remove"
            label={`Remove ${title}`}
            onPress={() => changeDraft((draft) => withoutCustom(catalog, draft, name))}
          />
          <p className="aside">Code of your own, part of the configuration.</p>
          <Fields
            fields={[weightField({ name, title, weight: 1, help: "A reward of your own." }, "Weight")]}
            view={view}
            record="rewardWeights"
          />
          {view.problemOf(`customRewards.${name}`) && <p className="field-error">{view.problemOf(`customRewards.${name}`)}</p>}
          {!isBesideCode && (
            <Button kind="quiet" onPress={() => openCode(name)}>
              Edit the code of {title}
            </Button>
          )}
        </fieldset>
      ))}
      {Object.entries(view.shown.judges ?? {}).map(([name, { title = name }]) => (
        <fieldset key={name} className="rule custom-reward">
          <legend className="rule-title">{title}</legend>
          <RemoveButton
            className="rule-remove"
            label={`Remove ${title}`}
            onPress={() => changeDraft((draft) => withoutJudge(catalog, draft, name))}
          />
          <p className="aside">A second model that judges each answer.</p>
          <Fields fields={[weightField({ name, title, weight: 1, help: "A judge." }, "Weight")]} view={view} record="rewardWeights" />
          <Button kind="quiet" onPress={() => goTo("customize", { section: "judge" })}>
            Open the judge {title}
          </Button>
        </fieldset>
      ))}
      {!isBesideCode && (
        <div className="rewards-add">
          <Adder options={startersFor(task)} onAdd={add}>
            Write a reward
          </Adder>
        </div>
      )}
    </>
  );
}
