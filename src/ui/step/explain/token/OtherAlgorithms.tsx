// What other algorithms would do with this token: the same rollouts and rewards, their advantage and the
// derivative of their loss, all by the trainer's own functions.
import { useMemo, useState } from "react";
import { signedMeasureText } from "../../../../protocol/quantities.ts";
import { algorithms } from "../../../../rl/algorithms/index.ts";
import { type Counterfactual, counterfactuals } from "../../../../rl/counterfactual/counterfactual.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { formatNumber } from "../../../kit/charts/format.ts";
import { Fold } from "../../../kit/controls/Fold.tsx";
import { Signed } from "../../../kit/controls/Signed.tsx";
import type { StepStory, TokenStory } from "../story/story.ts";

/** What one algorithm makes of the token. */
export interface OtherPush {
  readonly id: string;
  readonly title: string;
  readonly isOwn: boolean;
  readonly advantage: number;
  /** Minus the derivative of its loss by the token's log-prob. */
  readonly push: number;
  readonly assumptions: readonly string[];
}

/** The token under every algorithm, in the registry's order. */
export function pushesOf(all: readonly Counterfactual[], { story, group, member, facts }: TokenStory): readonly OtherPush[] {
  const p = story.step.groups.indexOf(group);
  return all.map(({ id, title, isOwn, advantages_P_G_T, weights_P_G_T, assumptions }) => ({
    ...{ id, title, isOwn, assumptions },
    advantage: advantages_P_G_T[p]![member]![facts.index]!,
    push: 0 - weights_P_G_T[p]![member]![facts.index]!,
  }));
}

function useCounterfactuals({ step, config }: StepStory): readonly Counterfactual[] {
  const tasks = useEngine((facts) => facts.catalog?.tasks);
  return useMemo(() => counterfactuals(step.groups, config, { algorithms, tasks: tasks ?? [] }), [step.groups, config, tasks]);
}

function Rows({ token }: { readonly token: TokenStory }) {
  const pushes = pushesOf(useCounterfactuals(token.story), token);
  const assumed = [...new Set(pushes.flatMap(({ assumptions }) => assumptions))];
  return (
    <>
      <table className="explain-others">
        <caption className="visually-hidden">This token under every algorithm</caption>
        <thead>
          <tr>
            <th scope="col">Algorithm</th>
            <th scope="col">A</th>
            <th scope="col">Push</th>
          </tr>
        </thead>
        <tbody>
          {pushes.map(({ id, title, isOwn, advantage, push }) => (
            <tr key={id} data-own={isOwn || undefined}>
              <th scope="row">
                {title}
                {isOwn && <span className="note"> this run</span>}
              </th>
              <td>{signedMeasureText(advantage)}</td>
              <td>
                <Signed value={push} show={(value) => (value > 0 ? `+${formatNumber(value)}` : formatNumber(value))} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="fine-print">Same rollouts, same rewards. Sizes depend on how each divides its loss. {assumed.join(" ")}</p>
    </>
  );
}

/** Worked out once it is asked for: it runs every algorithm over the whole step. */
export function OtherAlgorithms({ token }: { readonly token: TokenStory }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Fold title="What would other algorithms do with it?" isExpanded={isOpen} onExpandedChange={setOpen}>
      {isOpen && <Rows token={token} />}
    </Fold>
  );
}
