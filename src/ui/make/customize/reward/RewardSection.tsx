// What an answer earns: code of one's own with its bench, then all parts with their weights, rules, gates and what bounds
// their sum. The form of the parts is that of Train, so that both edit the same draft in the same way.

import { useCatalog } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { HintedForm } from "../../../kit/controls/Hint.tsx";
import { Adder } from "../../../kit/form/Adder.tsx";
import { useDraftView, useFormTask } from "../../form/draftView.ts";
import { Fields } from "../../form/Fields.tsx";
import { RewardsForm } from "../../form/RewardsForm.tsx";
import { Card, Cards, OwnTabs } from "../Cards.tsx";
import { openReward, useCustomize } from "../customizeStore.ts";
import { thingInForm } from "../library/formThings.ts";
import { KeptMark } from "../library/KeptMark.tsx";
import { beginReward } from "../newCode.ts";
import type { GivenReward } from "./ownRewards.ts";
import { RewardEditor } from "./RewardEditor.tsx";
import { OpenRewardFile, RewardTools } from "./RewardFiles.tsx";
import { startersFor } from "./starters.ts";

/** Fields of the configuration that act on the whole reward, in the order in which they do. */
const OF_THE_WHOLE = ["overlongBuffer", "rewardClip"];

const ORDER =
  "Each part scores the answer by itself. The reward is the sum of the scores times their weights. A gate whose part is below 1 replaces the sum by its own number. A bound on the whole comes last.";

function OwnCode() {
  const task = useFormTask();
  const view = useDraftView();
  const own = Object.entries(view.shown.customRewards ?? {}) as [string, GivenReward][];
  const wanted = useCustomize((facts) => facts.reward);
  const refusal = useCustomize((facts) => facts.refusal);
  const [name, reward] = own.find(([each]) => each === wanted) ?? own[0] ?? [];
  const kept = name === undefined ? null : thingInForm(view.shown, "reward", name);
  return (
    <section aria-label="Rewards of your own" className="stack">
      <div className="line gap-1">
        <OwnTabs things={own} open={name} onOpen={openReward} />
        <Adder options={startersFor(task)} onAdd={(id) => beginReward(id)}>
          Write a reward
        </Adder>
        <OpenRewardFile />
      </div>
      {refusal && (
        <p className="field-error" role="status">
          {refusal}
        </p>
      )}
      {name !== undefined && reward ? (
        <>
          <RewardTools name={name} reward={reward} />
          {kept && <KeptMark key={`kept/${name}`} thing={kept} />}
          <RewardEditor key={name} name={name} reward={reward} />
        </>
      ) : (
        <>
          <p className="aside">
            Begin with one that works. It is code: a function from an answer to a number. Change it, see what it gives below as you type,
            and press Train.
          </p>
          <Cards>
            {startersFor(task)
              .filter(({ about }) => (about === "words") === (task.isCustom ?? false))
              .map(({ id, title, summary }) => (
                <Card key={id} title={title}>
                  <p>{summary}</p>
                  <Button onPress={() => beginReward(id)}>Pay for this</Button>
                </Card>
              ))}
          </Cards>
        </>
      )}
    </section>
  );
}

/** The section of Customize about rewards. */
export function RewardSection() {
  const { fields } = useCatalog();
  const bounds = OF_THE_WHOLE.flatMap((name) => fields.find(({ key }) => key === name) ?? []);
  return (
    <div className="reward-section">
      <OwnCode />
      <section aria-labelledby="reward-parts" className="reward-parts">
        <h3 id="reward-parts">All parts of the reward</h3>
        <p className="aside">{ORDER}</p>
        <HintedForm label="Parts of the reward">
          <RewardsForm isBesideCode />
          <p className="fold-caption fine-print">Of the whole reward</p>
          <Fields fields={bounds} />
        </HintedForm>
      </section>
    </div>
  );
}
