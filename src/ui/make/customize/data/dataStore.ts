// What is being brought as data: a file or a data set that was read, before it is a task's. It is read by a worker of its
// own, which is ended where a file takes it for too long.

import type { CustomTaskInput, OwnProblem } from "../../../../protocol/custom/customTasks.ts";
import type { DataReply, DataRequest, KeptData, ReadColumns } from "../../../../protocol/custom/dataReading.ts";
import { errorText } from "../../../../protocol/problems.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { openDataWorker } from "../../../engine/openWorkers.ts";
import { changeData, type DataFacts, NO_DATA, useCustomize } from "../customizeStore.ts";
import { type HubSplit, hubRows, hubSplits, type RowsAccess } from "./hubRows.ts";

/** So long a file may take. */
const LATE_MS = 60_000;
let worker: Worker | null = null;

type Answer = Exclude<DataReply, { type: "problem" }>;
let before: Promise<unknown> = Promise.resolve();

/** Asks the worker, which does one thing after another; rejects with a sentence. */
function ask(request: DataRequest): Promise<Answer> {
  const answered = before.then(() => askNow(request));
  before = answered.catch(() => {});
  return answered;
}

function askNow(request: DataRequest): Promise<Answer> {
  worker ??= openDataWorker();
  const asked = worker;
  return new Promise((resolve, reject) => {
    const end = (why: string) => {
      asked.terminate();
      worker = null;
      reject(new Error(why));
    };
    const timer = setTimeout(() => end(`${request.name} took longer than ${LATE_MS / 1000} s to read`), LATE_MS);
    asked.onerror = (event) => {
      clearTimeout(timer);
      end(event.message || "what reads data could not be loaded");
    };
    asked.onmessage = ({ data }: MessageEvent<DataReply>) => {
      clearTimeout(timer);
      if (data.type === "problem") reject(new Error(data.message));
      else resolve(data);
    };
    asked.postMessage(request);
  });
}

/** Does work and tells it; what goes wrong is among the facts. */
async function working(work: string, does: () => Promise<Partial<DataFacts>>): Promise<void> {
  changeData({ work, problem: null, notes: [] });
  try {
    changeData({ ...(await does()), work: null });
  } catch (error) {
    changeData({ work: null, problem: errorText(error) });
  }
}

async function seenOf(request: DataRequest): Promise<Partial<DataFacts>> {
  const reply = await ask(request);
  return reply.type === "seen" ? { name: request.name, seen: reply } : {};
}

/** Reads a file. */
export function bringFile(file: File): Promise<void> {
  return working(`Reading ${file.name} …`, async () =>
    seenOf({ does: "read", name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }),
  );
}

const access: RowsAccess = {
  fetch: (url) => fetch(url),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  base: import.meta.env.VITE_HUB_ENDPOINT || "https://datasets-server.huggingface.co",
};

/** Asks which parts a data set of the hub has. */
export function lookAtDataset(name: string): Promise<void> {
  return working(`Asking for ${name} …`, async () => ({ name, seen: null, splits: await hubSplits(access, name) }));
}

/** Brings the first rows of a part. */
export function bringSplit(name: string, part: HubSplit, most: number): Promise<void> {
  return working(`Bringing ${name} …`, async () => {
    const rows = await hubRows(access, name, part, most, (count) => changeData({ work: `Bringing ${name}: ${counted(count, "row")} …` }));
    return seenOf({ does: "take", name: `${name} (${part.split})`, rows });
  });
}

/** Makes problems of what was read and keeps them. Rejects with a sentence that names row and column. */
export async function keepRows(columns: ReadColumns, leavesOut: boolean): Promise<KeptData> {
  const reply = await ask({ does: "keep", name: useCustomize.getState().data.name, columns, leavesOut });
  if (reply.type !== "kept") throw new Error("internal: problems were asked for");
  return reply;
}

/** Keeps problems that were typed, where they are too many for a configuration. */
export async function keepTyped(rows: readonly OwnProblem[]): Promise<KeptData> {
  const name = "typed prompts";
  await ask({ does: "take", name, rows: rows.map((row) => JSON.stringify(row)) });
  const reply = await ask({
    does: "keep",
    name,
    columns: { question: "question", answer: rows.some(({ answer }) => answer !== "") ? "answer" : null },
  });
  if (reply.type !== "kept") throw new Error("internal: problems were asked for");
  return reply;
}

/** The lines of a content that this browser keeps; null where it keeps none of that name. */
export async function readContent(sha256: string): Promise<string | null> {
  const reply = await ask({ does: "give", name: "the data", sha256 });
  return reply.type === "content" ? reply.lines : null;
}

/** Keeps the lines of a content. Rejects with a sentence that names the row where one is wrong. */
export async function keepContent(lines: string, { data }: Pick<CustomTaskInput, "data">): Promise<void> {
  await ask({ does: "hold", name: data?.name ?? "the data", lines });
}

/** @param notes what is to be said of rows that were taken. */
export function forgetRead(notes: readonly string[] = []): void {
  changeData({ ...NO_DATA, notes });
}

export function complain(error: unknown): void {
  changeData({ work: null, problem: errorText(error) });
}
