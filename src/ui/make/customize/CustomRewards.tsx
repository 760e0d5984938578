// Rewards that whoever sits here wrote, as the form of rewards lists them: the weight of each here, its code on Customize.

import { goTo } from "../../engine/route.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Adder } from "../../kit/form/Adder.tsx";
import { useDraftView, useFormTask } from "../form/draftView.ts";
import { RewardPart } from "../form/Fields.tsx";
import { openReward } from "./customizeStore.ts";
import { beginReward } from "./newCode.ts";
import { startersFor } from "./reward/starters.ts";

/** Shows the code of a reward, where it is edited. */
function openCode(name: string): void {
  openReward(name);
  goTo("customize", { section: "reward" });
}

/** @param isBesideCode whether their code stands beside this */
export function CustomRewards({ isBesideCode }: { readonly isBesideCode: boolean }) {
  const view = useDraftView();
  const task = useFormTask();
  const add = (id: string) => {
    const name = beginReward(id);
    if (name !== null) openCode(name);
  };
  return (
    <>
      {Object.entries(view.shown.customRewards ?? {}).map(([name, { title = name }]) => (
        <RewardPart
          key={name}
          record="customRewards"
          about="Code of your own, part of the configuration."
          part={{ name, title, weight: 1, help: "A reward of your own." }}
        >
          {view.problemOf(`customRewards.${name}`) && <p className="field-error">{view.problemOf(`customRewards.${name}`)}</p>}
          {!isBesideCode && (
            <Button kind="quiet" onPress={() => openCode(name)}>
              Edit the code of {title}
            </Button>
          )}
        </RewardPart>
      ))}
      {Object.entries(view.shown.judges ?? {}).map(([name, { title = name }]) => (
        <RewardPart
          key={name}
          record="judges"
          about="A second model that judges each answer."
          part={{ name, title, weight: 1, help: "A judge." }}
        >
          <Button kind="quiet" onPress={() => goTo("customize", { section: "judge" })}>
            Open the judge {title}
          </Button>
        </RewardPart>
      ))}
      {!isBesideCode && (
        <div>
          <Adder options={startersFor(task)} onAdd={add}>
            Write a reward
          </Adder>
        </div>
      )}
    </>
  );
}
