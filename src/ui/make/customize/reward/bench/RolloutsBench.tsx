// The last rollouts of the run under the draft's rewards, old and new side by side, scored anew as one types.
import { useState } from "react";
import type { RunConfig } from "../../../../../protocol/config.ts";
import { counted } from "../../../../../protocol/quantities.ts";
import { inTitles } from "../../../../engine/store/inTitles.ts";
import { useVersion } from "../../../../engine/store/metricSeries.ts";
import { REST_MS, useAnswer } from "../../../../engine/store/useQuestion.ts";
import { useEngine, useRun, useRunView } from "../../../../engine/store/useRunView.ts";
import { formatNumber } from "../../../../kit/charts/format.ts";
import { Button } from "../../../../kit/controls/Button.tsx";
import { Heads } from "../../../../kit/lists/Table.tsx";
import { isTurned, rewardDifference } from "../../../../step/otherwise/rewards/otherRewards.ts";
import { RescoredCells, rescoredHeads } from "../../../../step/otherwise/rewards/RescoredStep.tsx";
import { rowTexts } from "../../../../step/rollouts/group/rowTexts.ts";
import { type BenchGroup, benched, rewardSettings } from "./lastRollouts.ts";

/** How the push changes, in words; nothing where it does not. */
function turnText(before: number | null, after: number | null): string | null {
  if (before === null || after === null || !isTurned(before, after)) return null;
  if (Math.abs(after) < Math.abs(before) && before * after >= 0) return "no push";
  return before * after < 0 ? "flips" : "now pushed";
}

function GroupRows({ before, after }: BenchGroup) {
  const texts = rowTexts(before.trajectories);
  const question = before.messages.findLast(({ role }) => role === "user")?.content ?? "";
  return (
    <table className="bench-table small">
      <caption>
        <span className="fine-print">Step {before.step}</span> {question}
      </caption>
      <Heads of={rescoredHeads("Rollout")} />
      <tbody>
        {before.trajectories.map((trajectory, g) => {
          const other = after.trajectories[g]!;
          const turn = turnText(trajectory.advantage, other.advantage);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: completions of a group keep their places
            <tr key={g} data-flips={turn !== null || undefined}>
              <th scope="row" className="mono">
                <span className="two-lines">{texts[g]}</span>
              </th>
              <RescoredCells before={trajectory} after={other} turn={turn !== null && <span> {turn}</span>} />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface RolloutsBenchProps {
  /** What the draft comes to; null while something is wrong with it. */
  readonly config: RunConfig | null;
  readonly isRead: boolean;
}

export function RolloutsBench({ config, isRead }: RolloutsBenchProps) {
  const view = useRunView();
  useVersion(view.groups);
  const catalog = useEngine((facts) => facts.catalog);
  const isSupervised = useRun((facts) => facts.config?.kind === "supervised");
  const latest = isSupervised ? null : view.groups.latestStep;
  const isGoing = useRun((facts) => facts.state === "running");
  const rewards = config && rewardSettings(config);
  // A run that goes on leaves the reader the rollouts that are there, until the code changes or the run rests.
  const mark = JSON.stringify([rewards, isGoing, latest === null]);
  const [held, setHeld] = useState({ mark, step: latest });
  if (held.mark !== mark) setHeld({ mark, step: latest });
  const { step } = held;
  const about = step === null || step === 0 || !rewards || !isRead ? null : JSON.stringify([step, rewards]);
  const { answer, problem, isAsking } = useAnswer(about, () => benched(step!, rewards!), null, REST_MS);
  if (step === null || step === 0)
    return (
      <p className="aside">
        After the first step of a run you see its last 32 rollouts here, with the rewards they got and those they would get now.
      </p>
    );
  const found =
    answer && rewardDifference({ groups: answer.groups.map(({ before }) => before) }, { groups: answer.groups.map(({ after }) => after) });
  return (
    <div className="stack">
      <div className="line gap-x-2 justify-between">
        <p role="status">
          {problem
            ? inTitles(catalog, problem)
            : found
              ? `${found.turned} of ${counted(found.completions, "rollout")} would be pushed another way. Mean reward ${formatNumber(found.meanBefore)} as it was, ${formatNumber(found.meanAfter)} under these.`
              : "Scoring …"}
        </p>
        {latest !== null && latest !== step && (
          <Button kind="quiet" onPress={() => setHeld({ mark, step: latest })}>
            Take the newest, of step {latest}
          </Button>
        )}
      </div>
      {answer?.assumptions.map((each) => (
        <p key={each} className="note">
          {each}
        </p>
      ))}
      {answer && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that what is wide or long can be scrolled by keyboard
        <section className="bench-scroll" aria-label="The last rollouts" aria-busy={isAsking} tabIndex={0}>
          {answer.groups.map(({ before, after }) => (
            <GroupRows key={`${before.step}/${before.promptIndex}`} before={before} after={after} />
          ))}
        </section>
      )}
    </div>
  );
}
