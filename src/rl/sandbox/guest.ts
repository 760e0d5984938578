// One interpreter with somebody's code in it: QuickJS compiled to WebAssembly, which has neither network nor storage,
// clock nor chance. Everything the code is handed is made inside of it from JSON; what comes out is a number, null or a
// text. Its own steps are counted, so that the same code ends at the same one on every machine.
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from "quickjs-emscripten-core";
import { transform } from "sucrase";
import { Random } from "../random.ts";
import { FRAMES } from "./frames.ts";
import {
  type AnyAnswer,
  type FramedAnswer,
  type FramedJob,
  LONGEST_JSON,
  MEMORY_BYTES,
  type SandboxAnswer,
  type SandboxFailure,
  type SandboxInput,
  type SandboxJob,
} from "./jobs.ts";

/** Of the interpreter's interrupts, which come every 10,000 of its jumps and calls, so many are a millisecond of a usual machine. */
const INTERRUPTS_PER_MS = 4;
const STACK_BYTES = 256 * 1024;
/** Calls that load the code may compute as long as so many others. */
const LOADING = 4;
const MOST_TEXT = 200;
/** What the interpreter calls the code in its sentences. */
const FILE = "mine.ts";

/** What the language has, without Date. */
const LANGUAGE = {
  BaseObjects: true,
  Eval: true,
  StringNormalize: true,
  RegExpCompiler: true,
  RegExp: true,
  JSON: true,
  Proxy: true,
  MapSet: true,
  TypedArrays: true,
  Promise: true,
  BigInt: true,
};

/** What the code finds beside the language. Its last value is what the outside keeps, before any code of somebody's runs. */
const PRELUDE = `(uniform) => {
  const { parse } = JSON;
  const { floor } = Math;
  const say = String;
  Object.defineProperty(Math, "random", { value: () => {
    throw new Error("there is no chance but the generator that is handed in: take random.uniform() of the second argument");
  } });
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  globalThis.console = Object.fromEntries(["log", "info", "warn", "error", "debug"].map((name) => [name, () => {}]));
  const random = {
    uniform: () => uniform(),
    below: (count) => floor(uniform() * count),
    pick: (list) => list[floor(uniform() * list.length)],
  };
  const lineIn = (error) => {
    const found = /mine\\.ts:(\\d+)/.exec(say(error.stack));
    return found ? found[1] : "";
  };
  return [
    parse,
    (options) => ({ options: parse(options), random }),
    (error) => {
      try {
        if (typeof error !== "object" || error === null) return "|threw " + say(error);
        return lineIn(error) + "|" + say(error.name) + ": " + say(error.message);
      } catch {
        return "|threw what cannot be read";
      }
    },
    (module) => {
      let names = "";
      for (const name in module) if (typeof module[name] === "function") names += name + " ";
      return names;
    },
  ];
}`;

let plain: { readonly source: string; readonly text: string } | null = null;

/** TypeScript without its types, every line in its place; what cannot be read stays, for the interpreter to say what is wrong and where. */
function plainSource(source: string): string {
  // The same code is loaded again and again.
  if (plain?.source !== source) plain = { source, text: withoutTypes(source) };
  return plain.text;
}

function withoutTypes(source: string): string {
  try {
    return transform(source, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code;
  } catch {
    return source;
  }
}

/** Thrown inside of this file alone, with what is to be said. */
class Refusal extends Error {}

/** What comes of a handle, which is given back whatever happens. */
function used<T>(handle: QuickJSHandle, work: (handle: QuickJSHandle) => T): T {
  try {
    return work(handle);
  } finally {
    handle.dispose();
  }
}

const failureOf = ({ message, cause }: Refusal): SandboxFailure => ({
  reason: message,
  ...(typeof cause === "number" ? { line: cause } : {}),
});

/** Somebody's code, loaded; owned state. */
export class Guest {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #workMs: number;
  #spent = 0;
  #allowed = Number.POSITIVE_INFINITY;
  #random = new Random(0);
  /**
   * Of the prelude: what reads JSON, gives the second argument, tells an error and names functions; then the code and
   * its second argument.
   */
  #kept: QuickJSHandle[] = [];
  #frame: QuickJSHandle | null = null;
  /** Why nothing can be asked of it. */
  readonly refused: SandboxFailure | null = null;

  readonly #isFramed: boolean;

  constructor(interpreter: QuickJSWASMModule, job: SandboxJob | FramedJob) {
    const { source, options, workMs } = job;
    this.#workMs = workMs;
    this.#runtime = interpreter.newRuntime();
    this.#runtime.setMemoryLimit(MEMORY_BYTES);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => ++this.#spent > this.#allowed);
    this.#context = this.#runtime.newContext({ intrinsics: LANGUAGE });
    this.#isFramed = "frame" in job;
    try {
      this.#prepare("frame" in job ? FRAMES[job.frame] : null);
      this.#load(plainSource(source), "frame" in job ? null : job.entry);
      this.#kept.push(this.#calledWithText(1, JSON.stringify(options)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refused = failureOf(error);
    }
  }

  /** Whether the last call computed too long. */
  get isLate(): boolean {
    return this.#spent > this.#allowed;
  }

  /** The code's answer. */
  answer({ value, seed }: SandboxInput): AnyAnswer {
    if (this.refused) return this.refused;
    const context = this.#context;
    this.#random = new Random(seed);
    this.#allow(1);
    try {
      return used(this.#calledWithText(0, value), (judged) => {
        const said = context.callFunction(this.#kept[4]!, context.undefined, judged, this.#kept[5]!);
        return used(this.#taken(said), (found) => (this.#isFramed ? this.#jsonOf(found) : this.#numberOf(found)));
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return failureOf(error);
    }
  }

  dispose(): void {
    for (const handle of this.#kept) handle.dispose();
    this.#frame?.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }

  #allow(times: number): void {
    this.#spent = 0;
    this.#allowed = times * this.#workMs * INTERRUPTS_PER_MS;
  }

  /** @param frame text of a function from a module to what is called, kept before any code of somebody's runs. */
  #prepare(frame: string | null): void {
    const context = this.#context;
    const uniform = context.newFunction("uniform", () => context.newNumber(this.#random.uniform()));
    const made = used(uniform, (drawn) =>
      used(context.unwrapResult(context.evalCode(PRELUDE, "lab")), (prelude) =>
        context.unwrapResult(context.callFunction(prelude, context.undefined, drawn)),
      ),
    );
    this.#kept = used(made, (list) => [0, 1, 2, 3].map((i) => context.getProp(list, i)));
    if (frame !== null) this.#frame = context.unwrapResult(context.evalCode(frame, "lab"));
  }

  #load(text: string, entry: string | null): void {
    this.#allow(LOADING);
    const context = this.#context;
    used(this.#taken(context.evalCode(text, FILE, { type: "module" })), (module) => {
      if (entry === null) {
        this.#kept.push(this.#taken(context.callFunction(this.#frame!, context.undefined, module)));
        return;
      }
      const listed = this.#taken(context.callFunction(this.#kept[3]!, context.undefined, module));
      const names = used(listed, (list) => context.getString(list))
        .split(" ")
        .filter((name) => name !== "");
      const chosen = names.includes(entry) ? entry : names.length === 1 ? names[0] : undefined;
      const others = names.length > 0 ? `; it exports ${names.join(", ")}` : "";
      if (chosen === undefined) throw new Refusal(`must export a function ${entry}${others}`);
      this.#kept.push(context.getProp(module, chosen));
    });
  }

  /** What a function of the prelude makes of a text. */
  #calledWithText(which: number, text: string): QuickJSHandle {
    const context = this.#context;
    return used(context.newString(text), (handle) => this.#taken(context.callFunction(this.#kept[which]!, context.undefined, handle)));
  }

  /** The value of a result. Throws a Refusal with what its error says. */
  #taken(result: ReturnType<QuickJSContext["callFunction"]>): QuickJSHandle {
    if (!result.error) return result.value;
    const late = this.isLate ? new Refusal(`computed longer than ${this.#workMs} ms`) : null;
    throw used(result.error, (error) => late ?? this.#told(error));
  }

  #told(error: QuickJSHandle): Refusal {
    this.#allow(1);
    const described = this.#context.callFunction(this.#kept[2]!, this.#context.undefined, error);
    if (described.error) {
      described.error.dispose();
      return new Refusal("threw what cannot be read");
    }
    const [line = "", ...words] = used(described.value, (text) => this.#context.getString(text)).split("|");
    const reason = words.join("|").slice(0, MOST_TEXT);
    return line === "" ? new Refusal(reason) : new Refusal(`${reason} (line ${line})`, { cause: Number(line) });
  }

  /** A frame returns JSON. */
  #jsonOf(said: QuickJSHandle): FramedAnswer {
    const context = this.#context;
    if (context.typeof(said) !== "string") return { reason: "must return plain data, which JSON can say" };
    const json = context.getString(said);
    return json.length <= LONGEST_JSON
      ? { json }
      : { reason: `must return at most ${LONGEST_JSON} characters as JSON, got ${json.length}` };
  }

  #numberOf(said: QuickJSHandle): SandboxAnswer {
    const context = this.#context;
    const kind = context.typeof(said);
    if (kind === "number") return context.getNumber(said);
    if (context.sameValue(said, context.null)) return null;
    const value =
      kind === "string"
        ? JSON.stringify(context.getString(said).slice(0, 30))
        : kind === "undefined"
          ? "nothing"
          : kind === "object"
            ? "an object"
            : `a ${kind}`;
    return { reason: `must return a number, or null where it cannot judge, got ${value}` };
  }
}
