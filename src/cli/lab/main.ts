// The command line: reads the words, runs one verb, prints its report, ends with its exit code. On stdout
// comes the report and nothing else; what went wrong is one line on stderr, and with --json an object too.
import { writeSync } from "node:fs";
import { InputError } from "../../protocol/problems.ts";
import { verbs } from "../verbs/index.ts";
import { readCommandLine, wantsJson } from "./commandLine.ts";
import { CommandError, EXIT, type ExitCode } from "./exit.ts";
import { helpOf, helpOfAll } from "./help.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { createProgress } from "./progress.ts";
import type { Report } from "./verb.ts";

/** Ends the process once what was written has gone out: timers of storage and threads of kernels may still be there. */
function end(exitCode: ExitCode, stdout: string, stderr = ""): void {
  process.stderr.write(stderr, () => process.stdout.write(stdout, () => process.exit(exitCode)));
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

async function answer(words: readonly string[]): Promise<Report> {
  const { verb, operands, options } = readCommandLine(words, verbs);
  if (!verb) return { facts: { verbs: verbs.map(({ name, help }) => ({ name, help })) }, text: helpOfAll(verbs) };
  if (options.help) return { facts: { verb: verb.name, help: helpOf(verb) }, text: helpOf(verb) };
  const progress = createProgress(options.progress as "json" | "none" | undefined, options.json === true, process.stderr);
  try {
    return await verb.run({ operands, options, progress, interrupt: listenForInterrupt(endNow) });
  } finally {
    progress.end();
  }
}

/** The engine's sentences about something that is not on this machine. */
const MISSING = /^(asset ".*" is missing|backend [\w-]+ cannot be used here|no backend works here)/;

function failure(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InputError) return new CommandError(message, EXIT.input, { problems: error.problems });
  if (MISSING.test(message)) return new CommandError(`${message}: rollout-lab doctor says what is there`, EXIT.missing);
  return new CommandError(message);
}

const words = process.argv.slice(2);
const isJson = wantsJson(words);
// A reader that closes its end early, such as head, is no fault of the run, which goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
try {
  const { facts, text, exitCode = EXIT.ok, until } = await answer(words);
  const printed = isJson ? `${JSON.stringify({ ok: exitCode === EXIT.ok, ...facts })}\n` : `${text}\n`;
  if (until) {
    process.stdout.write(printed);
    await until;
    end(exitCode, "");
  } else end(exitCode, printed);
} catch (error) {
  const failed = failure(error);
  end(failed.exitCode, ...told(failed));
}
