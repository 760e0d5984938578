// Work that may never end, such as a regular expression that backtracks for ever, done in a thread of its own that is
// ended and made again where it is late. What is done there is plain data, so that a sandbox can do it just as well.
import type { Failure, IsolatedJob } from "../types.ts";

/** Posted to the thread. */
export interface IsolatedBatch {
  readonly job: IsolatedJob;
  readonly inputs: readonly string[];
}

/** Does jobs; one answer for each input, in order. */
export interface Isolate {
  run(batch: IsolatedBatch): Promise<readonly (number | Failure)[]>;
}

/** A thread that posts an answer to each input of a batch, in order. */
export interface IsolatedThread {
  post(batch: IsolatedBatch): void;
  /** Called once with "up" before the first answer, then with each. */
  onAnswer: ((answer: number | Failure | "up") => void) | null;
  close(): void;
}

/** What starts threads and tells time. */
export interface IsolateHost {
  startIsolated(): IsolatedThread;
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** Time for one input, and how many of a batch may be late before the rest is not asked. */
const LIMIT_MS = 1000;
/** Time for a thread to start, which no answer is late for. */
const START_MS = 30_000;
const MOST_LATE = 3;

/** Batches one after another in one thread, which is started with the first. */
export function createIsolate(host: IsolateHost): Isolate {
  let thread: IsolatedThread | null = null;
  let isUp = false;
  let before: Promise<unknown> = Promise.resolve();

  /** Answers until all are there or one is late. */
  async function ask({ job, inputs }: IsolatedBatch, answers: (number | Failure)[]): Promise<void> {
    thread ??= host.startIsolated();
    let heard = host.now();
    const all = new Promise<void>((resolve) => {
      thread!.onAnswer = (answer) => {
        heard = host.now();
        if (answer === "up") isUp = true;
        else if (answers.push(answer) === inputs.length) resolve();
      };
    });
    thread.post({ job, inputs: inputs.slice(answers.length) });
    // Answers that came while this thread was busy are heard before the clock is looked at again.
    while (answers.length < inputs.length && host.now() - heard < (isUp ? LIMIT_MS : START_MS))
      await Promise.race([all, host.sleep(LIMIT_MS / 8)]);
    thread.onAnswer = null;
  }

  async function run({ job, inputs }: IsolatedBatch): Promise<readonly (number | Failure)[]> {
    const answers: (number | Failure)[] = [];
    for (let late = 0; answers.length < inputs.length; ) {
      await ask({ job, inputs }, answers);
      if (answers.length === inputs.length) break;
      thread?.close();
      thread = null;
      isUp = false;
      late += 1;
      answers.push({ reason: `took longer than ${LIMIT_MS} ms` });
      if (late === MOST_LATE)
        while (answers.length < inputs.length)
          answers.push({ reason: `was not asked, since ${late} before it took longer than ${LIMIT_MS} ms` });
    }
    return answers;
  }

  return {
    run(batch) {
      const mine = before.then(() => run(batch));
      before = mine.catch(() => {});
      return mine;
    },
  };
}

/** The thread's program. Refers to nothing outside itself, because Node receives it as source text. */
export function serveIsolated(port: {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
}) {
  port.postMessage("up");
  port.onmessage = ({ data }) => {
    const { job, inputs } = data as IsolatedBatch;
    for (const input of inputs)
      try {
        port.postMessage(new RegExp(job.source, job.flags).test(input) ? 1 : 0);
      } catch (error) {
        port.postMessage({ reason: String(error) });
      }
  };
}
