// Separated values by RFC 4180: commas, or the semicolons, tabs or bars that the first line has more of. Lines end in any of
// the three ways; a row that is wrong ends with its line, and the next one is read.
import { TextCursor } from "../textCursor.ts";
import { DataError, type FoundRows, type Row, takenRows } from "./row.ts";

/** Longest cell; a quote that is never closed would take all the rest of a file. */
const LONGEST_CELL = 1_000_000;

/** Characters in which the first line is looked for. */
const FIRST_LINE = 65_536;

/** A record as it was read: its cells, or what is wrong with it. */
interface Read {
  readonly line: number;
  readonly cells: readonly string[];
  readonly problem?: string;
}

const SEPARATORS = [",", ";", "\t", "|"];

/** What the first line has most of outside quotes; a comma where none has more. */
function separatorOf(text: string): string {
  const [first = ""] = text
    .slice(0, FIRST_LINE)
    .replace(/"[^"]*"/g, "")
    .split(/[\r\n]/, 1);
  const count = (separator: string) => first.split(separator).length;
  return SEPARATORS.reduce((most, each) => (count(each) > count(most) ? each : most), ",");
}

/** Reads records from a place in the text; owned state. */
class CsvReader extends TextCursor {
  readonly #separator: string;
  readonly #plain: RegExp;
  #line = 1;

  constructor(text: string, separator: string) {
    super(text);
    this.#separator = separator;
    this.#plain = new RegExp(`[^${separator === "|" ? "\\|" : separator}\\r\\n]*`, "y");
  }

  #take(pattern: RegExp): string {
    return this.match(pattern)?.[0] ?? "";
  }

  /** A cell in quotes. Throws what is wrong with it. */
  #quoted(): string {
    const from = this.at + 1;
    for (let end = this.text.indexOf('"', from); ; end = this.text.indexOf('"', end + 2)) {
      if (end < 0 || end - from > LONGEST_CELL) {
        const why = end < 0 ? "a quoted cell is never closed" : `a quoted cell must have at most ${LONGEST_CELL} characters: is it closed?`;
        this.#take(/[^\r\n]*/y);
        throw new DataError(why);
      }
      if (this.text[end + 1] === '"') continue;
      this.at = end + 1;
      const cell = this.text.slice(from, end);
      this.#line += cell.split(/\r\n|\n|\r/).length - 1;
      return cell.replaceAll('""', '"');
    }
  }

  #cells(): readonly string[] {
    const cells: string[] = [];
    for (;;) {
      cells.push(this.text[this.at] === '"' ? this.#quoted() : this.#take(this.#plain));
      const next = this.text[this.at];
      if (next !== this.#separator) {
        if (next === undefined || next === "\r" || next === "\n") return cells;
        this.#take(/[^\r\n]*/y);
        throw new DataError("text follows a quoted cell");
      }
      this.at += 1;
    }
  }

  *records(): Generator<Read> {
    while (this.at < this.text.length) {
      const line = this.#line;
      const from = this.at;
      let read: Read;
      try {
        read = { line, cells: this.#cells() };
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        read = { line, cells: [], problem: error.message };
      }
      // Nothing but separators is an empty line of a spreadsheet.
      const isBlank = read.problem === undefined && this.at - from === read.cells.length - 1;
      this.#take(/\r\n|\n|\r/y);
      this.#line += 1;
      if (!isBlank) yield read;
    }
  }
}

/** The names of columns, one that has none by its place. Throws where two have one name: which is meant nobody could say. */
function columnsOf(path: string, { line, cells, problem }: Read): readonly string[] {
  if (problem !== undefined) throw new DataError(`${path}:${line}: ${problem}`);
  const names = cells.map((cell, i) => cell.trim() || `column ${i + 1}`);
  const again = names.findIndex((name, i) => names.indexOf(name) < i);
  if (again < 0) return names;
  const name = names[again]!;
  throw new DataError(
    `${path}:${line}: must name each column once, got ${JSON.stringify(name)} for columns ${names.indexOf(name) + 1} and ${again + 1}`,
  );
}

/** The rows of separated values. Throws a DataError for a first line that names no columns. */
export function readCsv(path: string, given: string): FoundRows {
  // Spreadsheets write which separator there is above all.
  const [said, told] = /^sep=(.)(?:\r\n|\n|\r)/i.exec(given) ?? [""];
  const text = given.slice(said.length);
  const records = new CsvReader(text, told ?? separatorOf(text)).records();
  const head = records.next();
  if (head.done) return { rows: [], bad: [] };
  const names = columnsOf(path, head.value);
  return takenRows(path, records, ({ line, cells, problem }): Row => {
    const where = `${path}:${line + (said === "" ? 0 : 1)}`;
    if (problem !== undefined) throw new DataError(`${where}: ${problem}`);
    if (cells.length !== names.length)
      throw new DataError(`${where}: must have ${names.length} cells like the first line, got ${cells.length}`);
    return { where, values: Object.fromEntries(names.map((name, i) => [name, cells[i]])) };
  });
}
