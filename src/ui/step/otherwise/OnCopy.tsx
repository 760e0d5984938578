// The update of a step under other settings, taken on a copy of the model: the question, and what both sides say then. The
// run is not touched.
import type { CommandOf } from "../../../protocol/commands.ts";
import { useQuestion } from "../../engine/store/useQuestion.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Signed } from "../../kit/controls/Signed.tsx";
import { repeater } from "../again/stepRepeater.ts";
import { CopyAnswers } from "./CopyAnswers.tsx";

/** Answers that each side gives. */
const SAMPLES = 6;

/** What is other than it was. */
type Other = Pick<CommandOf<"otherwise">, "settings" | "algorithm" | "byHand">;

/** Asks the engine for a step on a copy, with answers to one of its prompts. */
export function useCopy(step: number, promptIndex: number) {
  return useQuestion((other: Other) =>
    repeater.engineOf(step).request({ type: "otherwise", step, ...other, copy: { promptIndex, samples: SAMPLES } }),
  );
}

interface CopyTakenProps {
  readonly asked: ReturnType<typeof useCopy>;
  readonly onTake: () => void;
}

/** The button, and what came of it. */
export function CopyTaken({ asked: { answer, problem, isWaiting }, onTake }: CopyTakenProps) {
  return (
    <>
      <div className="actions">
        <Button kind="primary" isResting={isWaiting} onPress={onTake}>
          {isWaiting ? "Taking the step on a copy …" : "Take this step on a copy"}
        </Button>
      </div>
      <div role="status">
        {problem && <p className="note">{problem}</p>}
        {!problem && answer?.copy && <CopyAnswers found={answer.copy} />}
      </div>
    </>
  );
}

interface OnCopyProps {
  readonly step: number;
  readonly promptIndex: number;
  readonly other: Other;
}

/** The same with the change of each answer's log-prob, for settings that stay as they are while it is shown. */
export function OnCopy({ step, promptIndex, other }: OnCopyProps) {
  const asked = useCopy(step, promptIndex);
  const changes_G = asked.problem === null ? asked.answer?.copy?.changes_G : undefined;
  return (
    <div className="stack">
      <CopyTaken asked={asked} onTake={() => asked.ask(other)} />
      {changes_G && (
        <p className="note">
          Change of each answer’s log-prob on the copy:{" "}
          {changes_G.map((change, g) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place in the group
            <span key={g}>
              #{g + 1} <Signed value={change} />{" "}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
