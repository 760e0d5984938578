// What the answers of a group are compared with, and by how much: the engine's terms, in words. Each stands
// where the formula of the advantage finds it.

import type { RunConfig } from "../../../../protocol/config.ts";
import { capital, measureText } from "../../../../protocol/quantities.ts";
import { usesCritic } from "../../../../rl/baselines/index.ts";
import { SymbolNumber } from "../../../kit/formula/symbolScope.tsx";
import { fromWords } from "../../../kit/words/arithmetic.ts";
import { comparedWith } from "../../../kit/words/method.ts";
import { sumStart } from "../formulas/advantageFormula.ts";
import type { TokenStory } from "../story/story.ts";

interface TermLine {
  readonly name: string;
  readonly words: string;
  readonly value: number;
}

function scaleWords({ advantageScale, advantageEps }: RunConfig): string {
  const whose = advantageScale === "group-std" ? "The group’s standard deviation" : "The step’s standard deviation";
  return advantageEps > 0 ? `${whose}, plus ${measureText(advantageEps)} to keep it from dividing by 0` : whose;
}

/** The terms of the sum that the formula shows, in its order. */
function termsOf(token: TokenStory): readonly TermLine[] {
  const { story, terms, criticReturn, facts } = token;
  const { config } = story;
  if (!terms || facts.advantage === null) return [];
  const whitening = config.whitenAdvantages
    ? [
        { name: "shift", words: "Mean of all advantages of the step", value: terms.shift },
        { name: "spread", words: "Their standard deviation", value: terms.spread },
      ]
    : [];
  if (usesCritic(config))
    return [...(criticReturn === null ? [] : [{ name: "from", words: "Return from this token on", value: criticReturn }]), ...whitening];
  const { from, hasBaseline, isOwnReturn, fade } = sumStart(token, terms);
  return [
    { name: "from", words: isOwnReturn ? "Return from this token on" : capital(fromWords(config)), value: from },
    ...(hasBaseline ? [{ name: "baseline", words: capital(comparedWith(config)?.one ?? "baseline"), value: terms.baseline }] : []),
    ...(Math.abs(terms.scale - 1) > 1e-9 ? [{ name: "scale", words: scaleWords(config), value: terms.scale }] : []),
    ...(Math.abs(fade - 1) > 1e-6 ? [{ name: "fade", words: "Discount up to the end", value: fade }] : []),
    ...whitening,
  ];
}

export function Comparison({ token }: { readonly token: TokenStory }) {
  const terms = termsOf(token);
  if (terms.length === 0) return null;
  return (
    <dl className="figures" aria-label="The answer is compared with">
      {terms.map(({ name, words, value }) => (
        <div key={name}>
          <dt>{words}</dt>
          <dd>
            <SymbolNumber name={name}>{measureText(value)}</SymbolNumber>
          </dd>
        </div>
      ))}
    </dl>
  );
}
