// Serves the built page, opened on a run, or on rollouts of another program, where one is named.
import { lstat, open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { CommandError, codeOf, EXIT, foundAt } from "../lab/exit.ts";
import { defineVerb } from "../lab/verb.ts";
import { packagePath, packageScript } from "../packageFiles.ts";

interface Server {
  readonly url: string;
  close(): void;
}
/** The files of a run with their places: the save in its folder, or the one file. */
type RunFiles = readonly (readonly [path: string, bytes: Uint8Array])[];
type Serve = (options: {
  readonly port: number;
  readonly host: string;
  readonly folder: string;
  readonly run: RunFiles;
  readonly tinker: string | undefined;
  readonly allowHost: readonly string[];
}) => Promise<Server>;

/**
 * Why something that is there is no run, as rollouts of another program are none; null where it is one. Rejects with a
 * sentence where nothing is there.
 */
async function runAt(path: string): Promise<string | null> {
  const { findRecorded } = await import("../folder/recordedRun.ts");
  const { namesRun } = await import("../folder/runFolder.ts");
  try {
    await findRecorded(path);
    return null;
  } catch (refusal) {
    // What is named as a run is refused as one.
    if (!(refusal instanceof CommandError) || !(await foundAt(path)) || namesRun(path)) throw refusal;
    return refusal.message;
  }
}

/** What the page opens a run from; nothing where it has no save of the lab's, as what TRL trained. */
async function filesOf(path: string): Promise<RunFiles> {
  const { findRecorded } = await import("../folder/recordedRun.ts");
  const { pathOf, saveFolder } = await import("../folder/runFolder.ts");
  const { saveFilesIn } = await import("../folder/folderStore.ts");
  const run = await findRecorded(path);
  if (run.isFile) return [[basename(run.path), await readFile(run.path)]];
  const files = await saveFilesIn(saveFolder(run));
  if (files.size === 0) return [];
  const name = basename(run.path);
  const records = await endOf(pathOf(run, "trajectories.jsonl"));
  return [
    ...[...files].map(([file, bytes]) => [`${name}/save/${file}`, bytes] as const),
    ...(records ? [[`${name}/trajectories.jsonl`, records] as const] : []),
  ];
}

/** So much of the conversations' end goes to the page, which reads no more. */
const MOST_BYTES = 64 * 2 ** 20;

/** The end of a file; null where there is none, and for a link, which could lead out of the folder. */
async function endOf(path: string): Promise<Uint8Array | null> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isFile()) return null;
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = new Uint8Array(Math.min(size, MOST_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Why nothing can be served there. */
function refusal(error: unknown, host: string, port: number): unknown {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EADDRNOTAVAIL") return new CommandError(`--host must be a name of this machine, got "${host}"`);
  if (code === "EACCES") return new CommandError(`this user may not listen on port ${port}: choose one from 1024 on with --port`);
  if (error instanceof Error && /^(--tinker|TINKER_BASE_URL) must /.test(error.message)) return new CommandError(error.message);
  if (code === "EADDRINUSE") return new CommandError(`port ${port} and the hundred after it are busy: choose another with --port`);
  return error;
}

/** The part of an address that opens the page on a run's settings alone. */
async function addressOf(path: string): Promise<string> {
  const { findRecorded, readRecords } = await import("../folder/recordedRun.ts");
  const { planRun } = await import("../../train/start/plan.ts");
  const { changedFields } = await import("../../protocol/config/configFacts.ts");
  const { config } = await readRecords(await findRecorded(path));
  const { task, algorithm, version } = config;
  const query = new URLSearchParams({ version: String(version), task, algorithm });
  for (const name of changedFields(planRun({ config: { task, algorithm } }).config, config)) {
    const [key = "", entry] = name.split(".");
    const value = (config as Readonly<Record<string, unknown>>)[key];
    const { [entry ?? ""]: inner } = value as Readonly<Record<string, unknown>>;
    if (key === "taskOptions") query.set(`task.${entry}`, String(inner));
    else if (key === "rewardWeights") query.set(`reward.${entry}`, String(inner));
    else if (key !== "changes") query.set(key, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return `#/train?${query}`;
}

export const serve = defineVerb({
  name: "serve",
  help: "Serve the page on this machine, opened on a run, or on rollouts of another program, where one is named; Ctrl-C ends it.",
  operands: ["[PATH]"],
  options: {
    port: { kind: "integer", value: "N", min: 1, max: 65_535, help: "Port (4173); a busy one moves to the next." },
    host: { kind: "text", value: "NAME", help: "Name to listen on (localhost)." },
    "allow-host": {
      kind: "list",
      value: "NAME",
      help: "Another name that the page is asked for by, as behind a proxy; requests by any other are refused.",
    },
    tinker: {
      kind: "text",
      value: "URL",
      help: "Address of a server that speaks the Tinker API (else TINKER_BASE_URL), for runs of the page on it; its key, where it wants one, is TINKER_API_KEY and stays here.",
    },
  },
  async run({ operands, options, interrupt }) {
    const folder = packagePath("dist");
    if (!(await foundAt(packagePath("dist/index.html"))))
      throw new CommandError("the page is not built: run npm run build first", EXIT.missing);
    const [path] = operands;
    const noRun = path === undefined ? null : await runAt(path);
    const { servedTraces } = await import("../traces/traceFiles.ts");
    const files = path === undefined ? [] : noRun === null ? await filesOf(path) : await servedTraces(path, noRun);
    const address = path === undefined ? "" : noRun !== null ? "#/open" : files.length > 0 ? "#/train" : await addressOf(path);
    const script = await packageScript<{ readonly serve: Serve }>("scripts/serve.mjs");
    const { port = 4173, host = "localhost", tinker, "allow-host": allowHost } = options;
    const server = await script.serve({ port, host, folder, run: files, tinker, allowHost }).catch((error: unknown) => {
      throw refusal(error, host, port);
    });
    const url = `${server.url}${files.length > 0 ? "?run" : ""}${address}`;
    const until = new Promise<void>((resolve) => {
      interrupt.onAsked(() => {
        server.close();
        resolve();
      });
    });
    const opens = path === undefined ? null : noRun !== null ? "rollouts" : files.length > 0 ? "run" : "settings";
    const note = opens === "settings" ? `${path} has no save that the page could open: it opens on its settings.\n` : "";
    return { facts: { url, opens }, text: `${url}\n${note}Ctrl-C ends it.`, until };
  },
});
