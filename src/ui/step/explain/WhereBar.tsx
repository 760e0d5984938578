// Which token is explained: step, prompt and answer, with the best and the worst of the group named.
import type { StepGroups } from "../../../protocol/messages.ts";
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import { hashOf } from "../../engine/route.ts";
import { useSelect, useSelection, useTraced } from "../../engine/store/useRunView.ts";
import { Button, Stepper } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { trajectoryOrder } from "../rollouts/group/groupOrder.ts";
import { answerTexts } from "./group/GroupTable.tsx";
import { isCompared } from "./story/story.ts";

/** The group's answers, best first, as they are chosen from; before they are compared only with what is known of them. */
export function answerOptions(
  group: GroupRecord,
  step: Pick<StepGroups, "phase" | "opened">,
): readonly { readonly id: string; readonly title: string }[] {
  const texts = answerTexts(group);
  if (!isCompared(step))
    return group.trajectories.map((trajectory, index) => {
      const reward = trajectory.reward === null ? "" : ` (reward ${measureText(trajectory.reward)})`;
      return { id: String(index), title: `${index + 1}: ${texts[index]}${reward}` };
    });
  const advantages = group.trajectories.map(({ advantage }) => advantage);
  return trajectoryOrder(group, "advantage").map((index) => {
    const advantage = advantages[index] ?? null;
    const place = advantage === null ? "" : ` (A ${signedMeasureText(advantage)}${standing(advantage, advantages)})`;
    return { id: String(index), title: `${index + 1}: ${texts[index]}${place}` };
  });
}

/** Best and worst are said where one answer alone is. */
function standing(advantage: number, all: readonly (number | null)[]): string {
  const advantages = all.filter((each) => each !== null);
  const isAlone = advantages.filter((each) => each === advantage).length === 1;
  if (isAlone && advantage === Math.max(...advantages)) return ", best";
  return isAlone && advantage === Math.min(...advantages) ? ", worst" : "";
}

interface WhereBarProps {
  readonly step: StepGroups;
  readonly oldest: number;
  readonly latest: number;
  readonly group: GroupRecord;
  readonly member: number;
}

export function WhereBar({ step: shown, oldest, latest, group, member }: WhereBarProps) {
  const { step } = shown;
  const prompts = shown.summaries.length;
  const select = useSelect();
  const isTraced = useTraced() !== null;
  const selection = useSelection((all) => all);
  return (
    <div className="explain-where line">
      <Stepper
        name="step"
        value={step}
        least={oldest}
        most={latest}
        onChange={(to) => select({ step: to, promptIndex: selection.promptIndex, trajectoryIndex: 0 })}
      >
        step <b>{step}</b>
      </Stepper>
      {prompts > 1 && (
        <Stepper
          name="prompt"
          value={group.promptIndex + 1}
          least={1}
          most={prompts}
          onChange={(to) => select({ promptIndex: to - 1, trajectoryIndex: 0 })}
        >
          prompt <b>{group.promptIndex + 1}</b>
        </Stepper>
      )}
      <Choice
        className="field-inline explain-choice min-w-0"
        label="Answer"
        options={answerOptions(group, shown)}
        value={String(member)}
        onChange={(id) => select({ trajectoryIndex: Number(id) })}
      />
      {step < latest && (
        <Button kind="quiet" onPress={() => select({ step: latest, promptIndex: 0, trajectoryIndex: 0 })}>
          Newest step, {latest}
        </Button>
      )}
      <a className="explain-link" href={hashOf("rollouts", selection)}>
        In Rollouts
      </a>
      {!isTraced && <a href={hashOf("time", { to: step })}>Over time</a>}
    </div>
  );
}
