// The program of the command line, in a thread of its own: reads the words, runs one verb, and says how the process is
// to end: with the report on stdout and nothing else there; what went wrong is one line on stderr, and with --json an
// object too.

import { parentPort, workerData } from "node:worker_threads";
import { errorText, type InputError } from "../../protocol/problems.ts";
import { verbs } from "../verbs/index.ts";
import { readCommandLine } from "./commandLine.ts";
import { CommandError, type End, EXIT, endOfError } from "./exit.ts";
import { helpOf, helpOfAll } from "./help.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { createProgress, type Terminal } from "./progress.ts";
import type { FileReading } from "./readingLimit.ts";
import type { Report } from "./verb.ts";

/** What the process hears of its program. */
export type FromProgram =
  | { readonly type: "told"; readonly text: string }
  | { readonly type: "up" }
  | { readonly type: "heard" }
  | FileReading
  | { readonly type: "printed"; readonly stdout: string }
  | ({ readonly type: "end" } & End);

/** What the program cannot know in its thread: whether people read stderr, and how wide that is. */
export type ProgramStart = Pick<Terminal, "isTTY" | "columns">;

const say = (message: FromProgram) => parentPort?.postMessage(message);

/** @param failed says how the program ends where nothing waits for the verb any more */
async function answer(words: readonly string[], failed: (error: unknown) => void): Promise<Report> {
  const { verb, operands, options } = readCommandLine(words, verbs);
  if (!verb) return { facts: { verbs: verbs.map(({ name, help }) => ({ name, help })) }, text: helpOfAll(verbs) };
  if (options.help) return { facts: { verb: verb.name, help: helpOf(verb) }, text: helpOf(verb) };
  const terminal = { ...(workerData as ProgramStart), write: (text: string) => say({ type: "told", text }) };
  const progress = createProgress(options.progress as "json" | "none" | undefined, options.json === true, terminal);
  try {
    return await verb.run({ operands, options, progress, interrupt: listenForInterrupt(failed) });
  } finally {
    progress.end();
  }
}

/** The engine's sentences about something that is not on this machine. */
const MISSING = /^(asset ".*" is missing|backend [\w-]+ cannot be used here|no backend works here)/;

const isInputError = (error: unknown): error is InputError => error instanceof Error && error.name === "InputError";

function failure(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const message = errorText(error);
  if (isInputError(error)) return new CommandError(message, EXIT.input, { problems: error.problems });
  if (MISSING.test(message)) return new CommandError(`${message}: rollout-lab doctor says what is there`, EXIT.missing);
  return new CommandError(message);
}

/** Resolves once the process has what custom code printed here. */
const spoken = () => new Promise((resolve) => process.stdout.write("", () => process.stderr.write("", resolve)));

/** Runs the verb that the words behind the program's name ask for, and says how it ended. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const isJson = words.slice(0, words.indexOf("--") >>> 0).includes("--json");
  const failed = (error: unknown) => say({ type: "end", ...endOfError(failure(error), isJson) });
  try {
    const { facts, text, exitCode = EXIT.ok, until } = await answer(words, failed);
    const stdout = isJson ? `${JSON.stringify({ ok: exitCode === EXIT.ok, ...facts })}\n` : `${text}\n`;
    if (until) say({ type: "printed", stdout });
    await until;
    await spoken();
    say({ type: "end", exitCode, stdout: until ? "" : stdout, stderr: "" });
  } catch (error) {
    await spoken();
    failed(error);
  }
}
