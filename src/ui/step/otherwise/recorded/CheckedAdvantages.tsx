// Advantages that another program recorded, beside those that come out of its rewards: by which rule and weights, and the rows that differ.
import { useMemo } from "react";
import { counted } from "../../../../protocol/quantities.ts";
import { Signed } from "../../../kit/controls/Signed.tsx";
import { Term } from "../../../kit/words/Term.tsx";
import type { OtherwiseProps } from "../../askedStep.ts";
import { AnswersTable, PlaceHead } from "../AnswersTable.tsx";
import { checkOf, checkSentences } from "./recordedAnswers.ts";

/** Rows that are shown of those that differ. */
const MOST_ROWS = 50;
const ADVANTAGE_RECORDED = (
  <>
    <Term id="advantage">Advantage</Term>, recorded
  </>
);

export function CheckedAdvantages({ step }: OtherwiseProps) {
  const { groups } = step;
  const { check, names } = useMemo(() => checkOf(groups), [groups]);
  if (!check) return <p className="note">The files have no advantages of this step, or no rewards to make them from.</p>;
  const differing = check.answers.filter(({ why }) => why !== null);
  return (
    <div className="stack">
      {checkSentences(check, names, groups.length).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {differing.length > 0 && (
        <AnswersTable
          caption={`${counted(differing.length, "advantage")} that differ`}
          heads={["Answer", ADVANTAGE_RECORDED, "made again", "Why"]}
        >
          {differing.slice(0, MOST_ROWS).map(({ promptIndex, trajectoryIndex, recorded, again, why }) => (
            <tr key={`${promptIndex} ${trajectoryIndex}`}>
              <PlaceHead step={step.step} promptIndex={promptIndex} trajectoryIndex={trajectoryIndex} />
              <td>
                <Signed value={recorded} />
              </td>
              <td>
                <Signed value={again} />
              </td>
              <td>{why}</td>
            </tr>
          ))}
        </AnswersTable>
      )}
      {differing.length > MOST_ROWS && <p className="note">The first {MOST_ROWS} of them are shown.</p>}
    </div>
  );
}
