// Two runs that were opened together, compared on the prompts that both were asked: what the index knows of all answers, and the groups of
// the one prompt that somebody looks at.
import { unknownName } from "../../protocol/problems.ts";
import type { GroupRecord } from "../../protocol/records.ts";
import type { AskedPlace, PairAnswer, PairedPrompt, PairQuery, PairSide, PairStep } from "../../protocol/rollouts/runPair.ts";
import { comparePrompts } from "../../rl/pair/comparePrompts.ts";
import { listPrompts } from "../../rl/pair/listPrompts.ts";
import type { AnswerFacts } from "../../rl/pair/pairMeasures.ts";
import { type AskedRun, chosenSteps } from "../../rl/pair/pairSteps.ts";
import { TraceError } from "../containers/container.ts";
import type { TraceSet } from "../traceSet.ts";
import type { OpenedRun } from "./openRuns.ts";

type Side = "left" | "right";

/** A run by its prompts. @param hasLength whether lengths are of the same things as the other run's */
function askedRun({ rows, prompts, report }: TraceSet, hasLength: boolean): AskedRun {
  const asked = new Map<string, { readonly begin: string; readonly answers: AnswerFacts[] }>();
  for (const row of rows) {
    const prompt = row.prompt === null ? undefined : prompts[row.prompt];
    if (!prompt) continue;
    const found = asked.get(prompt.key) ?? { begin: prompt.begin, answers: [] };
    asked.set(prompt.key, found);
    found.answers.push(hasLength ? row : { ...row, length: null });
  }
  return { steps: report.steps, partNames: report.rewardParts, prompts: asked };
}

/** The two runs that are asked for. Throws where a name is none of a run's, or both are one. */
function twoRuns(runs: readonly OpenedRun[], { left, right }: PairQuery): Readonly<Record<Side, OpenedRun>> {
  const names = runs.map(({ name }) => name);
  const [first, second] = runs;
  if (!first || !second) throw new TraceError("two runs are compared: open another one beside this");
  const named = (side: Side, name: string | null, otherwise: OpenedRun) => {
    const found = name === null ? otherwise : runs.find((run) => run.name === name);
    if (!found) throw new TraceError(unknownName(side, name ?? "", names));
    return found;
  };
  const one = named("left", left, right === first.name ? second : first);
  const other = named("right", right, one === first ? second : first);
  if (one === other) throw new TraceError(`left and right must be two runs, got ${JSON.stringify(one.name)} for both`);
  return { left: one, right: other };
}

const isWords = ({ report }: TraceSet) => report.tokens === "words";

/** What makes two runs differ besides what they learnt. */
function notesOf(left: OpenedRun, right: OpenedRun, prompts: readonly PairedPrompt[], areLengthsAlike: boolean): readonly string[] {
  const notes: string[] = [];
  const a = left.set.report.rewardParts;
  const b = right.set.report.rewardParts;
  if ([...a].sort().join("\n") !== [...b].sort().join("\n"))
    notes.push(
      `Rewards are made of other parts: ${a.join(", ") || "none by name"} in ${left.name}, ${b.join(", ") || "none by name"} in ${right.name}. Equal totals need not mean the same.`,
    );
  if (!areLengthsAlike) notes.push("Lengths are counted in words in one run and in tokens in the other, and are not compared.");
  const sizes = (side: Side) =>
    [...new Set(prompts.flatMap((prompt) => (prompt.left && prompt.right ? prompt[side]!.answers : [])))].sort((x, y) => x - y);
  const leftSizes = sizes("left");
  const rightSizes = sizes("right");
  const text = (counts: readonly number[]) => (counts.length === 1 ? String(counts[0]) : `${counts[0]} to ${counts.at(-1)}`);
  if (text(leftSizes) !== text(rightSizes))
    notes.push(
      `A prompt has ${text(leftSizes)} answers in ${left.name} and ${text(rightSizes)} in ${right.name}: the best of more is better by chance alone.`,
    );
  return notes;
}

function sideOf(run: OpenedRun, side: Side, step: PairStep, prompts: readonly PairedPrompt[], other: AskedRun): PairSide {
  const own = prompts.filter((prompt) => prompt[side] !== null);
  const alone = own.filter(({ left, right }) => !left || !right);
  return {
    name: run.name,
    title: run.set.report.title,
    steps: run.set.report.steps,
    step,
    prompts: own.length,
    answers: own.reduce((sum, prompt) => sum + prompt[side]!.answers, 0),
    alone: alone.length,
    never: alone.filter(({ key }) => !other.prompts.has(key)).length,
  };
}

const groupsAt = ({ set }: OpenedRun, place: AskedPlace | null): Promise<readonly GroupRecord[]> =>
  place ? set.groups(place.step, place.promptIndices) : Promise.resolve([]);

/** Compares two of the runs. Rejects with a sentence where there are not two, or one of them does not tell what was asked. */
export async function pairRuns(runs: readonly OpenedRun[], query: PairQuery): Promise<PairAnswer> {
  const { left, right } = twoRuns(runs, query);
  const areLengthsAlike = isWords(left.set) === isWords(right.set);
  const asked = { left: askedRun(left.set, areLengthsAlike), right: askedRun(right.set, areLengthsAlike) };
  for (const [side, run] of [
    ["left", left],
    ["right", right],
  ] as const)
    if (asked[side].prompts.size === 0)
      throw new TraceError(`${run.name} does not say what was asked, so nothing tells which prompts are the same`);
  const steps = chosenSteps(asked.left, asked.right, { left: query.leftStep, right: query.rightStep });
  const compared = comparePrompts(asked.left, asked.right, steps);
  const { prompts, totals } = compared;
  const unit = isWords(left.set) ? "words" : "tokens";
  const measures = compared.measures.map((each) => (each.id === "length" ? { ...each, title: `${each.title} in ${unit}` } : each));
  const { rows, counts, measure } = listPrompts(compared, query);
  const chosen = prompts.find(({ key }) => key === query.chosen);
  return {
    runs: runs.map(({ name }) => name),
    left: sideOf(left, "left", steps.left, prompts, asked.right),
    right: sideOf(right, "right", steps.right, prompts, asked.left),
    stepsBy: steps.why,
    measures,
    measure,
    totals,
    counts,
    rows,
    notes: notesOf(left, right, prompts, areLengthsAlike),
    chosen: chosen ? { prompt: chosen, left: await groupsAt(left, chosen.left), right: await groupsAt(right, chosen.right) } : null,
  };
}
