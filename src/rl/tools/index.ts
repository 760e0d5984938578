// The registry of tools that a task of one's own or a configuration names: one line each.

import { calculate } from "./calculate.ts";
import { searchTool } from "./search.ts";
import type { Tool } from "./tool.ts";

/** A problem as tools see it. */
export interface WithDocuments {
  readonly documents?: readonly string[];
}

/** The tools by name, for one problem. */
export const namedTools: Readonly<Record<string, (problem: WithDocuments) => Tool>> = {
  calculate: () => calculate,
  search: ({ documents = [] }) => searchTool(documents, 3),
};
