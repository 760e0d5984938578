// What a conversation earned, part by part, what that pushes with, and how the conversation came to its end.
import type { RunConfig } from "../../../../protocol/config.ts";
import { measureText, measureWith } from "../../../../protocol/quantities.ts";
import type { StopReason, TrajectoryRecord } from "../../../../protocol/records.ts";
import { useRewardTitle } from "../../../engine/store/inTitles.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { formatExact } from "../../../kit/charts/format.ts";
import { Table } from "../../../kit/lists/Table.tsx";
import { advantageSum, partsDigits } from "../../../kit/words/arithmetic.ts";
import { rightWithoutAnswer } from "../../group/groupShape.ts";
import "./conversation.css";

const STOPS: Readonly<Record<Exclude<StopReason, "completed">, string>> = {
  "max-tokens": "Cut off by the completion limit.",
  "max-turns": "Ended by the limit of turns.",
  "max-calls": "Ended by the limit of tool calls.",
  "max-context": "Ended because the model's context was full.",
  "env-error": "Ended because the environment failed",
  "parse-error": "Ended because the environment could not handle what the policy said.",
};

/** How a trajectory ended: by its stop token, by the length that its task asks for, or by what its environment answers. */
export function endSentence(
  { stopReason, report, sampled, failure }: Pick<TrajectoryRecord, "stopReason" | "report" | "sampled" | "failure">,
  isFixed: boolean,
): string {
  if (stopReason === null) return "The files do not say why it ended.";
  if (stopReason === "env-error") return `${STOPS[stopReason]}${failure ? `: ${failure}` : ""}.`;
  if (stopReason !== "completed") return STOPS[stopReason];
  if (report || sampled.includes(0)) return "The conversation came to its end.";
  return isFixed ? "It has the length that the task asks for." : "The policy ended its turn itself.";
}

/** What of a reward turns earned by themselves, and what is the whole conversation's; null where no part says so. */
export function turnsSentence({ reward, turnRewards }: Pick<TrajectoryRecord, "reward" | "turnRewards">): string | null {
  if (!turnRewards || reward === null) return null;
  const own = turnRewards.reduce((sum, each) => sum + each, 0);
  const rest = reward - own;
  return Math.abs(rest) < 1e-9
    ? `Its turns earned all of it, ${measureText(own)}.`
    : `Its turns earned ${measureText(own)}; the conversation as a whole earned the other ${measureText(rest)}.`;
}

/** What was expected, and whether this is it, as far as somebody said so. */
function judgement(answer: string, success: boolean | null, config: RunConfig | null): string {
  if (success === null) return answer === "" ? "" : `Expected ${answer}.`;
  if (answer === "" && !config) return `The files call it ${success ? "right" : "wrong"}.`;
  const expected = answer === "" && config ? rightWithoutAnswer(config) : `Expected ${answer}`;
  return `${expected}; this one was ${success ? "right" : "wrong"}.`;
}

interface RewardTableProps {
  readonly trajectory: TrajectoryRecord;
  readonly answer: string;
  /** Null where nobody knows the settings of the step. */
  readonly config: RunConfig | null;
}

/** Reward part by part, its sum, and how the completion ended. */
export function RewardTable({ trajectory, answer, config }: RewardTableProps) {
  const titleOf = useRewardTitle();
  const isFixed = useEngine(({ catalog }) => catalog?.tasks.find(({ id }) => id === config?.task)?.facts.fixedLength ?? false);
  const { arithmetic, advantage, reward, rewardParts } = trajectory;
  const digits = reward === null ? null : partsDigits(rewardParts, reward);
  return (
    <div className="reward scrolls">
      <Table className="numbers" frame={null} headClassName="note" caption="Reward" heads={["Reward part", "Value", "Weight", "Adds"]}>
        {rewardParts.map(({ name, value, weight, reason }) => (
          <tr key={name}>
            <th scope="row">{titleOf(name)}</th>
            <td>{value === null ? (reason ?? "could not score") : measureWith(value, digits?.of)}</td>
            <td>{weight === null ? "not known" : formatExact("number", weight)}</td>
            <td>{value === null || weight === null ? "–" : measureWith(value * weight, digits?.of)}</td>
          </tr>
        ))}
        <tr className="reward-total">
          <th scope="row" colSpan={3}>
            Total
          </th>
          <td>{reward === null ? "none" : measureWith(reward, digits?.result)}</td>
        </tr>
      </Table>
      <p className="note">
        {arithmetic && advantage !== null && config && (
          <>
            Advantage: <span className="mono">{advantageSum(arithmetic, advantage, config)}</span>.{" "}
          </>
        )}
        {judgement(answer, trajectory.success, config)} {endSentence(trajectory, isFixed)} {turnsSentence(trajectory)}
      </p>
    </div>
  );
}
