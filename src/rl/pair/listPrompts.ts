// The prompts of two runs as they are asked for: kept by a text and by how a measure moved, sorted by its difference.
import { unknownName } from "../../protocol/problems.ts";
import type { PairedPrompt, PairQuery, PairShow } from "../../protocol/rollouts/runPair.ts";
import { type ComparedPrompts, differenceIn, movedBy } from "./comparePrompts.ts";

/** By descending numbers, or ascending ones; those without one come last either way. */
function byNumber(of: (prompt: PairedPrompt) => number | null, isDescending: boolean): (a: PairedPrompt, b: PairedPrompt) => number {
  return (a, b) => {
    const x = of(a);
    const y = of(b);
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return isDescending ? y - x : x - y;
  };
}

/** The place of the measure that is asked for; of the first that both runs tell where none is. */
function placeOf(measure: string | null, { measures, totals }: ComparedPrompts): number {
  const ids = measures.map(({ id }) => id);
  if (measure === null)
    return Math.max(
      0,
      totals.findIndex(({ prompts }) => prompts > 0),
    );
  const at = ids.indexOf(measure);
  if (at < 0) throw new Error(unknownName("measure", measure, ids));
  return at;
}

/**
 * The prompts that are asked for, how many there are of each kind, and the measure that they are sorted by.
 * @throws where the measure is none of those that the runs tell: "measure must be ..."
 */
export function listPrompts(
  compared: ComparedPrompts,
  query: Pick<PairQuery, "text" | "show" | "measure" | "isDescending" | "from" | "count">,
) {
  const { text, show, isDescending, from, count } = query;
  const at = placeOf(query.measure, compared);
  const valuesAt = ({ values }: PairedPrompt) => values[at] ?? { left: null, right: null };
  const wanted = text.trim().toLowerCase();
  const found: Readonly<Record<PairShow, PairedPrompt[]>> = { both: [], rose: [], fell: [], same: [], left: [], right: [] };
  for (const prompt of compared.prompts) {
    if (!prompt.begin.toLowerCase().includes(wanted)) continue;
    if (!prompt.left || !prompt.right) {
      found[prompt.left ? "left" : "right"].push(prompt);
      continue;
    }
    found.both.push(prompt);
    const difference = differenceIn(valuesAt(prompt));
    if (difference !== null) found[movedBy(difference)].push(prompt);
  }
  const isAlone = show === "left" || show === "right";
  const sorted = [...found[show]].sort(
    byNumber((prompt) => (isAlone ? valuesAt(prompt)[show] : differenceIn(valuesAt(prompt))), isDescending),
  );
  const { both, rose, fell, same, left, right } = found;
  return {
    measure: compared.measures[at]?.id ?? "",
    rows: sorted.slice(from, from + count),
    counts: {
      both: both.length,
      rose: rose.length,
      fell: fell.length,
      same: same.length,
      left: left.length,
      right: right.length,
    },
  };
}
