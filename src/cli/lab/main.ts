// The process of the command line: the program runs in a thread of it, so that whatever that does (a custom reward or task
// in an endless loop, a promise that nothing settles, an error thrown where nobody waits) the
// signals are heard, and stdout gets one report and stderr one line. What the program's thread prints by itself is
// custom code speaking: it goes to stderr, and where programs listen it is an event of progress.
import { writeSync } from "node:fs";
import { isMainThread, Worker } from "node:worker_threads";
import { errorText } from "../../protocol/problems.ts";
import { CommandError, codeOf, type End, EXIT, endOfError, fileReason, visible } from "./exit.ts";
import type { FromProgram, ProgramStart } from "./program.ts";
import { createReadingLimits } from "./readingLimit.ts";

/** Time for the program to hear an interrupt, and to come to its good end after that. */
const HEARS_MS = 2000;
const ENDS_MS = 15_000;
const PARTLY = "what was written before stays, and a run goes on from its last save with --resume";

const words = process.argv.slice(2);
const isJson = words.slice(0, words.indexOf("--") >>> 0).includes("--json");
const wantsEvents = words.some((word, i) => word === "--progress=json" || (word === "--progress" && words[i + 1] === "json"));

/**
 * Writes out what is left to say; resolves to what stood against it. One who closes the other end early, such as head,
 * is no fault of the run.
 */
function say(stream: NodeJS.WriteStream, text: string): Promise<CommandError | null> {
  return new Promise((resolve) => {
    stream.write(visible(text), (error) => {
      const [reason] = fileReason(error).split(";");
      resolve(!error || codeOf(error) === "EPIPE" ? null : new CommandError(`what was to be printed cannot be written: ${reason}`));
    });
  });
}

/** Commands as they are typed here: npm's script of a clone knows the program by another name. */
const asTyped = (text: string) =>
  process.env.npm_lifecycle_event === "lab" ? text.replaceAll(/\brollout-lab (?=[a-z]+ |--help)/g, "npm run lab -- ") : text;

/** Ends the process once what was written has gone out: timers of storage and threads of kernels may still be there. */
async function end({ exitCode, stdout, stderr }: End): Promise<never> {
  await say(process.stderr, asTyped(stderr));
  const unwritten = await say(process.stdout, asTyped(stdout));
  if (!unwritten) process.exit(exitCode);
  if (stderr === "") await say(process.stderr, `rollout-lab: ${unwritten.message}\n`);
  process.exit(exitCode === EXIT.ok ? EXIT.input : exitCode);
}

/** Ends the process at once, in the middle of whatever it does. */
function endNow(message: string): never {
  const { exitCode, stdout, stderr } = endOfError(new CommandError(message, EXIT.interrupted), isJson);
  try {
    writeSync(2, stderr);
    writeSync(1, stdout);
  } catch {
    // Nobody reads it any more.
  }
  process.exit(exitCode);
}

const tell = (text: string) => void process.stderr.write(text);

/** Of what custom code does to a terminal: colours, and a line that is written anew. */
const LET_THROUGH = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m|\\r)`);

/** What custom code printed. */
function printed(text: string): void {
  if (wantsEvents) tell(visible(`${JSON.stringify({ type: "printed", text })}\n`));
  else if (!isJson)
    tell(
      text
        .split(LET_THROUGH)
        .map((part, i) => (i % 2 === 1 ? part : visible(part)))
        .join(""),
    );
}

function supervise(): void {
  // What cannot be written is said at the end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const { isTTY, columns } = process.stderr;
  let hears = () => {};
  let isUp = false;
  let isAsked = false;
  let isOver = false;
  const ask = () => {
    if (isAsked) endNow("interrupted twice: what was written so far stays");
    isAsked = true;
    if (!isUp) endNow("interrupted: nothing was kept, the same command begins again");
    const deaf = setTimeout(() => endNow(`interrupted in the midst of something that does not end: ${PARTLY}`), HEARS_MS);
    hears = () => clearTimeout(deaf);
    setTimeout(() => endNow(`interrupted before what was begun had ended: ${PARTLY}`), ENDS_MS);
    program.postMessage("interrupt");
  };
  // Before anything else is loaded: Ctrl-C may come at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, ask);

  const workerData = { isTTY, columns } satisfies ProgramStart;
  const program = new Worker(process.argv[1]!, { argv: words, workerData, stdout: true, stderr: true });
  const finish = (last: End) => {
    if (!isOver) void end(last);
    isOver = true;
  };
  const fail = (message: string) => finish(endOfError(new CommandError(message), isJson));
  const endless = createReadingLimits(fail);
  for (const stream of [program.stdout, program.stderr]) stream.setEncoding("utf8").on("data", printed);
  program.on("message", (message: FromProgram) => {
    if (message.type === "told") tell(message.text);
    else if (message.type === "up") isUp = true;
    else if (message.type === "heard") hears();
    else if (message.type === "reading") endless(message);
    else if (message.type === "end") finish(message);
    else void say(process.stdout, message.stdout).then((unwritten) => unwritten && fail(unwritten.message));
  });
  program.on("error", (error) => fail(`something failed that nobody waited for: ${errorText(String(error))}`));
  program.on("exit", () =>
    fail("it ended without a report: a promise that is waited for can no longer be settled, or code of your own ended it"),
  );
}

if (isMainThread) supervise();
else await (await import("./program.ts")).runProgram(words);
