// The transformer of a run: its shape and starting weights, and the backend it computes on. Between those that
// work here a short measured trial decides. Nothing is fallen back to silently: every candidate is in the report.
import type { TransformerBackend } from "../../model/backend.ts";
import { readModelFolder, writeModelFolder } from "../../model/folder/checkpoint.ts";
import { readConfigFile } from "../../model/folder/configFile.ts";
import { initialWeights } from "../../model/initialWeights.ts";
import type { Model, ModelWeights } from "../../model/model.ts";
import { type TensorSet, valuesFor } from "../../model/tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../../model/transformerConfig.ts";
import { TransformerModel } from "../../model/transformerModel.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import { InputError } from "../../protocol/problems.ts";
import { Random } from "../../rl/random.ts";
import type { Task } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import { type BackendCandidate, type BackendOptions, backendCandidates, createChecked, gpuObstacle } from "../engine/backendCandidates.ts";
import { specialIds, tokenizerFiles } from "../engine/loadRenderer.ts";
import { timeBackend } from "../engine/timeBackend.ts";
import { transferredWeights } from "../engine/weightTransfer.ts";
import type { Host } from "../host.ts";

/** What a run being built or alive tells the session. */
export interface RunSignals {
  onPreparing(what: string, done: number, total: number): void;
  /** Lets commands in between two pieces of work; throws where the run is not wanted any more. */
  pause(): Promise<void>;
  /** The GPU device is gone, and every tensor with it. */
  onLost(reason: string): void;
}

export interface BuiltModel {
  readonly model: Model;
  /** A critic with its own trunk; null without one. */
  readonly critic: Model | null;
  readonly backend: BackendReport;
  /** The weights it began with, made again; null where they came from another run and are not kept. */
  startWeights(): Promise<TensorSet | null>;
  /** Shape of the transformer; null for the tabular policy. */
  readonly transformer: TransformerConfig | null;
}

interface Plan {
  readonly config: RunConfig;
  readonly task: Task;
  /** Of the run before; null where none is, as when a checkpoint of this run's own follows. */
  readonly weights: ModelWeights | null;
}

/** Whether the policy itself carries the value head. */
function hasSharedCritic(config: RunConfig): boolean {
  return config.advantageBaseline === "critic" && config.criticTrunk === "shared";
}

function randomShape(config: RunConfig, renderer: Renderer): TransformerConfig {
  return {
    vocabularySize: renderer.vocabularySize,
    hiddenSize: config.hiddenSize,
    layers: config.layers,
    heads: config.heads,
    kvHeads: config.kvHeads,
    headSize: config.hiddenSize / config.heads,
    intermediateSize: config.intermediateSize,
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    tiedEmbeddings: true,
    qkvBias: false,
    headNorm: false,
    maxPositions: 2048,
    valueHead: hasSharedCritic(config),
  };
}

/** The shape of a run's transformer, without its weights. */
export async function shapeOf(config: RunConfig, renderer: Renderer, host: Pick<Host, "readAsset">): Promise<TransformerConfig> {
  if (config.startFrom !== "checkpoint") return randomShape(config, renderer);
  const text = new TextDecoder().decode(await host.readAsset(`models/${config.checkpoint}/config.json`));
  return { ...readConfigFile(text), valueHead: hasSharedCritic(config) };
}

async function startingPoint({ config, weights: given }: Plan, renderer: Renderer, host: Host, { pause }: RunSignals) {
  if (config.startFrom === "run" && given) {
    const shape = randomShape(config, renderer);
    return { shape, weights_N: transferredWeights(given, shape, renderer, config.task) };
  }
  if (config.startFrom !== "checkpoint") {
    const shape = randomShape(config, renderer);
    return { shape, weights_N: await initialWeights(shape, new Random(config.seed).fork("initial weights"), pause) };
  }
  const folder = `models/${config.checkpoint}`;
  const { config: shape, weights_N } = await readModelFolder((name) => host.readAsset(`${folder}/${name}`), {
    valueHead: hasSharedCritic(config) ? "zero" : "absent",
  });
  if (shape.vocabularySize !== renderer.vocabularySize) {
    const message = `checkpoint ${config.checkpoint} has ${shape.vocabularySize} tokens, but the task ${config.task} needs ${renderer.vocabularySize}`;
    throw new InputError([{ field: "checkpoint", message }]);
  }
  return { shape, weights_N };
}

/** Starting weights and an optimizer that has seen nothing; a backend that does not take them is disposed of. */
async function begin(backend: TransformerBackend, weights_N: Float32Array, { pause }: RunSignals): Promise<void> {
  const size = weights_N.length;
  try {
    await pause();
    await backend.setWeights("policy", weights_N);
    await pause();
    await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
    await pause();
  } catch (error) {
    backend.dispose();
    throw error;
  }
}

/** A critic with its own trunk: the policy's weights and a value head that predicts 0, on the same kind of backend. */
async function buildCritic(
  config: RunConfig,
  shape: TransformerConfig,
  weights_N: Float32Array,
  backendId: string,
  host: Host,
  signals: RunSignals,
): Promise<Model | null> {
  if (config.advantageBaseline !== "critic" || config.criticTrunk !== "own") return null;
  const criticShape: TransformerConfig = { ...shape, valueHead: true };
  const named = { ...config, backend: backendId as RunConfig["backend"] };
  const { backend } = await chooseBackend(named, criticShape, host, signals.onLost);
  const trunk = { layout: parameterLayout(shape), values: weights_N };
  await begin(backend, valuesFor(parameterLayout(criticShape), trunk, "the critic", isValueHead) as Float32Array, signals);
  return new TransformerModel(backend, async () => []);
}

/** The transformer with its starting weights on the backend of choice, and why that backend. */
export async function buildTransformer(plan: Plan, renderer: Renderer, host: Host, signals: RunSignals): Promise<BuiltModel> {
  const { config, task } = plan;
  signals.onPreparing("weights", 0, 2);
  const { shape, weights_N } = await startingPoint(plan, renderer, host, signals);
  signals.onPreparing("backend", 1, 2);
  const { backend, report } = await chooseBackend(config, shape, host, signals.onLost);
  await begin(backend, weights_N, signals);
  signals.onPreparing("ready", 2, 2);
  const startWeights = async () => {
    if (config.startFrom === "run" && !plan.weights) return null;
    const again = await startingPoint(plan, renderer, host, { ...signals, pause: () => host.yield() });
    return { layout: parameterLayout(again.shape), values: again.weights_N };
  };
  const model = new TransformerModel(backend, async (current_N) => {
    const extraFiles = await tokenizerFiles(task.rendererKind, host);
    return writeModelFolder(shape, current_N, { dtype: "F32", ids: specialIds(task.rendererKind, renderer), extraFiles });
  });
  try {
    const critic = await buildCritic(config, shape, weights_N, report.id, host, signals);
    return { model, critic, startWeights, backend: report, transformer: shape };
  } catch (error) {
    model.dispose();
    throw error;
  }
}

export interface ChosenBackend {
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
  readonly backend: TransformerBackend;
}

type Tried = BackendReport["tried"][number];

/** What holds the kernels to one thread, if anything does. */
function obstacleToThreads({ build, threads }: TransformerBackend, asked: number, host: Host): string | undefined {
  return build && threads === 1 && (asked || host.cores) > 1 ? host.threadObstacle : undefined;
}

function reportOf({ id, title }: BackendCandidate, backend: TransformerBackend, obstacle: string | undefined) {
  const { threads, build } = backend;
  return { id, title, threads, ...(build && { kernelBuild: build }), ...(obstacle && { threadObstacle: obstacle }) };
}

/** Tries a candidate out; not timed where there is nothing to compare it with. */
async function tryOut(attempt: Attempt, timed: boolean, config: TransformerConfig, host: Host, options: BackendOptions): Promise<void> {
  let backend: TransformerBackend | null = null;
  try {
    backend = await createChecked(attempt.candidate, config, host, options);
    if (timed) attempt.msPerStep = await timeBackend(backend, host);
    attempt.backend = backend;
  } catch (error) {
    backend?.dispose();
    attempt.failure ??= messageOf(error);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

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
  host: Host,
  options: BackendOptions,
): Promise<ChosenBackend> {
  const candidate = candidates.find(({ id }) => id === name);
  if (!candidate) throw new Error(`internal: backend ${name} passed the check but is not registered`);
  try {
    const backend = await createChecked(candidate, config, host, options);
    const facts = reportOf(candidate, backend, obstacleToThreads(backend, options.threads, host));
    return { backend, report: { ...facts, reason: "Chosen in the configuration.", tried: [{ id: name, outcome: "chosen" }] } };
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
  let best: Success | undefined;
  const attempts: Attempt[] = [];
  const obstacle = await gpuObstacle(host);
  const lastResorts = candidates.filter((candidate) => !candidate.automatic);
  for (const candidate of [...candidates.filter(({ automatic }) => automatic), ...lastResorts]) {
    if (!candidate.automatic && attempts.some(isUsable)) break;
    const attempt: Attempt = { candidate, backend: null, msPerStep: Number.NaN, failure: candidate.usesGpu ? obstacle : null };
    attempts.push(attempt);
    if (attempt.failure !== null) continue;
    await tryOut(attempt, obstacle === null, config, host, {
      threads,
      reproducible,
      // A candidate that loses its GPU on trial is only out of the running.
      onLost: (reason) => {
        attempt.failure = `the GPU device was lost (${reason})`;
        if (attempt === best) onLost(reason);
      },
    });
  }
  best = attempts.filter(isUsable).toSorted((a, b) => a.msPerStep - b.msPerStep)[0];
  for (const one of attempts) if (one !== best) one.backend?.dispose();
  if (!best) throw new Error(`no backend works here: ${listOf(attempts)}`);
  const { candidate, backend } = best;
  const facts = reportOf(candidate, backend, obstacleToThreads(backend, threads, host));
  return { backend, report: { ...facts, reason: reasonOf(attempts, best), tried: triedOf(attempts, best) } };
}
