// What an answer earns: the parts with their weights, rules, gates and code of one's own, and what bounds their sum. The
// form is that of Train, so that both edit the same draft in the same way.
import { HintedForm } from "../../controls/Hint.tsx";
import type { TaskForm } from "../../train/form/draftView.ts";
import { Fields } from "../../train/form/Fields.tsx";
import { RewardsForm } from "../../train/form/RewardsForm.tsx";

/** Fields of the configuration that act on the whole reward, in the order in which they do. */
const OF_THE_WHOLE = ["overlongBuffer", "rewardClip"];

const ORDER =
  "Each part scores the answer by itself. The scores, times their weights, are summed; a gate whose part is below 1 puts its own number in the place of the sum; what bounds the whole comes last.";

/** The section of Customize about rewards. */
export function RewardSection(form: TaskForm) {
  const { catalog, view } = form;
  const bounds = OF_THE_WHOLE.flatMap((name) => catalog.fields.find(({ key }) => key === name) ?? []);
  return (
    <div className="reward-section">
      <HintedForm className="config" label="Reward">
        <p className="aside">{ORDER}</p>
        <RewardsForm {...form} />
        <section aria-label="Bounds of the whole reward">
          <p className="fold-caption fine-print">Of the whole reward</p>
          <Fields fields={bounds} view={view} />
        </section>
      </HintedForm>
    </div>
  );
}
