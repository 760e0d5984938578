// What two runs came to over the prompts that both were asked: a sentence, and a row for each measure.
import type { PairAnswer, PairMeasure } from "../../../protocol/rollouts/runPair.ts";
import { aloneSentences, pairDifferenceText, pairSentence, pairValueText } from "../../../rl/pair/pairSentence.ts";
import { useRewardTitle } from "../../engine/store/inTitles.ts";
import { Signed } from "../../kit/controls/Signed.tsx";
import { Table } from "../../kit/lists/Table.tsx";

/** A measure's title, as parts of the reward are called elsewhere. */
export function useMeasureTitle(): (measure: PairMeasure) => string {
  const titleOf = useRewardTitle();
  return ({ id, title }) => (id.startsWith("part:") ? titleOf(title) : title);
}

export function PairTotals({ answer }: { readonly answer: PairAnswer }) {
  const { left, right, measures, totals, measure, notes } = answer;
  const titleOf = useMeasureTitle();
  return (
    <section className="stack" aria-labelledby="pair-totals">
      <h2 id="pair-totals" className="visually-hidden">
        In all
      </h2>
      <p className="pair-sentence" aria-live="polite">
        {pairSentence(answer, measure)}
      </p>
      <Table
        className="rows-table pair-totals"
        region="Means over prompts"
        caption="Means over the prompts that both runs were asked"
        heads={["Mean over prompts", left.name, right.name, "Difference", "95 % interval, prompts paired", "Prompts"]}
      >
        {totals.map((total, m) => {
          const of = measures[m]!;
          return (
            <tr key={of.id}>
              <th scope="row">{titleOf(of)}</th>
              <td className="rows-number">{pairValueText(of, total.left)}</td>
              <td className="rows-number">{pairValueText(of, total.right)}</td>
              <td className="rows-number">
                <Signed value={total.difference} show={(value) => pairDifferenceText(of, value)} />
              </td>
              <td>
                {total.interval ? (
                  total.interval.map((end) => pairDifferenceText(of, end)).join(" to ")
                ) : (
                  <span className="note">none: {total.noInterval}</span>
                )}
              </td>
              <td className="rows-number">{total.prompts}</td>
            </tr>
          );
        })}
      </Table>
      {[...aloneSentences(answer), ...notes].map((sentence) => (
        <p key={sentence} className="note">
          {sentence}
        </p>
      ))}
    </section>
  );
}
