// The program of a sandbox's thread: loads the interpreter it is sent, then does one order after another. Code that
// failed leaves nothing behind: an order has a fresh world, and where one went wrong the next has a fresh interpreter.
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

/** Answers an order. Returns whether the interpreter is as good as new. */
function obey(interpreter: QuickJSWASMModule, { job, inputs }: SandboxOrder, add: (answer: AnyAnswer) => void): boolean {
  let guest: Guest | null = null;
  let [late, isSound] = [0, true];
  let stopped: AnyAnswer = null;
  for (const input of inputs) {
    if (stopped !== null) {
      add(stopped);
      continue;
    }
    try {
      guest ??= new Guest(interpreter, job);
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
  let interpreter: Promise<QuickJSWASMModule> | null = null;
  let fresh: () => Promise<QuickJSWASMModule> = () => Promise.reject(new Error("internal: no interpreter was sent"));
  let before: Promise<unknown> = Promise.resolve();

  const serve = async (order: SandboxOrder) => {
    const { add, post } = poster(port, order.isPatient, now);
    try {
      interpreter ??= fresh();
      if (!obey(await interpreter, order, add)) interpreter = null;
    } catch (error) {
      interpreter = null;
      for (const _ of order.inputs) add({ reason: brokenReason(error) });
    }
    post();
  };
  port.onmessage = ({ data }) => {
    const message = data as SandboxStart | SandboxOrder;
    if ("interpreter" in message) {
      const variant = newVariant(quickjs, { wasmModule: message.interpreter as WebAssembly.Module });
      fresh = () => newQuickJSWASMModuleFromVariant(variant);
      port.postMessage("up");
    } else before = before.then(() => serve(message));
  };
}
