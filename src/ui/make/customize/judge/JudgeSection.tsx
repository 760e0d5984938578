// A second model as a reward: which one, what it is asked, what its answers are worth, and a bench on which it is asked.

import { editReward } from "../../../engine/draftActions.ts";
import { RemoveButton } from "../../../kit/controls/Button.tsx";
import { Adder } from "../../../kit/form/Adder.tsx";
import { useDraftView } from "../../form/draftView.ts";
import { OwnTabs } from "../Cards.tsx";
import { openJudge, useCustomize } from "../customizeStore.ts";
import { addOwn } from "../reward/ownRewards.ts";
import { JudgeBench } from "./JudgeBench.tsx";
import { JudgeForm } from "./JudgeForm.tsx";
import { type GivenJudge, judgeTemplates } from "./judgeTemplates.ts";
import "./judge.css";

export function JudgeSection() {
  const view = useDraftView();
  const judges = Object.entries(view.shown.judges ?? {}) as [string, GivenJudge][];
  const wanted = useCustomize((facts) => facts.judge);
  const [name, judge] = judges.find(([each]) => each === wanted) ?? judges[0] ?? [];
  const add = (id: string) => {
    const template = judgeTemplates.find((each) => each.id === id);
    if (template) addOwn("judges", template.judge);
  };
  return (
    <div className="stack">
      <div className="line gap-1">
        <OwnTabs things={judges} open={name} onOpen={openJudge} />
        <Adder options={judgeTemplates} onAdd={add}>
          Add a judge
        </Adder>
        {name !== undefined && judge && (
          <RemoveButton label={`Remove ${judge.title ?? name}`} onPress={() => editReward("judges", name, null)} />
        )}
      </div>
      {name !== undefined && judge ? (
        <div key={name} className="reward-bench grid grid-cols-1 gap-3">
          <JudgeForm name={name} judge={judge} />
          <JudgeBench name={name} />
        </div>
      ) : (
        <p className="aside">
          A judge reads each answer and says how good it is, where no rule can. It is a model too: it makes mistakes, and your model learns
          what the judge likes. “Add a judge” begins with one that works. The first judge replaces the task's own reward.
        </p>
      )}
    </div>
  );
}
