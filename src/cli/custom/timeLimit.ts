// The time that a call of custom code may take. It runs where everything does, with its objects at hand, and is
// broken off in the midst where it is late: an endless loop and a regular expression that backtracks for ever alike. What
// a promise does once it was waited for cannot be broken off, only given up.
import { Script } from "node:vm";
import { reasonOf } from "../../rl/envs/stepEnvs.ts";
import type { Failure } from "../../rl/types.ts";
import { codeOf } from "../lab/exit.ts";

/** Calls code of one configuration, each call within its time. */
export interface TimeLimit {
  /** What the call gives. Throws a sentence where it is late. @param times as long as a call may take, for what is many calls. */
  call<T>(work: () => T, times?: number): T;
  /** What each input's call gives, or why there is nothing; the others go on where one is late. */
  each<Input, Output>(inputs: readonly Input[], work: (input: Input) => Output): readonly (Output | Failure)[];
  /** What a promise comes to, or what is made of the error it ends with; why there is nothing where it is late. */
  wait<T, Thrown>(promise: PromiseLike<T>, thrown: (error: unknown) => Thrown): Promise<T | Thrown | Failure>;
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return value !== null && typeof value === "object" && "then" in value && typeof value.then === "function";
}

/** Without a setting: for what computes, and for what it waits for, such as another program. */
const LIMIT_MS = 5000;
const WAITS_MS = 60_000;
/** How many of a batch may be late before the rest is not asked; one once all of a batch were. */
const MOST_LATE = 3;
/** How long calls share one watch, which costs more than most of them. */
const SHARED_MS = 100;

const slot = Symbol.for("rollout-lab: a call with a time limit");
const script = new Script(`globalThis[Symbol.for(${JSON.stringify(slot.description)})]()`);
const place = globalThis as { [slot]?: () => void };

/** Whether all of it was done in that time; what it throws goes on. */
function isDone(work: () => void, limitMs: number): boolean {
  place[slot] = work;
  try {
    script.runInThisContext({ timeout: Math.ceil(limitMs), displayErrors: false });
    return true;
  } catch (error) {
    if (codeOf(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    delete place[slot];
  }
}

/** @param seconds that a call may take, as the configuration says. */
export function createTimeLimit(seconds: number | undefined): TimeLimit {
  const limitMs = seconds === undefined ? LIMIT_MS : 1000 * seconds;
  const waitsMs = seconds === undefined ? WAITS_MS : limitMs;
  const late = (ms: number) => `took longer than ${ms} ms`;
  // Within a call that is watched another has no watch of its own.
  let isWatched = false;
  let mostLate = MOST_LATE;
  const watch = (work: () => void, ms: number) => {
    isWatched = true;
    try {
      return isDone(work, ms);
    } finally {
      isWatched = false;
    }
  };

  function call<T>(work: () => T, times = 1): T {
    if (isWatched) return work();
    const results: T[] = [];
    if (watch(() => results.push(work()), times * limitMs)) return results[0]!;
    throw new Error(late(times * limitMs));
  }

  function each<Input, Output>(inputs: readonly Input[], work: (input: Input) => Output): readonly (Output | Failure)[] {
    const answers: (Output | Failure)[] = [];
    let lates = 0;
    let asked = -1;
    const askOne = () => {
      asked = answers.length;
      try {
        answers.push(work(inputs[asked]!));
      } catch (error) {
        answers.push({ reason: reasonOf(error) });
      }
    };
    const askSome = () => {
      for (const begun = performance.now(); answers.length < inputs.length && performance.now() - begun < SHARED_MS; ) askOne();
    };
    while (answers.length < inputs.length) {
      if (lates === mostLate) answers.push({ reason: `was not asked, since ${lates} before it ${late(limitMs)}` });
      else if (!watch(askSome, limitMs + SHARED_MS) && asked === answers.length) {
        answers.push({ reason: late(limitMs) });
        lates += 1;
      }
    }
    mostLate = lates > 0 && lates === mostLate ? 1 : MOST_LATE;
    return answers;
  }

  async function wait<T, Thrown>(promise: PromiseLike<T>, thrown: (error: unknown) => Thrown): Promise<T | Thrown | Failure> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<Failure>((resolve) => {
      timer = setTimeout(() => resolve({ reason: late(waitsMs) }), waitsMs);
    });
    return Promise.race([promise.then((value) => value, thrown), isLate]).finally(() => clearTimeout(timer));
  }

  return { call, each, wait };
}
