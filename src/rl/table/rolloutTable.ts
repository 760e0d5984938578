// All rollouts of a run in columns, filled group by group: a hundred thousand answers take some 20 MB, and their texts stay where they are.
import type { GroupRecord } from "../../protocol/records.ts";
import type { TableColumn } from "../../protocol/rollouts/rolloutTable.ts";
import { partColumn, TABLE_COLUMNS } from "./tableColumns.ts";

/** Letters of an answer that a row begins with. */
const BEGIN = 120;

/** Values of a column, one for each row: numbers with NaN for none, words by their number with -1 for none. */
export interface ColumnValues extends TableColumn {
  readonly values: readonly number[];
  /** The words that the values count; empty where they are numbers. */
  readonly words: readonly string[];
}

interface Growing extends TableColumn {
  readonly values: number[];
  readonly words: string[];
  readonly numberOf: Map<string, number>;
}

/** A growing table; owned state. */
export class RolloutTable {
  readonly #columns = new Map<string, Growing>();
  readonly #begins: string[] = [];
  /** Rows of each form of an answer's text. */
  readonly #sameText: number[] = [];
  readonly #texts = new Map<string, number>();

  get size(): number {
    return this.#begins.length;
  }

  /** Columns of which any row has a value. */
  get columns(): readonly ColumnValues[] {
    const same = this.#sameText.map((text) => this.#copies[text]!);
    const copies: ColumnValues = { id: "copies", title: "Equal answers", kind: "number", values: same, words: [] };
    const hasValue = ({ kind, values }: Growing) => values.some((value) => (kind === "number" ? !Number.isNaN(value) : value >= 0));
    return [...[...this.#columns.values()].filter(hasValue), ...(this.size > 0 ? [copies] : [])];
  }

  /** How often each text was given. */
  readonly #copies: number[] = [];

  begin(row: number): string {
    return this.#begins[row] ?? "";
  }

  add(group: GroupRecord): void {
    for (const [trajectoryIndex, answer] of group.trajectories.entries()) {
      for (const { read, ...column } of TABLE_COLUMNS) this.#set(column, read(answer, group, trajectoryIndex));
      for (const { name, value } of answer.rewardParts) this.#set({ id: partColumn(name), title: name, kind: "number" }, value);
      this.#countText(answer.text);
      this.#begins.push(answer.text.slice(0, BEGIN));
    }
  }

  #set(column: TableColumn, value: number | string | null): void {
    const growing = this.#columnOf(column);
    // A part that earlier rows had not leaves them without a value.
    while (growing.values.length < this.size) growing.values.push(column.kind === "number" ? Number.NaN : -1);
    growing.values.push(typeof value === "string" ? this.#wordOf(growing, value) : (value ?? (column.kind === "number" ? Number.NaN : -1)));
  }

  #columnOf(column: TableColumn): Growing {
    const known = this.#columns.get(column.id);
    if (known) return known;
    const made: Growing = { ...column, values: [], words: [], numberOf: new Map() };
    this.#columns.set(column.id, made);
    return made;
  }

  #wordOf({ words, numberOf }: Growing, word: string): number {
    const known = numberOf.get(word);
    if (known !== undefined) return known;
    numberOf.set(word, words.length);
    return words.push(word) - 1;
  }

  #countText(text: string): void {
    const known = this.#texts.get(text) ?? this.#copies.push(0) - 1;
    this.#texts.set(text, known);
    this.#copies[known]! += 1;
    this.#sameText.push(known);
  }
}
