// Two answers as columns: long runs that both have are counted, and what was inserted is text without template marks.
import { describe, expect, it } from "vitest";
import { differenceOf } from "../../../../src/ui/step/explain/group/differenceColumns.ts";

/** An answer from its pieces; those in brackets were inserted. */
function answer(...pieces: readonly string[]) {
  const read = pieces.map((piece) => (piece.startsWith("[") ? { piece: piece.slice(1, -1), sampled: 0 } : { piece, sampled: 1 }));
  return {
    pieces: read.map(({ piece }) => piece),
    sampled: read.map(({ sampled }) => sampled),
    tokens: read.map(({ piece }) => [...piece].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7)),
  };
}

const head = ["<tool_call>", "\n", "{", "name", ":", "calculate", "expression", ":"];
const inserted = (result: string) => ["[<|im_start|>]", "[tool\n]", `[${result}]`, "[<|im_end|>]", "[\n]"];

describe("the columns of two answers", () => {
  const a = answer(...head, "9", "8", "}", ...inserted("9310"), "9310");
  const b = answer(...head, "9", "2", "}", ...inserted("9016"), "9016");
  const { columns, shared, places, partsAt } = differenceOf(a, b);

  it("count what both have, but for a few tokens beside each difference", () => {
    expect(columns[0]).toEqual({ kind: "skipped", count: 6 });
    expect(columns.slice(1, 5).map((column) => (column.kind === "skipped" ? null : [column.a?.text, column.b?.text]))).toEqual([
      ["expression", "expression"],
      [":", ":"],
      ["9", "9"],
      ["8", "2"],
    ]);
    expect(partsAt).toBe(9);
    expect(places - shared).toBe(3);
  });

  it("have what was inserted as one text, without the marks of a template", () => {
    const said = columns.find((column) => column.kind !== "skipped" && column.a?.kind === "said");
    expect(said).toEqual({ kind: "differs", a: { text: "9310", kind: "said" }, b: { text: "9016", kind: "said" } });
  });

  it("are all there where the answers are the same", () => {
    const same = differenceOf(answer("7", "end"), answer("7", "end"));
    expect(same.partsAt).toBeNull();
    expect(same.columns).toHaveLength(2);
  });

  it("take a conversation of a thousand tokens", () => {
    const long = Array.from({ length: 1000 }, (_, i) => `t${i % 37}`);
    const other = differenceOf(answer(...long, "x"), answer(...long, "y"));
    expect(other.columns.length).toBeLessThan(8);
  });
});
