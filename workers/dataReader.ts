// The worker that reads somebody's data: in a thread of its own, which the page ends where a file takes it for ever.

import { MOST_INLINE, ownProblemSchema } from "../src/protocol/custom/customTasks.ts";
import type { DataReply, DataRequest } from "../src/protocol/custom/dataReading.ts";
import { errorText } from "../src/protocol/problems.ts";
import { contentOf, problemsOfRows, seenRows, tableRow } from "../src/rl/data/rows/bringData.ts";
import { rowsOf } from "../src/rl/data/rows/readRows.ts";
import type { FoundRows } from "../src/rl/data/rows/row.ts";
import { readProblemLines } from "../src/rl/tasks/custom/problemLines.ts";
import { hashOf } from "../src/train/save/parts.ts";
import { createContentStore } from "./data/contents.ts";

/** As much of a content a configuration holds itself, so that a link can bring it. */
const INLINE_BYTES = 48_000;
const SHOWN = 5;

const contents = createContentStore();
let found: FoundRows = { rows: [], bad: [] };

async function answer(request: DataRequest): Promise<DataReply> {
  const { name } = request;
  if (request.does === "keep") {
    const { problems, notes } = problemsOfRows(found, request.columns, request.leavesOut);
    const bytes = contentOf(problems);
    const answers = problems.filter((problem) => problem.answer !== "").length;
    const first = problems.slice(0, SHOWN);
    const told = { type: "kept", rows: problems.length, answers, first, notes } as const;
    // A configuration has no room for long lists, nor for calls of tools.
    const isShort = problems.length <= MOST_INLINE && bytes.length <= INLINE_BYTES;
    if (isShort && problems.every((problem) => ownProblemSchema.safeParse(problem).success)) return { ...told, held: { problems } };
    const data = { sha256: hashOf(bytes), name: name.slice(0, 120), rows: problems.length, answers };
    await contents.keep(data.sha256, bytes);
    return { ...told, held: { data } };
  }
  if (request.does === "give") {
    const bytes = await contents.read(request.sha256);
    return { type: "content", lines: bytes && new TextDecoder().decode(bytes) };
  }
  if (request.does === "hold") {
    readProblemLines(request.lines, name);
    const bytes = new TextEncoder().encode(request.lines);
    await contents.keep(hashOf(bytes), bytes);
    return { type: "content", lines: null };
  }
  found =
    request.does === "read"
      ? await rowsOf(name, request.bytes)
      : { rows: request.rows.map((json, i) => tableRow(`${name} row ${i + 1}`, json)), bad: [] };
  return { type: "seen", ...seenRows(found, name) };
}

self.onmessage = async ({ data }: MessageEvent<DataRequest>) => {
  try {
    self.postMessage(await answer(data));
  } catch (error) {
    self.postMessage({ type: "problem", message: errorText(error) } satisfies DataReply);
  }
};
