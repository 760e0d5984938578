// A condition on rollouts as an address has it ("reward;0.5;1", "stop;is;ended by itself", ";text;sorry", ";like;\d+")
// and as people read it.
import { counted, measureText } from "../../../protocol/quantities.ts";
import type { ColumnCounts, TableColumn, TableCondition } from "../../../protocol/rollouts/rolloutTable.ts";

/** Stands for what is not known, in an address: no word is empty. */
const UNKNOWN = "";

/** The condition of a text; null where it is none. */
export function conditionOf(text: string): TableCondition | null {
  const [column = "", kind = "", ...rest] = text.split(";");
  const said = rest.join(";");
  if (column === "") {
    if (said === "") return null;
    if (kind === "text") return { is: "with-text", text: said };
    return kind === "like" ? { is: "matching", pattern: said } : null;
  }
  if (kind === "is") return { is: "one-of", column, words: [said === UNKNOWN ? null : said] };
  const from = Number(kind);
  const to = Number(said);
  return kind !== "" && said !== "" && from <= to ? { is: "between", column, from, to } : null;
}

export function conditionText(condition: TableCondition): string {
  if (condition.is === "with-text") return `;text;${condition.text}`;
  if (condition.is === "matching") return `;like;${condition.pattern}`;
  if (condition.is === "one-of") return `${condition.column};is;${condition.words[0] ?? UNKNOWN}`;
  return `${condition.column};${condition.from};${condition.to}`;
}

export function conditionWords(condition: TableCondition, columns: readonly TableColumn[]): string {
  if (condition.is === "with-text") return `with the text “${condition.text}”`;
  if (condition.is === "matching") return `like /${condition.pattern}/`;
  const title = columns.find(({ id }) => id === condition.column)?.title ?? condition.column;
  if (condition.is === "one-of") return `${title}: ${condition.words.map((word) => word ?? "not known").join(", ")}`;
  const { from, to } = condition;
  return from === to ? `${title}: ${measureText(from)}` : `${title}: ${measureText(from)} to ${measureText(to)}`;
}

/** The one value that all of these answers have of a column; null where they have several. */
export function onlyValue(counts: ColumnCounts): string | null {
  if (counts.kind === "word") return counts.words.length === 1 ? (counts.words[0]!.word ?? "not known") : null;
  return counts.bins.length > 0 && counts.from === counts.to ? measureText(counts.from) : null;
}

/** "12 of 160 answers" */
export const foundText = (found: number, total: number): string =>
  found === total ? `All ${counted(total, "answer")}` : `${found} of ${counted(total, "answer")}`;
