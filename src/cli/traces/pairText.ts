// Two runs that were opened together, as the command line tells them: which two are meant, and what they came to on the same prompts.
import type { PairAnswer, PairQuery } from "../../protocol/rollouts/runPair.ts";
import { aloneSentences, pairDifferenceText, pairSentence, pairValueText } from "../../rl/pair/pairSentence.ts";
import type { OpenedRun } from "../../traces/runs/openRuns.ts";
import { CommandError } from "../lab/exit.ts";

/** All prompts that both runs were asked, the largest rise first. @param pair as it stands on the command line: LEFT,RIGHT */
export function pairQueryOf(pair: string | undefined, step: number | undefined): PairQuery {
  const names = pair?.split(",") ?? [];
  if (pair !== undefined && (names.length !== 2 || names.includes("")))
    throw new CommandError(`--pair must name two runs as LEFT,RIGHT, got ${pair}`);
  return {
    left: names[0] ?? null,
    right: names[1] ?? null,
    leftStep: step ?? null,
    rightStep: null,
    show: "both",
    text: "",
    measure: null,
    isDescending: true,
    from: 0,
    count: 100_000,
    chosen: null,
  };
}

/** Prompts that are named at either end. */
const FEW = 3;

/** The comparison for people, as rows of a table. */
function pairRows(answer: PairAnswer): readonly (readonly [string, string])[] {
  const { left, right, measures, measure, totals, rows, notes, stepsBy } = answer;
  const at = measures.findIndex(({ id }) => id === measure);
  const by = measures[at] ?? { isShare: false };
  const ends = rows.length > 2 * FEW ? [...rows.slice(0, FEW), ...rows.slice(-FEW)] : rows;
  return [
    ["two runs", pairSentence(answer, measure)],
    ...(stepsBy === null ? [] : [["compared at", stepsBy] as const]),
    ...totals.map((total, m): readonly [string, string] => {
      const of = measures[m]!;
      const between = total.interval?.map((end) => pairDifferenceText(of, end)).join(" to ");
      const difference = total.difference === null ? "" : `, ${pairDifferenceText(of, total.difference)}`;
      const values = `${left.name} ${pairValueText(of, total.left)}, ${right.name} ${pairValueText(of, total.right)}`;
      return [of.title.toLowerCase(), `${values}${difference}${between ? `, 95 % interval ${between}` : ""}`];
    }),
    ...ends.map(({ begin, values }): readonly [string, string] => [
      "prompt",
      `${pairValueText(by, values[at]?.left ?? null)} to ${pairValueText(by, values[at]?.right ?? null)}: ${begin.replace(/\s+/g, " ").slice(0, 60)}`,
    ]),
    ...[...aloneSentences(answer), ...notes].map((note): readonly [string, string] => ["note", note]),
  ];
}

/** Says of files what is wrong with them as other verbs do. */
export function refused(error: unknown): never {
  throw error instanceof Error && error.name === "TraceError" ? new CommandError(error.message) : error;
}

/** Two runs as facts and as rows. Runs of which no file says what was asked are told all the same, unless somebody wants them compared. */
export async function comparedRuns(runs: readonly OpenedRun[], query: PairQuery, isWanted: boolean) {
  const { pairRuns } = await import("../../traces/runs/pairRuns.ts");
  try {
    const comparison = await pairRuns(runs, query);
    return { facts: { comparison }, rows: pairRows(comparison) };
  } catch (error) {
    if (isWanted || !(error instanceof Error) || error.name !== "TraceError") return refused(error);
    return { facts: { comparison: null, uncompared: error.message }, rows: [["not compared", error.message] as const] };
  }
}
