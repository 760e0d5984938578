// The prompts of two runs, a row each: how the measure moved, beside all others. A row shows the answers of both.
import { counted } from "../../../protocol/quantities.ts";
import type { PairMeasure, PairShow, PairValues } from "../../../protocol/rollouts/runPair.ts";
import { differenceIn } from "../../../rl/pair/comparePrompts.ts";
import { pairDifferenceText, pairValueText } from "../../../rl/pair/pairSentence.ts";
import { Choice } from "../../kit/controls/Choice.tsx";
import { Signed } from "../../kit/controls/Signed.tsx";
import { TextInput } from "../../kit/controls/TextInput.tsx";
import { Pages, SortHead } from "../../step/table/RowsTable.tsx";
import type { PairProps } from "./PairSides.tsx";
import { useMeasureTitle } from "./PairTotals.tsx";
import { PAGE } from "./pairAddress.ts";

function Values({ measure, values }: { readonly measure: PairMeasure; readonly values: PairValues }) {
  return (
    <td className="pair-values">
      <span>
        {pairValueText(measure, values.left)} <span aria-hidden="true">→</span>
        <span className="visually-hidden">to</span> {pairValueText(measure, values.right)}
      </span>
      <Signed value={differenceIn(values)} show={(value) => pairDifferenceText(measure, value)} />
    </td>
  );
}

function Filters({ answer: { counts, left, right }, place, onGo }: PairProps) {
  const titles: Readonly<Record<PairShow, string>> = {
    both: "Asked in both",
    rose: "Higher on the right",
    fell: "Lower on the right",
    same: "The same",
    left: `Only in ${left.name}`,
    right: `Only in ${right.name}`,
  };
  const options = Object.entries(titles).map(([id, title]) => ({ id, title: `${title} (${counts[id as PairShow]})` }));
  return (
    <div className="pair-filters flex flex-wrap gap-1">
      <Choice label="Prompts" value={place.show} options={options} onChange={(show) => onGo({ show: show as PairShow })} />
      <TextInput label="With this text" value={place.text ?? ""} onChange={(text) => onGo({ text: text.trim() === "" ? null : text })} />
    </div>
  );
}

export function PairPrompts({ answer, place, onGo }: PairProps) {
  const { rows, measures, measure, counts } = answer;
  const titleOf = useMeasureTitle();
  const isDescending = place.sort === null || place.sort.startsWith("-");
  const sort = { column: measure, isDescending };
  const title = measures.find(({ id }) => id === measure)?.title.toLowerCase() ?? "";
  return (
    <section className="stack" aria-labelledby="pair-prompts">
      <h2 id="pair-prompts">
        {counted(counts[place.show], "prompt")}, by the difference of the {title}
      </h2>
      <Filters answer={answer} place={place} onGo={onGo} />
      <div className="scrolls">
        <table className="rows-table">
          <thead>
            <tr>
              <th scope="col">Prompt</th>
              {measures.map((each) => (
                <SortHead
                  key={each.id}
                  column={{ id: each.id, title: titleOf(each) }}
                  sort={sort}
                  onSort={(next) => onGo({ sort: next && `${next.isDescending ? "-" : ""}${next.column}` })}
                />
              ))}
              <th scope="col">Answers</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, begin, left, right, values }) => (
              <tr key={key} className={key === place.prompt ? "accent-wash" : ""}>
                <th scope="row">
                  <button
                    type="button"
                    className="pair-prompt two-lines"
                    aria-pressed={key === place.prompt}
                    onClick={() =>
                      onGo({ prompt: key === place.prompt ? null : key, page: place.page, leftAnswer: "best", rightAnswer: "best" })
                    }
                  >
                    {begin || "(no text)"}
                  </button>
                </th>
                {values.map((each, m) => (
                  <Values key={measures[m]!.id} measure={measures[m]!} values={each} />
                ))}
                <td className="rows-number">
                  {left?.answers ?? 0} and {right?.answers ?? 0}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pages page={place.page ?? 1} found={counts[place.show]} size={PAGE} onPage={(page) => onGo({ page })} />
    </section>
  );
}
