// A second model as a reward: which one, what it is asked, what its answers are worth, and a bench on which it is asked.

import { changeDraft } from "../../../engine/draftActions.ts";
import { withoutJudge } from "../../../engine/store/draft/rewardDraft.ts";
import { RemoveButton } from "../../../kit/controls/Button.tsx";
import { Adder } from "../../../kit/form/Adder.tsx";
import type { TaskForm } from "../../form/draftView.ts";
import { openJudge, useCustomize } from "../customizeStore.ts";
import { JudgeBench } from "./JudgeBench.tsx";
import { JudgeForm } from "./JudgeForm.tsx";
import { addJudge } from "./judgeDraft.ts";
import { type GivenJudge, judgeTemplates } from "./judgeTemplates.ts";
import "./judge.css";

export function JudgeSection({ catalog, view, task }: TaskForm) {
  const judges = Object.entries(view.shown.judges ?? {}) as [string, GivenJudge][];
  const wanted = useCustomize((facts) => facts.judge);
  const [name, judge] = judges.find(([each]) => each === wanted) ?? judges[0] ?? [];
  return (
    <div className="stack">
      <div className="line gap-1">
        {judges.map(([each, { title = each }]) => (
          <button key={each} type="button" className="reward-tab rounded" aria-pressed={each === name} onClick={() => openJudge(each)}>
            {title}
          </button>
        ))}
        <Adder options={judgeTemplates} onAdd={(id) => addJudge(catalog, task, id)}>
          Add a judge
        </Adder>
        {name !== undefined && judge && (
          <RemoveButton
            label={`Remove ${judge.title ?? name}`}
            onPress={() => changeDraft((draft) => withoutJudge(catalog, draft, name))}
          />
        )}
      </div>
      {name !== undefined && judge ? (
        <div key={name} className="reward-bench grid grid-cols-1 gap-3">
          <JudgeForm catalog={catalog} view={view} name={name} judge={judge} />
          <JudgeBench view={view} name={name} />
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
