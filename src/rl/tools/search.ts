// Finds documents of a small collection by their words.
import { rankDocuments } from "./bm25.ts";
import { defineTool, type Tool } from "./tool.ts";

/**
 * A search tool over these documents that returns the best few, a line each, in the order of the collection: rank must
 * not tell the answer.
 */
export function searchTool(documents: readonly string[], returned: number): Tool {
  return defineTool({
    name: "search",
    description: "Finds documents.",
    parameters: { query: "string" },
    run({ query }) {
      const found = rankDocuments(documents, query)
        .slice(0, returned)
        .sort((x, y) => x.document - y.document)
        .map(({ document, score, matched }) => ({ text: documents[document]!, score, matched }));
      const content = found.length > 0 ? found.map(({ text }) => text).join("\n") : "nothing found";
      return { content, view: { kind: "documents", query, documents: found } };
    },
  });
}
