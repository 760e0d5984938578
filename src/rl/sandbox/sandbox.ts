// Custom code, run in a thread of its own. The interpreter there ends what computes too long by counting its
// steps; what takes for ever inside a single one of them, such as a product of two huge numbers, is ended from here, by
// the clock, with its thread, and a new one goes on behind it.
import { errorText } from "../../protocol/problems.ts";
import {
  type AnyAnswer,
  type FramedAnswer,
  MOST_LATE,
  notAsked,
  type Sandbox,
  type SandboxAnswer,
  type SandboxOrder,
  type SandboxReply,
  type SandboxStart,
} from "./jobs.ts";

/** A thread that runs the sandbox's program. */
export interface SandboxThread {
  post(message: SandboxStart | SandboxOrder): void;
  onReply: ((reply: SandboxReply) => void) | null;
  /** Called with why, where it could not be started or broke down. */
  onFailure: ((reason: string) => void) | null;
  close(): void;
}

/** What starts threads, reads files of public/ and tells time. */
interface SandboxHost {
  startSandbox(): SandboxThread;
  readAsset(path: string): Promise<Uint8Array>;
  now(): number;
  sleep(ms: number): Promise<void>;
}

type Batch = Omit<SandboxOrder, "isPatient">;

/** Time without an answer after which a thread is ended, and time for it to start. */
const LATE_MS = 2000;
const START_MS = 30_000;
const INTERPRETER = "sandbox/quickjs.wasm";

/** The thread of a sandbox, made when it is first needed and again after each end. */
function threadKeeper(host: SandboxHost) {
  let interpreter: Promise<WebAssembly.Module> | null = null;
  let thread: SandboxThread | null = null;
  const keeper = {
    /** Whether it has said that it can take orders. */
    isUp: false,
    async started(): Promise<SandboxThread> {
      if (thread) return thread;
      interpreter ??= host.readAsset(INTERPRETER).then((bytes) => WebAssembly.compile(Uint8Array.from(bytes)));
      const compiled = await interpreter.catch((error) => {
        interpreter = null;
        throw error;
      });
      thread = host.startSandbox();
      thread.post({ interpreter: compiled });
      return thread;
    },
    end() {
      thread?.close();
      thread = null;
      keeper.isUp = false;
    },
  };
  return keeper;
}

/** The guest answers a job in a frame by JSON and any other by a number or null. */
function asSandbox(ask: (batch: Batch) => Promise<readonly AnyAnswer[]>): Sandbox {
  return {
    run: (batch) => ask(batch) as Promise<readonly SandboxAnswer[]>,
    runFramed: (batch) => ask(batch) as Promise<readonly FramedAnswer[]>,
  };
}

/** Asks one batch after another in one thread, which is started with the first. */
export function createSandbox(host: SandboxHost): Sandbox {
  const keeper = threadKeeper(host);
  let before: Promise<unknown> = Promise.resolve();

  /** Answers until all are there, or the thread is late or broken; resolves to why it is broken. */
  async function ask({ job, inputs }: Batch, answers: AnyAnswer[], isPatient: boolean): Promise<string | null> {
    const thread = await keeper.started();
    let heard = host.now();
    let broken: string | null = null;
    const over = new Promise<void>((resolve) => {
      thread.onReply = (reply) => {
        heard = host.now();
        if (reply === "up") keeper.isUp = true;
        else if (answers.push(...reply) >= inputs.length) resolve();
      };
      thread.onFailure = (reason) => {
        broken = reason;
        resolve();
      };
    });
    thread.post({ job, inputs: inputs.slice(answers.length), isPatient });
    // Answers that came while this thread was busy are heard before the clock is looked at again.
    while (broken === null && answers.length < inputs.length && host.now() - heard < (keeper.isUp ? LATE_MS : START_MS))
      await Promise.race([over, host.sleep(LATE_MS / 8)]);
    thread.onReply = null;
    thread.onFailure = null;
    if (broken !== null || answers.length < inputs.length) keeper.end();
    return broken;
  }

  async function run(batch: Batch): Promise<readonly AnyAnswer[]> {
    const { inputs } = batch;
    const answers: AnyAnswer[] = [];
    const fill = (reason: string) => {
      while (answers.length < inputs.length) answers.push({ reason });
    };
    try {
      let broken = await ask(batch, answers, true);
      // What comes gathered does not tell which call was late: from here on each answer comes by itself.
      for (let late = 0; broken === null && answers.length < inputs.length; late++) {
        if (late === MOST_LATE) fill(notAsked(`it took longer than ${LATE_MS} ms`));
        else broken = await ask(batch, answers, false);
        if (broken === null && answers.length < inputs.length) answers.push({ reason: `took longer than ${LATE_MS} ms` });
      }
      if (broken !== null) fill(broken);
    } catch (error) {
      keeper.end();
      fill(errorText(error));
    }
    return answers;
  }

  /** Behind the batches that were asked for before. */
  function queued(batch: Batch): Promise<readonly AnyAnswer[]> {
    const answered = before.then(() => run(batch));
    before = answered;
    return answered;
  }
  return asSandbox(queued);
}
