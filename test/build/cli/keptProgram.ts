// The built program in a thread that answers one command line after another. Most of what a short command costs is the start of its
// process and the reading of the program's files, so tests that look at what a verb says share one thread; the process itself,
// its exit codes, signals, pipes and what code of one's own prints are tested with processes.
import { join } from "node:path";
import { MessageChannel, type MessagePort, SHARE_ENV, Worker, type WorkerOptions } from "node:worker_threads";
import { visible } from "../../../src/cli/lab/exit.ts";
import type { FromProgram } from "../../../src/cli/lab/program.ts";

export const PROGRAM = join(import.meta.dirname, "..", "..", "..", "dist-cli", "bin", "rollout-lab.js");

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Kept {
  readonly thread: Worker;
  readonly port: MessagePort;
}

/** Less than a test may take: one that does not end would hold up every command after it. */
const LIMIT_MS = 100_000;

let kept: Kept | null = null;
/** Settles once the command before has ended: they share a working directory. */
let before: Promise<unknown> = Promise.resolve();

function begin(): Kept {
  const { port1: port, port2 } = new MessageChannel();
  const workerData = { entry: PROGRAM, port: port2 };
  // The environment is that of the tests, as it is for a process of theirs.
  const options: WorkerOptions = { workerData, transferList: [port2], env: SHARE_ENV, stdout: true, stderr: true };
  const thread = new Worker(join(import.meta.dirname, "keptThread.mjs"), options);
  // Neither keeps the tests' process from ending.
  thread.unref();
  port.unref();
  return { thread, port };
}

/** One command, as the process would end that runs it alone. */
function answer({ thread, port }: Kept, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ["", ""];
    const over = () => {
      clearTimeout(late);
      thread.off("message", hear).off("error", fail).off("exit", leave);
      thread.unref();
    };
    const fail = (error: unknown) => {
      over();
      kept = null;
      reject(error);
    };
    const late = setTimeout(() => {
      fail(new Error(`${args.join(" ")} did not end within ${LIMIT_MS / 1000} s`));
      void thread.terminate();
    }, LIMIT_MS);
    const leave = () => fail(new Error(`the program's thread ended within ${args.join(" ")}`));
    const hear = (message: FromProgram) => {
      if (message.type === "told") stderr += message.text;
      else if (message.type === "printed") stdout += visible(message.stdout);
      else if (message.type === "end") {
        over();
        resolve({ code: message.exitCode, stdout: stdout + visible(message.stdout), stderr: stderr + visible(message.stderr) });
      }
    };
    thread.on("message", hear).on("error", fail).on("exit", leave);
    thread.ref();
    port.postMessage(args);
  });
}

/** Runs a command in the thread that this file's tests share, once those before it have ended. */
export function runInThread(args: readonly string[], cwd: string): Promise<Ended> {
  const turn = async () => {
    const home = process.cwd();
    process.chdir(cwd);
    kept ??= begin();
    return answer(kept, args).finally(() => process.chdir(home));
  };
  const ended = before.then(turn);
  before = ended.catch(() => {});
  return ended;
}
