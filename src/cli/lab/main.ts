// The command line: reads the words, runs one verb, prints its report, ends with its exit code. On stdout
// comes the report and nothing else; what went wrong is one line on stderr, and with --json an object too.
import { writeSync } from "node:fs";
import type { InputError } from "../../protocol/problems.ts";
import { CommandError, codeOf, EXIT, type ExitCode, fileReason } from "./exit.ts";
import { listenForInterrupt } from "./interrupt.ts";
import type { Report } from "./verb.ts";

const words = process.argv.slice(2);
const isJson = words.slice(0, words.indexOf("--") >>> 0).includes("--json");
// Before anything else is loaded: Ctrl-C may come at once.
const interrupt = listenForInterrupt(endNow);

/** Writes out what is left to say; resolves to what stood against it. One who closes the other end early, such as head, is no fault of the run. */
function say(stream: NodeJS.WriteStream, text: string): Promise<CommandError | null> {
  return new Promise((resolve) => {
    stream.write(text, (error) => {
      const [reason] = fileReason(error).split(";");
      resolve(!error || codeOf(error) === "EPIPE" ? null : new CommandError(`what was to be printed cannot be written: ${reason}`));
    });
  });
}

/** Ends the process once what was written has gone out: timers of storage and threads of kernels may still be there. */
async function end(exitCode: ExitCode, stdout: string, stderr = ""): Promise<never> {
  await say(process.stderr, stderr);
  const unwritten = await say(process.stdout, stdout);
  if (!unwritten) process.exit(exitCode);
  if (stderr === "") await say(process.stderr, `rollout-lab: ${unwritten.message}\n`);
  process.exit(exitCode === EXIT.ok ? EXIT.input : exitCode);
}

/** The line on stderr and, for programs, the object on stdout that say what went wrong. */
function told({ message, exitCode, facts }: CommandError): readonly [stdout: string, stderr: string] {
  const line = `rollout-lab: ${message.replaceAll(/\s*\n\s*/g, " ")}\n`;
  return [isJson ? `${JSON.stringify({ ok: false, error: message, exitCode, ...facts })}\n` : "", line];
}

/** Ends the process at once, in the middle of whatever it does. */
function endNow(error: CommandError): never {
  const [stdout, stderr] = told(error);
  try {
    writeSync(2, stderr);
    writeSync(1, stdout);
  } catch {
    // Nobody reads it any more.
  }
  process.exit(error.exitCode);
}

async function answer(): Promise<Report> {
  const [{ readCommandLine }, { verbs }, { helpOf, helpOfAll }, { createProgress }] = await Promise.all([
    import("./commandLine.ts"),
    import("../verbs/index.ts"),
    import("./help.ts"),
    import("./progress.ts"),
  ]);
  const { verb, operands, options } = readCommandLine(words, verbs);
  if (!verb) return { facts: { verbs: verbs.map(({ name, help }) => ({ name, help })) }, text: helpOfAll(verbs) };
  if (options.help) return { facts: { verb: verb.name, help: helpOf(verb) }, text: helpOf(verb) };
  const progress = createProgress(options.progress as "json" | "none" | undefined, options.json === true, process.stderr);
  try {
    return await verb.run({ operands, options, progress, interrupt });
  } finally {
    progress.end();
  }
}

/** The engine's sentences about something that is not on this machine. */
const MISSING = /^(asset ".*" is missing|backend [\w-]+ cannot be used here|no backend works here)/;

const isInputError = (error: unknown): error is InputError => error instanceof Error && error.name === "InputError";

function failure(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isInputError(error)) return new CommandError(message, EXIT.input, { problems: error.problems });
  if (MISSING.test(message)) return new CommandError(`${message}: rollout-lab doctor says what is there`, EXIT.missing);
  return new CommandError(message);
}

// What cannot be written is said at the end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
try {
  const { facts, text, exitCode = EXIT.ok, until } = await answer();
  const printed = isJson ? `${JSON.stringify({ ok: exitCode === EXIT.ok, ...facts })}\n` : `${text}\n`;
  if (!until) await end(exitCode, printed);
  const unwritten = await say(process.stdout, printed);
  if (unwritten) throw unwritten;
  await until;
  await end(exitCode, "");
} catch (error) {
  const failed = failure(error);
  await end(failed.exitCode, ...told(failed));
}
