// Picks the backend of a run and says why. WebGPU counts only if an adapter is there, it is real
// hardware, and its results agree with the plain reference; between those that work, a short measured
// trial decides. Nothing is fallen back to silently: every candidate tried is in the report.
import type { TransformerBackend } from "../model/backend.ts";
import type { TransformerConfig } from "../model/transformerConfig.ts";
import type { RunConfig } from "../protocol/config.ts";
import type { BackendReport } from "../protocol/messages.ts";
import { type BackendCandidate, type BackendOptions, backendCandidates } from "./backendCandidates.ts";
import type { Host } from "./host.ts";
import { probeBackend } from "./probeBackend.ts";

export interface ChosenBackend {
  readonly backend: TransformerBackend;
  readonly report: BackendReport;
}

interface Trial {
  readonly candidate: BackendCandidate;
  readonly backend: TransformerBackend;
  readonly msPerStep: number;
}

type Tried = BackendReport["tried"][number];

/** Why a GPU candidate is out before it is built, or null. */
async function gpuObstacle(host: Host): Promise<string | null> {
  if (!host.gpu) return "this browser offers no WebGPU";
  const adapter = await host.gpu.requestAdapter();
  if (!adapter) return "no GPU adapter was found";
  const software =
    adapter.info.isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(`${adapter.info.architecture} ${adapter.info.description}`);
  return software ? "the only adapter is a software one, slower than WebAssembly" : null;
}

function reportOf(candidate: BackendCandidate, backend: TransformerBackend, reason: string, tried: readonly Tried[]): BackendReport {
  return { id: candidate.id, title: candidate.title, reason, threads: backend.threads, tried };
}

async function createChecked(
  candidate: BackendCandidate,
  config: TransformerConfig,
  host: Host,
  options: BackendOptions,
): Promise<TransformerBackend> {
  const backend = await candidate.create(config, host, options);
  if (!candidate.usesGpu) return backend;
  const { checkBackend } = await import("../model/selfCheck.ts");
  try {
    const check = await checkBackend(backend);
    if (!check.ok) throw new Error(`its results differ from the reference: ${check.reason}`);
    return backend;
  } catch (error) {
    backend.dispose();
    throw error;
  }
}

/** A candidate that works; not timed where there is nothing to compare it with. Throws a sentence otherwise. */
async function tryOut(
  candidate: BackendCandidate,
  timed: boolean,
  config: TransformerConfig,
  host: Host,
  options: BackendOptions,
): Promise<Trial> {
  const backend = await createChecked(candidate, config, host, options);
  try {
    return { candidate, backend, msPerStep: timed ? await probeBackend(backend, host.now) : Number.NaN };
  } catch (error) {
    backend.dispose();
    throw error;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A backend that was asked for by name: it works or the run does not start. */
async function chooseNamed(name: string, config: TransformerConfig, host: Host, options: BackendOptions): Promise<ChosenBackend> {
  const candidate = backendCandidates.find(({ id }) => id === name);
  if (!candidate) throw new Error(`internal: backend ${name} passed the check but is not registered`);
  try {
    const backend = await createChecked(candidate, config, host, options);
    return { backend, report: reportOf(candidate, backend, "Chosen in the configuration.", [{ id: name, outcome: "chosen" }]) };
  } catch (error) {
    throw new Error(`backend ${name} cannot be used here: ${messageOf(error)}`, { cause: error });
  }
}

/** Chooses by `config.backend`; throws when nothing can compute. `onLost` is told when the chosen one's GPU goes away. */
export async function chooseBackend(
  run: RunConfig,
  config: TransformerConfig,
  host: Host,
  onLost: (reason: string) => void,
): Promise<ChosenBackend> {
  const { threads, reproducible } = run;
  if (run.backend !== "auto") return chooseNamed(run.backend, config, host, { threads, reproducible, onLost });
  // A candidate that loses its GPU on trial is only out of the running.
  const losses = new Map<BackendCandidate, string>();
  const optionsOf = (candidate: BackendCandidate): BackendOptions => ({
    threads,
    reproducible,
    onLost: (reason) => {
      losses.set(candidate, reason);
      if (candidate === best?.candidate) onLost(reason);
    },
  });
  const tried: Tried[] = [];
  const trials: Trial[] = [];
  let best: Trial | undefined;
  const obstacle = await gpuObstacle(host);
  const automatic = backendCandidates.filter((candidate) => candidate.automatic);
  const lastResorts = backendCandidates.filter((candidate) => !candidate.automatic);
  for (const candidate of [...automatic, ...lastResorts]) {
    if (!candidate.automatic && trials.length > 0) break;
    if (candidate.usesGpu && obstacle) {
      tried.push({ id: candidate.id, outcome: obstacle });
      continue;
    }
    try {
      trials.push(await tryOut(candidate, obstacle === null, config, host, optionsOf(candidate)));
    } catch (error) {
      tried.push({ id: candidate.id, outcome: messageOf(error) });
    }
  }
  best = trials.filter(({ candidate }) => !losses.has(candidate)).toSorted((a, b) => a.msPerStep - b.msPerStep)[0];
  if (!best) throw new Error(`no backend works here: ${tried.map(({ id, outcome }) => `${id}: ${outcome}`).join("; ")}`);
  for (const trial of trials) {
    if (trial !== best) trial.backend.dispose();
    const timed = Number.isFinite(trial.msPerStep) ? { msPerStep: trial.msPerStep } : {};
    tried.push({ id: trial.candidate.id, outcome: trial === best ? "chosen" : "slower", ...timed });
  }
  const reason =
    trials.length > 1 ? `Fastest in a trial step here: ${best.msPerStep.toFixed(1)} ms.` : `No GPU in use: ${obstacle ?? "WebGPU failed"}.`;
  return { backend: best.backend, report: reportOf(best.candidate, best.backend, reason, tried) };
}
