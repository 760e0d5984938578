// The numbers of one place's heat map.
import type { Probed } from "../../protocol/asked.ts";
import { shareText } from "../../protocol/quantities.ts";
import { showPiece } from "../tokens/drawing.ts";
import type { Panel } from "./landscape.ts";

interface LandscapeTableProps {
  readonly panel: Panel;
  readonly steps: readonly number[];
  readonly pieces: Probed["pieces"];
}

export function LandscapeTable({ panel, steps, pieces }: LandscapeTableProps) {
  const { t, tokens, probabilities_token_step, said_step } = panel;
  return (
    // A scrolling region must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls
    <section className="landscape-table" aria-label={`Token ${t + 1}, probabilities`} tabIndex={0}>
      <table>
        <caption>Token {t + 1}, by step</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            {tokens.map((token) => (
              <th key={token} scope="col" className="mono">
                {showPiece(pieces[token] ?? "").text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((step, i) => (
            <tr key={step}>
              <th scope="row">{step}</th>
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
        </tbody>
      </table>
    </section>
  );
}
