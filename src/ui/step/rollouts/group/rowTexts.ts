// The completions of a group as one line each. What all of them begin with, such as the words of a tool call,
// would fill the line: it is left out, so that the lines show where the completions differ. Of a conversation
// the policy's own turns are there, calls with their results in place of their markup.
import { isRecord, orElse } from "../../../../protocol/problems.ts";
import type { CallReport, TrajectoryRecord, TurnReport, TurnView } from "../../../../protocol/records.ts";
import { showPiece } from "../../tokens/drawing.ts";
import { plainSpaces } from "../../tokens/readable.ts";
import { insertedText } from "../conversation/turns.ts";

/** A shared beginning up to this many characters is shown. */
const SHORT_HEAD = 16;
/** Characters of a longer one that stay before the difference. */
const SEEN_HEAD = 6;
const MOST = 160;

type Said = Pick<TrajectoryRecord, "pieces" | "sampled" | "report" | "isBare">;

/** In the place of what a recording does not have of an answer. */
const LEFT_OUT = "(not in this recording)";

/** Between two turns of the policy, in the place of what others said there. */
const NEXT_TURN = " → ";
/** Between a call and the turn after it, whose result stands with the call. */
const AFTER_CALL = " · ";
const MOST_RESULT = 24;

interface Turn {
  /** The policy's own words, marks left out. */
  readonly own: string;
  /** What was said to it after them. */
  readonly told: string;
}

/** The policy's turns in order. */
function turnsOf({ pieces, sampled }: Said): readonly Turn[] {
  const turns: { own: string; told: string[] }[] = [];
  for (const [place, piece] of pieces.entries()) {
    if (sampled[place] === 0) turns.at(-1)?.told.push(piece);
    else {
      if (place === 0 || sampled[place - 1] === 0) turns.push({ own: "", told: [] });
      const { kind, text } = showPiece(piece);
      if (kind !== "mark") turns.at(-1)!.own += text;
    }
  }
  return turns.map(({ own, told }) => ({ own, told: insertedText(told) }));
}

/** What a call was given, as names and values; null where the text is no object in JSON. */
export function argumentsOf(given: string): readonly (readonly [name: string, value: string])[] | null {
  const value: unknown = orElse(() => JSON.parse(given), null);
  if (!isRecord(value)) return null;
  return Object.entries(value).map(([name, each]) => [name, typeof each === "string" ? each : JSON.stringify(each)]);
}

/** The only argument of a call alone, several with their names, as they were said where they cannot be read. */
function argumentsText(given: string): string {
  const texts = argumentsOf(given);
  return texts?.length === 1 ? texts[0]![1] : (texts?.map((each) => each.join(" ")).join(", ") ?? given);
}

/** The first line of what was answered, with a mark where there is more. */
function shortResult(result: string): string {
  const [line = "", ...others] = result.trim().split("\n");
  return others.length > 0 || line.length > MOST_RESULT ? `${line.slice(0, MOST_RESULT)}…` : line;
}

/** The document that fits a search best: others come before it in the order of the collection. */
function bestFound(query: string, views: readonly TurnView[]): string | undefined {
  const found = views.flatMap((view) => (view.kind === "documents" && view.query === query ? view.documents : []));
  return found.reduce<(typeof found)[number] | undefined>((best, each) => (best && best.score >= each.score ? best : each), undefined)
    ?.text;
}

/** A call with what came of it, "32 * 32 → 2304 ✓". */
function callText({ name, given, result, failed }: CallReport, views: readonly TurnView[]): string {
  const asked = argumentsText(given);
  return `${asked || name || "unreadable call"} → ${shortResult(bestFound(asked, views) ?? result)} ${failed ? "✗" : "✓"}`;
}

/** What stands around the first argument of a call, spaces and line breaks as they are shown. */
const CALL_BEGINS = /^[\s␣⏎]*\{␣?"name":␣?"[^"]*",␣?"arguments":␣?\{␣?"[^"]*":␣?"?/;
const CALL_ENDS = [/(?<![\s␣⏎])[\s␣⏎]+$/, /(?<!\})\}+$/, /␣$/, /"$/] as const;

/** A call that could not be read: why is the same in many, so what was said instead is told. */
function unreadText(own: string): string {
  const said = CALL_BEGINS.test(own) ? CALL_ENDS.reduce((text, end) => text.replace(end, ""), own.replace(CALL_BEGINS, "")) : own;
  return `${said} → unreadable ✗`;
}

/** A turn in short: its calls, the experts it asked with what they said, or its own words. */
function turnText({ own, told }: Turn, { calls = [], views = [] }: TurnReport): string {
  const [first, ...others] = calls;
  if (first && others.length === 0 && first.name === "" && own !== "") return unreadText(own);
  const experts = views.flatMap((view) => (view.kind === "expert" ? [`${view.name}: ${view.query}`] : []));
  if (experts.length > 0) return `${experts.join(", ")}${told === "" ? "" : `${NEXT_TURN}${shortResult(told)}`}`;
  return calls.map((call) => callText(call, views)).join(", ") || own;
}

/** What the policy said and did in each of its turns, in short. */
export function turnTexts(trajectory: Said): readonly string[] {
  const reports = trajectory.report?.turns ?? [];
  return turnsOf(trajectory).map((turn, place) => plainSpaces(reports[place] ? turnText(turn, reports[place]) : turn.own));
}

/** Whether what a turn asked for is answered in its own text. */
function isAnswered({ calls = [], views = [] }: TurnReport): boolean {
  return calls.length > 0 || views.some(({ kind }) => kind === "expert");
}

/** What was said and done in a completion, on one line. */
export function saidText(trajectory: Said): string {
  const reports = trajectory.report?.turns ?? [];
  let text = "";
  for (const [turn, said] of turnTexts(trajectory).entries()) {
    const asked = reports[turn - 1];
    const before = asked && isAnswered(asked) ? AFTER_CALL : NEXT_TURN;
    if (said !== "") text += `${text === "" ? "" : before}${said}`;
  }
  return text;
}

/** Characters that two texts begin with alike. */
function commonHead(text: string, other: string): number {
  let length = 0;
  while (length < text.length && text[length] === other[length]) length++;
  return length;
}

/** Characters that all texts begin with; none where there is nothing else to show. */
function sharedHead(texts: readonly string[]): number {
  const [first = "", ...others] = texts;
  const differing = others.filter((other) => other !== first);
  return differing.length === 0 ? 0 : Math.min(...differing.map((other) => commonHead(first, other)));
}

/** Where the turn begins that a text breaks off in. */
function turnStart(head: string): number {
  return Math.max(...[NEXT_TURN, AFTER_CALL].map((between) => head.lastIndexOf(between) + (head.includes(between) ? between.length : 1)));
}

/** A line for each completion of a group. */
export function rowTexts(trajectories: readonly Said[]): readonly string[] {
  const texts = trajectories.map((each) => (each.isBare ? null : saidText(each)));
  const said = texts.filter((text) => text !== null);
  const head = sharedHead(said);
  const from = head > SHORT_HEAD ? Math.max(head - SEEN_HEAD, turnStart(said[0]!.slice(0, head))) : 0;
  return texts.map((text) => (text === null ? LEFT_OUT : `${from > 0 ? "…" : ""}${text.slice(from, from + MOST)}`));
}
