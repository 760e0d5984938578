// Picks the backend of a run and says why. WebGPU counts only if an adapter is there, it is real
// hardware, and its results agree with the plain reference; between those that work, a short measured
// trial decides. Nothing is fallen back to silently: every candidate tried is in the report.
import type { TransformerBackend } from "../../model/backend.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import type { Host } from "../host.ts";
import { type BackendCandidate, type BackendOptions, backendCandidates } from "./backendCandidates.ts";
import { probeBackend } from "./probeBackend.ts";

export interface ChosenBackend {
  readonly backend: TransformerBackend;
  readonly report: BackendReport;
}

interface Trial {
  readonly backend: TransformerBackend;
  readonly msPerStep: number;
}

/** A candidate that was looked at: its backend and time, or why there is none. */
interface Attempt {
  readonly candidate: BackendCandidate;
  readonly trial: Trial | null;
  readonly failure: string | null;
}

interface Success extends Attempt {
  readonly trial: Trial;
}

/** Why candidates lost their GPU device, in a trial or after it. */
type Losses = ReadonlyMap<BackendCandidate, string>;

type Tried = BackendReport["tried"][number];

/** Why a GPU candidate is out before it is built, or null. */
async function gpuObstacle(host: Host): Promise<string | null> {
  if (!host.gpu) return "this browser offers no WebGPU";
  // A browser that refuses to look for one has none to offer.
  const adapter = await host.gpu.requestAdapter().catch(() => null);
  if (!adapter) return "no GPU adapter was found";
  const software =
    adapter.info.isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(`${adapter.info.architecture} ${adapter.info.description}`);
  return software ? "the only adapter is a software one, slower than WebAssembly" : null;
}

function reportOf(candidate: BackendCandidate, backend: TransformerBackend, reason: string, tried: readonly Tried[]): BackendReport {
  const { threads, build } = backend;
  return { id: candidate.id, title: candidate.title, reason, threads, ...(build ? { kernelBuild: build } : {}), tried };
}

async function createChecked(
  candidate: BackendCandidate,
  config: TransformerConfig,
  host: Host,
  options: BackendOptions,
): Promise<TransformerBackend> {
  const backend = await candidate.create(config, host, options);
  if (!candidate.usesGpu) return backend;
  try {
    const { checkBackend } = await import("../../model/selfCheck.ts");
    const check = await checkBackend(backend);
    if (!check.ok) throw new Error(`its results differ from the reference: ${check.reason}`);
    return backend;
  } catch (error) {
    backend.dispose();
    throw error;
  }
}

/** Tries a candidate out; not timed where there is nothing to compare it with. */
async function attempt(
  candidate: BackendCandidate,
  timed: boolean,
  config: TransformerConfig,
  host: Host,
  options: BackendOptions,
): Promise<Attempt> {
  let backend: TransformerBackend | null = null;
  try {
    backend = await createChecked(candidate, config, host, options);
    const msPerStep = timed ? await probeBackend(backend, host.now) : Number.NaN;
    return { candidate, trial: { backend, msPerStep }, failure: null };
  } catch (error) {
    backend?.dispose();
    return { candidate, trial: null, failure: messageOf(error) };
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Which attempts have a backend that is still there. */
const usable =
  (losses: Losses) =>
  (one: Attempt): one is Success =>
    one.trial !== null && !losses.has(one.candidate);

/** What came of a candidate that was not chosen, as half a sentence. */
function outcomeOf({ candidate, failure }: Attempt, losses: Losses): string {
  const loss = losses.get(candidate);
  return loss === undefined ? (failure ?? "slower") : `the GPU device was lost (${loss})`;
}

const listOf = (attempts: readonly Attempt[], losses: Losses) =>
  attempts.map((one) => `${one.candidate.id}: ${outcomeOf(one, losses)}`).join("; ");

function triedOf(attempts: readonly Attempt[], best: Success, losses: Losses): Tried[] {
  return attempts.map((one) => {
    const tried = { id: one.candidate.id, outcome: one === best ? "chosen" : outcomeOf(one, losses) };
    // The time of a device that is gone compares with nothing.
    const isTimed = usable(losses)(one) && Number.isFinite(one.trial.msPerStep);
    return isTimed ? { ...tried, msPerStep: one.trial.msPerStep } : tried;
  });
}

/** Why the best was taken: its time where another one works too, otherwise what was wrong with the others. */
function reasonOf(attempts: readonly Attempt[], best: Success, losses: Losses): string {
  const others = attempts.filter((other) => other !== best);
  if (others.some(usable(losses))) return `Fastest in trial steps here: ${best.trial.msPerStep.toFixed(1)} ms.`;
  if (best.candidate.usesGpu || !others.every(({ candidate }) => candidate.usesGpu))
    return `No other that was tried works here: ${listOf(others, losses)}.`;
  return `No GPU in use: ${others.map((other) => outcomeOf(other, losses)).join("; ")}.`;
}

/** A backend that was asked for by name: it works or the run does not start. */
async function chooseNamed(
  candidates: readonly BackendCandidate[],
  name: string,
  config: TransformerConfig,
  host: Host,
  options: BackendOptions,
): Promise<ChosenBackend> {
  const candidate = candidates.find(({ id }) => id === name);
  if (!candidate) throw new Error(`internal: backend ${name} passed the check but is not registered`);
  try {
    const backend = await createChecked(candidate, config, host, options);
    return { backend, report: reportOf(candidate, backend, "Chosen in the configuration.", [{ id: name, outcome: "chosen" }]) };
  } catch (error) {
    throw new Error(`backend ${name} cannot be used here: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Chooses by `config.backend`; throws when nothing can compute. Only the chosen backend is left alive, and
 * `onLost` is told when its GPU goes away.
 */
export async function chooseBackend(
  run: RunConfig,
  config: TransformerConfig,
  host: Host,
  onLost: (reason: string) => void,
  candidates: readonly BackendCandidate[] = backendCandidates,
): Promise<ChosenBackend> {
  const { threads, reproducible } = run;
  if (run.backend !== "auto") return chooseNamed(candidates, run.backend, config, host, { threads, reproducible, onLost });
  // A candidate that loses its GPU on trial is only out of the running.
  const losses = new Map<BackendCandidate, string>();
  let best: Success | undefined;
  const optionsOf = (candidate: BackendCandidate): BackendOptions => ({
    threads,
    reproducible,
    onLost: (reason) => {
      losses.set(candidate, reason);
      if (candidate === best?.candidate) onLost(reason);
    },
  });
  const attempts: Attempt[] = [];
  const obstacle = await gpuObstacle(host);
  const lastResorts = candidates.filter((candidate) => !candidate.automatic);
  for (const candidate of [...candidates.filter(({ automatic }) => automatic), ...lastResorts]) {
    if (!candidate.automatic && attempts.some(usable(losses))) break;
    if (candidate.usesGpu && obstacle) attempts.push({ candidate, trial: null, failure: obstacle });
    else attempts.push(await attempt(candidate, obstacle === null, config, host, optionsOf(candidate)));
  }
  best = attempts.filter(usable(losses)).toSorted((a, b) => a.trial.msPerStep - b.trial.msPerStep)[0];
  for (const one of attempts) if (one !== best) one.trial?.backend.dispose();
  if (!best) throw new Error(`no backend works here: ${listOf(attempts, losses)}`);
  const { candidate, trial } = best;
  const report = reportOf(candidate, trial.backend, reasonOf(attempts, best, losses), triedOf(attempts, best, losses));
  return { backend: trial.backend, report };
}
