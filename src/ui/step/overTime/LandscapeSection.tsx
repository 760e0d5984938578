// The landscape of a decision: a small heat map for each place of the answer, steps from left to right and one row
// for each token, so that exploration, collapse and ties are seen at a glance.
import { useMemo, useState } from "react";
import type { Probed } from "../../../protocol/asked.ts";
import { shareText } from "../../../protocol/quantities.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { Fold } from "../../kit/controls/Fold.tsx";
import { ShowAll } from "../../kit/lists/longLists.tsx";
import { Table } from "../../kit/lists/Table.tsx";
import { Explained } from "../../kit/words/Term.tsx";
import { AMOUNT, tintCss } from "../tokens/colourScale.ts";
import { showPiece } from "../tokens/drawing.ts";
import { HeatMap, type HeatMapProps } from "./HeatMap.tsx";
import { landscape, longestAnswer, shade } from "./landscape.ts";
import "./landscape.css";

/** Places of an answer that are drawn at first. */
const FIRST_PLACES = 8;
const LEGEND = [0, 0.01, 0.1, 0.5, 1];

/** What the colours stand for. */
function Legend() {
  return (
    <p className="landscape-legend flex flex-wrap items-center small">
      <span className="note">Probability</span>
      {LEGEND.map((probability) => (
        <span key={probability} className="landscape-legend-item items-center">
          <span
            className="landscape-swatch"
            aria-hidden="true"
            style={{ background: tintCss({ rgb: AMOUNT, alpha: shade(probability) }) }}
          />
          {shareText(probability)}
        </span>
      ))}
    </p>
  );
}

/** The numbers of one place's heat map. */
function LandscapeTable({ panel, steps, pieces }: Pick<HeatMapProps, "panel" | "steps" | "pieces">) {
  const { t, tokens, probabilities_token_step, said_step, isSameChoice_step } = panel;
  return (
    <Table
      frame="landscape-table"
      region={`Token ${t + 1}, probabilities`}
      caption={`Token ${t + 1}, by step`}
      isCaptioned
      heads={["Step", ...tokens.map((token) => ({ head: showPiece(pieces[token] ?? "").text, className: "mono" }))]}
    >
      {steps.map((step, i) => (
        <tr key={step} data-other={!isSameChoice_step[i] || undefined}>
          <th scope="row">
            {step}
            {!isSameChoice_step[i] && " (after other words)"}
          </th>
          {tokens.map((token, row) => {
            const probability = probabilities_token_step[row]![i];
            return (
              <td key={token} data-said={said_step[i] === token || undefined}>
                {probability === null || probability === undefined ? "–" : shareText(probability)}
              </td>
            );
          })}
        </tr>
      ))}
    </Table>
  );
}

interface LandscapeSectionProps {
  readonly probed: Probed;
  readonly prompt: number;
  /** Place of the record that is shown above. */
  readonly shown: number;
  readonly onShow: (record: number) => void;
}

export function LandscapeSection({ probed, prompt, shown, onShow }: LandscapeSectionProps) {
  const [isWhole, setWhole] = useState(false);
  const [isTable, setTable] = useState(false);
  const isOnServer = useRun(({ config }) => config?.backend === "tinker");
  const places = longestAnswer(probed, prompt);
  const panels = useMemo(
    () => landscape(probed, prompt, isWhole ? Number.POSITIVE_INFINITY : FIRST_PLACES, shown),
    [probed, prompt, isWhole, shown],
  );
  const steps = useMemo(() => probed.records.map(({ step }) => step), [probed]);
  return (
    <section className="landscape grid grid-cols-1 justify-items-start gap-1 rule-above" aria-labelledby="landscape-title">
      <h2 id="landscape-title">
        <Explained text="How likely each token was at each place of the answer, at every recorded step. A deeper colour means more likely.">
          The landscape of its decisions
        </Explained>
      </h2>
      <p className="note">
        One picture for each token of the answer: recorded steps from left to right, one row for{" "}
        {isOnServer ? "the tokens that were said there, since a server gives no others" : "each token it could be"}. Point at a cell, or use
        the arrow keys, to read it; press to show its step above.
      </p>
      <Legend />
      <p className="note">
        Paler columns: there the answer began differently from the one after step {steps[shown]}, so the policy had another choice to make.
      </p>
      <div className="landscape-panels grid">
        {panels.map((panel) => (
          <HeatMap key={panel.t} panel={panel} steps={steps} pieces={probed.pieces} shown={shown} onShow={onShow} />
        ))}
      </div>
      <ShowAll total={places} first={FIRST_PLACES} items="tokens" isWhole={isWhole} onChange={setWhole} />
      <Fold title="As tables" note="the same numbers" isExpanded={isTable} onExpandedChange={setTable}>
        {isTable && panels.map((panel) => <LandscapeTable key={panel.t} panel={panel} steps={steps} pieces={probed.pieces} />)}
      </Fold>
    </section>
  );
}
