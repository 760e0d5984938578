// Before the first experiment: what a race answers, with three that can be set up by a link, and what a sweep answers.
import type { Catalog } from "../../../protocol/catalog.ts";
import { hashOf } from "../../engine/route.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { fieldTitle } from "../../kit/words/settingText.ts";
import { settingText } from "../plan/varied.ts";

const EXAMPLES = [
  {
    title: "Does dividing by the standard deviation matter?",
    what: "GRPO against Dr. GRPO on the digit sum, three seeds each",
    query: { preset: "digit-sum-transformer", steps: "60", vary: "algorithm", values: "grpo,dr-grpo", seeds: "3" },
  },
  {
    title: "How large a learning rate?",
    what: "Three learning rates for a table of logits, five seeds each",
    query: { preset: "digit-sum-table", steps: "200", vary: "learningRate", values: "0.1,0.5,1", seeds: "5" },
  },
  {
    title: "Do four inner epochs pay?",
    what: "One inner epoch against four, at equal updates",
    query: { preset: "digit-sum-transformer", steps: "60", vary: "innerEpochs", values: "1,4", seeds: "3", axis: "updates" },
  },
] as const;

/** "Learning rate: 0.1, 0.5, 1". */
function variedText(catalog: Catalog, { vary, values }: (typeof EXAMPLES)[number]["query"]): string {
  const texts = values.split(",").map((value) => settingText(catalog, vary, value));
  return `${fieldTitle(vary)}: ${texts.join(", ")}`;
}

export function NoRace() {
  const catalog = useEngine((facts) => facts.catalog);
  return (
    <section className="compare-empty grid gap-2 soft">
      <h2>Does it matter?</h2>
      <p>
        One run proves little, because curves differ by chance. A race trains two to four configurations from the same seeds, beside each
        other. It compares them at a point that all have reached, shows the difference with its interval, and says in a sentence what that
        shows, or that it shows nothing. A fork takes a run you have, changes one setting at one step, and shows both futures.
      </p>
      <h3>Races to begin with</h3>
      <ul className="compare-examples">
        {EXAMPLES.map(({ title, what, query }) => (
          <li key={title}>
            <a href={hashOf("compare", new URLSearchParams(query))}>{title}</a>
            <span className="aside">{what}</span>
            {catalog && <span className="aside">Varies {variedText(catalog, query)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function NoSweep() {
  return (
    <section className="compare-empty grid gap-2 soft">
      <h2>Which value is best?</h2>
      <p>
        A sweep tries several values of one or two settings, and trains each combination from several seeds. The runs wait in a queue. As
        many train at once as this machine has cores and memory for. Every combination has a small chart, all with the same axes. A table
        shows what each reached, with its interval, and whether the differences may be chance.
      </p>
      <p>
        You can pause it, cancel it, or continue it after the page was closed. Its runs are saved as they train, tagged with the sweep’s
        name, and <a href={hashOf("runs")}>Runs</a> lists them like all others.
      </p>
    </section>
  );
}
