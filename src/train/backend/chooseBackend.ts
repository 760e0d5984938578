// Which backend computes a transformer: the one that was asked for, or, of those that work here, the one that a short
// measured trial finds fastest. Nothing is fallen back to silently: every candidate is in the report.

import type { TransformerBackend } from "../../model/backend.ts";
import type { FrozenBase } from "../../model/lora/frozenBase.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import { errorText } from "../../protocol/problems.ts";
import type { Hardware } from "../host.ts";
import {
  type BackendCandidate,
  type BackendOptions,
  backendCandidates,
  createChecked,
  createForRun,
  gpuObstacle,
} from "./backendCandidates.ts";
import { timeBackend } from "./timeBackend.ts";

interface ChosenBackend {
  readonly backend: TransformerBackend;
  readonly report: BackendReport;
}

/** A candidate that was looked at. */
interface Attempt {
  readonly candidate: BackendCandidate;
  /** Null where there is none. */
  backend: TransformerBackend | null;
  /** NaN where it was not timed. */
  msPerStep: number;
  /** Why it cannot be used: it does not work here, or lost its GPU device in a trial or after it. */
  failure: string | null;
}

interface Success extends Attempt {
  backend: TransformerBackend;
}

type Tried = BackendReport["tried"][number];

/** The fastest of those that `take` makes a backend for a run of; the others are given back. */
async function takeBest(attempts: readonly Attempt[], take: (one: Success) => Promise<TransformerBackend>): Promise<Success | undefined> {
  const usable = attempts.filter(isUsable).toSorted((a, b) => a.msPerStep - b.msPerStep);
  for (const one of attempts) if (!isUsable(one)) one.backend?.dispose();
  for (const [i, one] of usable.entries()) {
    try {
      const taken = await take(one);
      one.backend = taken;
      for (const other of usable.slice(i + 1)) other.backend.dispose();
      return one;
    } catch (error) {
      one.failure = errorText(error);
    }
  }
  return undefined;
}

/** What holds the kernels to one thread, if anything does. */
function obstacleToThreads({ build, threads }: TransformerBackend, asked: number, hardware: Hardware): string | undefined {
  return build && threads === 1 && (asked || hardware.cores) > 1 ? hardware.threadObstacle : undefined;
}

function reportOf({ id, title }: BackendCandidate, backend: TransformerBackend, obstacle: string | undefined) {
  const { threads, build } = backend;
  return { id, title, threads, ...(build && { kernelBuild: build }), ...(obstacle && { threadObstacle: obstacle }) };
}

/** Tries a candidate out; not timed where there is nothing to compare it with. */
async function tryOut(
  attempt: Attempt,
  timed: boolean,
  config: TransformerConfig,
  hardware: Hardware,
  options: BackendOptions,
): Promise<void> {
  let backend: TransformerBackend | null = null;
  try {
    backend = await createChecked(attempt.candidate, config, hardware, options);
    if (timed) attempt.msPerStep = await timeBackend(backend, hardware);
    attempt.backend = backend;
  } catch (error) {
    backend?.dispose();
    attempt.failure ??= errorText(error);
  }
}

/** Whether an attempt has a backend that is still there. */
const isUsable = (one: Attempt): one is Success => one.backend !== null && one.failure === null;

/** What came of a candidate that was not chosen, as half a sentence. */
const outcomeOf = ({ failure }: Attempt) => failure ?? "slower";

const listOf = (attempts: readonly Attempt[]) => attempts.map((one) => `${one.candidate.id}: ${outcomeOf(one)}`).join("; ");

function triedOf(attempts: readonly Attempt[], best: Success): Tried[] {
  return attempts.map((one) => {
    const tried = { id: one.candidate.id, outcome: one === best ? "chosen" : outcomeOf(one) };
    // The time of a device that is gone compares with nothing.
    return isUsable(one) && Number.isFinite(one.msPerStep) ? { ...tried, msPerStep: one.msPerStep } : tried;
  });
}

/** Why the best was taken: its time where another one works too, otherwise what was wrong with the others. */
function reasonOf(attempts: readonly Attempt[], best: Success): string {
  const others = attempts.filter((other) => other !== best);
  if (others.some(isUsable)) return `Fastest in trial steps here: ${best.msPerStep.toFixed(1)} ms.`;
  if (best.candidate.usesGpu || !others.every(({ candidate }) => candidate.usesGpu))
    return `No other that was tried works here: ${listOf(others)}.`;
  return `No GPU in use: ${others.map(outcomeOf).join("; ")}.`;
}

/** A backend that was asked for by name: it works or the run does not start. */
async function chooseNamed(
  candidates: readonly BackendCandidate[],
  name: string,
  config: TransformerConfig,
  hardware: Hardware,
  options: BackendOptions,
): Promise<ChosenBackend> {
  const candidate = candidates.find(({ id }) => id === name);
  if (!candidate) throw new Error(`internal: backend ${name} passed the check but is not registered`);
  try {
    const trial = candidate.usesGpu ? await createChecked(candidate, config, hardware, options) : null;
    const backend = await createForRun(candidate, trial, config, hardware, options);
    const facts = reportOf(candidate, backend, obstacleToThreads(backend, options.threads, hardware));
    return { backend, report: { ...facts, reason: "Chosen in the configuration.", tried: [{ id: name, outcome: "chosen" }] } };
  } catch (error) {
    throw new Error(`backend ${name} cannot be used here: ${errorText(error)}`, { cause: error });
  }
}

/**
 * Chooses by `config.backend`; throws when nothing can compute. Only the chosen backend is left alive, and
 * `onLost` is told when its GPU goes away. Beside a frozen base candidates are tried on a small model of its kind,
 * and only the chosen one takes the base.
 */
export async function chooseBackend(
  run: RunConfig,
  config: TransformerConfig,
  hardware: Hardware,
  onLost: (reason: string) => void,
  frozen: FrozenBase | null = null,
  candidates: readonly BackendCandidate[] = backendCandidates,
): Promise<ChosenBackend> {
  const { threads, reproducible } = run;
  if (run.backend !== "auto") return chooseNamed(candidates, run.backend, config, hardware, { threads, reproducible, onLost, frozen });
  let best: Success | undefined;
  const attempts: Attempt[] = [];
  const obstacle = await gpuObstacle(hardware);
  const lastResorts = candidates.filter((candidate) => !candidate.automatic);
  for (const candidate of [...candidates.filter(({ automatic }) => automatic), ...lastResorts]) {
    if (!candidate.automatic && attempts.some(isUsable)) break;
    const attempt: Attempt = { candidate, backend: null, msPerStep: Number.NaN, failure: candidate.usesGpu ? obstacle : null };
    attempts.push(attempt);
    if (attempt.failure !== null) continue;
    await tryOut(attempt, obstacle === null, config, hardware, {
      threads,
      reproducible,
      frozen,
      // A candidate that loses its GPU on trial is only out of the running.
      onLost: (reason) => {
        attempt.failure = `the GPU device was lost (${reason})`;
        if (attempt === best) onLost(reason);
      },
    });
  }
  best = await takeBest(attempts, (one) =>
    createForRun(one.candidate, one.backend, config, hardware, {
      threads,
      reproducible,
      frozen,
      onLost: (reason) => one === best && onLost(reason),
    }),
  );
  if (!best) throw new Error(`no backend works here: ${listOf(attempts)}`);
  const { candidate, backend } = best;
  const facts = reportOf(candidate, backend, obstacleToThreads(backend, threads, hardware));
  return { backend, report: { ...facts, reason: reasonOf(attempts, best), tried: triedOf(attempts, best) } };
}

/**
 * That nothing is left here but a backend which is there to be compared with, and why; null where another was taken or
 * it was asked for.
 */
export function lastResortRemark({ backend }: Pick<RunConfig, "backend">, report: BackendReport): string | null {
  const isLastResort = backendCandidates.some(({ id, automatic }) => id === report.id && !automatic);
  if (backend !== "auto" || !isLastResort) return null;
  return `TensorFlow.js computes this run, many times slower than the kernels that are made for it. ${report.reason}`;
}
