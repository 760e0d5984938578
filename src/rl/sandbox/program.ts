// The program of a sandbox's thread: loads the interpreter it is sent, then does one order after another. Code that
// failed leaves nothing behind: an order has a fresh world, and where one went wrong the next has a fresh interpreter. The world
// of an order takes as long to make as hundreds of its calls, so the next one is made while nobody waits.
import quickjs from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from "quickjs-emscripten-core";
import { Guest } from "./guest.ts";
import { type AnyAnswer, MOST_LATE, notAsked, type SandboxOrder, type SandboxReply, type SandboxStart } from "./jobs.ts";

/** The end of a message channel that the thread holds. */
export interface SandboxPort {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: SandboxReply): void;
}

/** How long answers are gathered. */
const GATHER_MS = 20;

/** Posts answers, gathered or each by itself. */
function poster(port: SandboxPort, isPatient: boolean, now: () => number) {
  let waiting: AnyAnswer[] = [];
  let posted = now();
  const post = () => {
    if (waiting.length > 0) port.postMessage(waiting);
    waiting = [];
    posted = now();
  };
  const add = (answer: AnyAnswer) => {
    waiting.push(answer);
    if (!isPatient || now() - posted > GATHER_MS) post();
  };
  return { add, post };
}

const brokenReason = (error: unknown) => `broke the interpreter: ${error instanceof Error ? error.message : String(error)}`.slice(0, 200);

/** Worlds that wait: a reward's and an environment's, which take turns. */
const MOST_AHEAD = 2;

/** Fresh worlds of the last jobs, made ahead in one interpreter. */
function worldsAhead(interpreter: QuickJSWASMModule) {
  const waiting = new Map<string, Guest>();
  return {
    take(job: SandboxOrder["job"]): Guest {
      const key = JSON.stringify(job);
      const guest = waiting.get(key);
      waiting.delete(key);
      return guest ?? new Guest(interpreter, job);
    },
    make(job: SandboxOrder["job"]): void {
      const made = JSON.stringify(job);
      for (const [key, guest] of waiting) {
        if (key !== made && waiting.size < MOST_AHEAD) continue;
        waiting.delete(key);
        guest.dispose();
      }
      waiting.set(made, new Guest(interpreter, job));
    },
  };
}

/** An interpreter with the worlds that are made ahead in it. */
interface Ready {
  readonly ahead: ReturnType<typeof worldsAhead>;
}

/** Answers an order. Returns whether the interpreter is as good as new. */
function obey({ ahead }: Ready, { job, inputs }: SandboxOrder, add: (answer: AnyAnswer) => void): boolean {
  let guest: Guest | null = null;
  let late = 0;
  let isSound = true;
  let stopped: AnyAnswer = null;
  for (const input of inputs) {
    if (stopped !== null) {
      add(stopped);
      continue;
    }
    try {
      guest ??= ahead.take(job);
      const answer = guest.answer(input);
      isSound &&= !guest.isLate;
      if (guest.isLate && ++late === MOST_LATE) stopped = { reason: notAsked(`it computed longer than ${job.workMs} ms`) };
      add(answer);
    } catch (error) {
      // The interpreter itself gave up: nothing in it can be asked any more.
      isSound = false;
      stopped = { reason: brokenReason(error) };
      guest = null;
      add(stopped);
    }
  }
  try {
    guest?.dispose();
  } catch {
    isSound = false;
  }
  return isSound;
}

/** Serves the port. @param now milliseconds from any fixed origin, to gather answers by. */
export function serveSandbox(port: SandboxPort, now: () => number): void {
  let ready: Promise<Ready> | null = null;
  let fresh: () => Promise<Ready> = () => Promise.reject(new Error("internal: no interpreter was sent"));
  let before: Promise<unknown> = Promise.resolve();

  const serve = async (order: SandboxOrder) => {
    const { add, post } = poster(port, order.isPatient, now);
    try {
      ready ??= fresh();
      if (!obey(await ready, order, add)) ready = null;
    } catch (error) {
      ready = null;
      for (const _ of order.inputs) add({ reason: brokenReason(error) });
    }
    post();
    try {
      (await ready)?.ahead.make(order.job);
    } catch {
      // The next order says what is wrong with it.
      ready = null;
    }
  };
  port.onmessage = ({ data }) => {
    const message = data as SandboxStart | SandboxOrder;
    if ("interpreter" in message) {
      const variant = newVariant(quickjs, { wasmModule: message.interpreter as WebAssembly.Module });
      fresh = async () => ({ ahead: worldsAhead(await newQuickJSWASMModuleFromVariant(variant)) });
      port.postMessage("up");
    } else before = before.then(() => serve(message));
  };
}
