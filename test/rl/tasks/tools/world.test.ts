import { describe, expect, it } from "vitest";
import { multiHopSearch } from "../../../../src/rl/tasks/tools/search.ts";
import { makeWorld } from "../../../../src/rl/tasks/tools/world.ts";
import { searchTool } from "../../../../src/rl/tools/search.ts";

describe("a generated world", () => {
  it.each([2, 3, 4])("of %d hops has 10 to 30 documents and one chain through them", (hops) => {
    for (let seed = 0; seed < 100; seed++) {
      const { question, answer, documents, chain, queries } = makeWorld(seed, hops);
      expect(documents.length).toBeGreaterThanOrEqual(10);
      expect(documents.length).toBeLessThanOrEqual(30);
      expect(new Set(documents).size).toBe(documents.length);
      expect(chain).toHaveLength(hops + 1);
      expect(question).toContain(chain[0]);
      expect(question).not.toContain(answer);
      for (let i = 0; i < hops; i++) {
        const links = documents.filter((text) => text.includes(chain[i]!) && text.includes(chain[i + 1]!));
        expect(links).toHaveLength(1);
        // No other document joins a name of the chain to the answer.
        if (i < hops - 1) expect(documents.some((text) => text.includes(chain[i]!) && text.includes(answer))).toBe(false);
      }
      expect(queries).toHaveLength(hops);
    }
  });

  it.each([2, 3, 4])("of %d hops is found by its searches, the right document in any place", (hops) => {
    const places = new Set<number>();
    for (let seed = 0; seed < 100; seed++) {
      const { documents, chain, queries } = makeWorld(seed, hops);
      const tool = searchTool(documents, 3);
      for (const [i, query] of queries.entries()) {
        const { content, view } = tool.call({ query });
        const lines = content.split("\n");
        const place = lines.findIndex((line) => line.includes(chain[i + 1]!));
        expect(place).toBeGreaterThanOrEqual(0);
        places.add(place);
        expect(view).toMatchObject({ kind: "documents", query, documents: lines.map((text) => ({ text })) });
      }
    }
    expect(places).toEqual(new Set([0, 1, 2]));
  });

  it("is another one for another seed and the same for the same", () => {
    expect(makeWorld(1, 3)).toEqual(makeWorld(1, 3));
    expect(makeWorld(1, 3).documents).not.toEqual(makeWorld(2, 3).documents);
  });
});

describe("searching over several hops", () => {
  it("asks for all numbers of hops in its range, and never for a world of the other side", () => {
    const task = multiHopSearch.create({ mostHops: 4 }, 0);
    const ids = task
      .trainLoader()
      .next(200)
      .map(({ id }) => id);
    expect(new Set(ids.map((id) => /"hops":(\d)/.exec(id)![1]))).toEqual(new Set(["2", "3", "4"]));
    const evaluated = new Set(task.evaluation(100).map(({ id }) => id));
    expect(ids.some((id) => evaluated.has(id))).toBe(false);
  });

  it("refuses a range that is none", () => {
    expect(() => multiHopSearch.create({ fewestHops: 3, mostHops: 2 }, 0)).toThrow(
      "taskOptions.mostHops must be >= taskOptions.fewestHops 3, got 2",
    );
  });

  it("finds nothing and says so", () => {
    expect(searchTool(["a b"], 3).call({ query: "?" })).toMatchObject({ content: "nothing found" });
  });
});
