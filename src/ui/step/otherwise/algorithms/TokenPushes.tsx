// What other algorithms would do with this token: the same rollouts and rewards, their advantage and the
// derivative of their loss, all by the trainer's own functions.
import { useMemo } from "react";
import { signedMeasureText } from "../../../../protocol/quantities.ts";
import { algorithms } from "../../../../rl/algorithms/index.ts";
import { type Counterfactual, counterfactuals } from "../../../../rl/counterfactual/counterfactual.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { formatNumber } from "../../../kit/charts/format.ts";
import { Signed } from "../../../kit/controls/Signed.tsx";
import type { OtherwiseProps } from "../askedStep.ts";

/** Worked out once it is asked for: it runs every algorithm over the whole step. */
export function TokenPushes({ step, promptIndex, trajectoryIndex, tokenIndex }: OtherwiseProps) {
  const { groups, config } = step;
  const tasks = useEngine((facts) => facts.catalog?.tasks);
  const all = useMemo(() => counterfactuals(groups, config, { algorithms, tasks: tasks ?? [] }), [groups, config, tasks]);
  const p = groups.findIndex((group) => group.promptIndex === promptIndex);
  const at = (values_P_G_T: Counterfactual["weights_P_G_T"]) => values_P_G_T[p]![trajectoryIndex]![tokenIndex ?? 0]!;
  const assumed = [...new Set(all.flatMap(({ assumptions }) => assumptions))];
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
          {all.map(({ id, title, isOwn, advantages_P_G_T, weights_P_G_T }) => (
            <tr key={id} data-own={isOwn || undefined}>
              <th scope="row">
                {title}
                {isOwn && <span className="note"> this run</span>}
              </th>
              <td>{signedMeasureText(at(advantages_P_G_T))}</td>
              <td>
                <Signed value={0 - at(weights_P_G_T)} show={(value) => (value > 0 ? `+${formatNumber(value)}` : formatNumber(value))} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="fine-print">Same rollouts, same rewards. Sizes depend on how each divides its loss. {assumed.join(" ")}</p>
    </>
  );
}
