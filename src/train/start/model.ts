// The transformer of a run: its shape, its starting weights, and what of it is trained.

import type { TransformerBackend } from "../../model/backend.ts";
import { writeAdapterFolder } from "../../model/folder/adapterFolder.ts";
import { readModelFolder, readStoredFolder, writeModelFolder } from "../../model/folder/checkpoint.ts";
import type { StoredTensors } from "../../model/folder/ggmlTypes.ts";
import { initialWeights } from "../../model/initialWeights.ts";
import { type AdaptedLayout, adaptedLayout, initialAdapters } from "../../model/lora/adapters.ts";
import { type FrozenBase, storedWeights, widenedWeights } from "../../model/lora/frozenBase.ts";
import type { AnyModel, Model } from "../../model/model.ts";
import { placeTensors, type TensorSet, tensorsOf, valuesFor } from "../../model/tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../../model/transformerConfig.ts";
import { TransformerModel } from "../../model/transformerModel.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport, EventBodies, ModelFile } from "../../protocol/messages.ts";
import { readModelName } from "../../protocol/models/modelName.ts";
import { InputError } from "../../protocol/problems.ts";
import { usesCritic } from "../../rl/baselines/index.ts";
import { Random } from "../../rl/random.ts";
import { chooseBackend } from "../backend/chooseBackend.ts";
import { specialIds, tokenizerFiles } from "../backend/loadRenderer.ts";
import type { Computing } from "../host.ts";
import { hasSharedCritic, loraOf, type OpenedPlan, randomShape } from "./openedPlan.ts";
import { transferredWeights } from "./weightTransfer.ts";

/** What a run being built or alive tells the session. */
export interface RunSignals {
  onPreparing(what: string, done: number, total: number): void;
  /** Lets commands in between two pieces of work; throws where the run is not wanted any more. */
  pause(): Promise<void>;
  /** The GPU device is gone, and every tensor with it. */
  onLost(reason: string): void;
  /** For whoever watches the run, of something that passes. */
  onNotice?(notice: EventBodies["notice"]): void;
}

export interface BuiltModel {
  readonly model: AnyModel;
  /** A critic with its own trunk; null without one. */
  readonly critic: Model | null;
  readonly backend: BackendReport;
  /**
   * Lets somebody look while the weights it began with are in the reference's place; null where they came from another
   * run and are not kept.
   */
  atStart<T>(look: () => Promise<T>): Promise<T | null>;
  /** All of the policy's weights as they are now, with its adapters added in. */
  wholeWeights(): Promise<TensorSet>;
  /** The adapters as files of PEFT's folder. Throws a sentence where all weights are trained. */
  adapterFiles(): Promise<readonly ModelFile[]>;
  /** Shape of the transformer; null for the tabular policy. */
  readonly transformer: TransformerConfig | null;
}

/** A transformer's shape and its weights, as floats in the order of parameterLayout or as they are stored. */
type StartingPoint = { readonly shape: TransformerConfig } & (
  | { readonly weights_N: Float32Array; readonly tensors?: undefined }
  | { readonly tensors: StoredTensors; readonly weights_N?: undefined }
);

const floatsOf = async ({ shape, weights_N, tensors }: StartingPoint): Promise<Float32Array> => weights_N ?? widenedWeights(shape, tensors);

type Pause = RunSignals["pause"];

async function startingPoint({ config, weights: given, renderer, folder }: OpenedPlan, pause: Pause): Promise<StartingPoint> {
  if (config.startFrom === "run" && given) {
    const shape = randomShape(config, renderer);
    return { shape, weights_N: transferredWeights(given, shape, renderer, config.task) };
  }
  if (!folder) {
    const shape = randomShape(config, renderer);
    return { shape, weights_N: await initialWeights(shape, new Random(config.seed).fork("initial weights"), pause) };
  }
  // Beside a frozen base a vocabulary may be padded: its ids past the tokenizer's are not sampled.
  const check = ({ vocabularySize: ids }: TransformerConfig) => {
    if (ids === renderer.vocabularySize || (config.loraRank > 0 && ids > renderer.vocabularySize)) return;
    const message = `checkpoint ${config.checkpoint} has ${ids} tokens, but the task ${config.task} needs ${renderer.vocabularySize}`;
    throw new InputError([{ field: "checkpoint", message }]);
  };
  if (config.loraRank > 0) {
    const { config: stored, tensors } = await readStoredFolder(folder);
    check(stored);
    return { shape: { ...stored, valueHead: hasSharedCritic(config) }, tensors };
  }
  const { config: shape, weights_N } = await readModelFolder(folder, { valueHead: hasSharedCritic(config) ? "zero" : "absent" });
  check(shape);
  return { shape, weights_N };
}

/** Starting weights and an optimizer that has seen nothing; a backend that does not take them is disposed of. */
async function begin(backend: TransformerBackend, weights_N: Float32Array, pause: Pause): Promise<void> {
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
  start: StartingPoint,
  backendId: string,
  host: Computing,
  signals: RunSignals,
): Promise<Model | null> {
  if (!usesCritic(config) || config.criticTrunk !== "own") return null;
  const criticShape: TransformerConfig = { ...start.shape, valueHead: true };
  const named = { ...config, backend: backendId as RunConfig["backend"] };
  const { backend } = await chooseBackend(named, criticShape, host, signals.onLost);
  const trunk = { layout: parameterLayout(start.shape), values: await floatsOf(start) };
  await begin(backend, valuesFor(parameterLayout(criticShape), trunk, "the critic", isValueHead) as Float32Array, signals.pause);
  return new TransformerModel(backend, async () => []);
}

/** Those that are handed in, or fresh ones. */
function startingAdapters(adapted: AdaptedLayout, given: TensorSet | null, seed: number): Float32Array {
  const fresh_N = initialAdapters(adapted, null, new Random(seed).fork("initial adapters"));
  if (!given) return fresh_N;
  placeTensors(tensorsOf(given), { layout: adapted.layout, values: fresh_N }, "the adapters", isValueHead);
  return fresh_N;
}

/** What a run trains: adapters beside a frozen base, or all weights. */
interface Trained {
  /** Null where all weights are trained. */
  readonly frozen: FrozenBase | null;
  readonly start_N: Float32Array;
}

async function trainedOf({ config, adapters, renderer }: OpenedPlan, start: StartingPoint): Promise<Trained> {
  const lora = loraOf(config);
  if (!lora) return { frozen: null, start_N: await floatsOf(start) };
  const adapted = adaptedLayout(start.shape, lora);
  const tensors = start.tensors ?? storedWeights({ layout: parameterLayout(start.shape), values: start.weights_N });
  return {
    frozen: { tensors, adapted, tokenizerSize: renderer.vocabularySize },
    start_N: startingAdapters(adapted, adapters, config.seed),
  };
}

/** What PEFT finds a base by, wherever it is: its name on the hub; null for a folder or a file of this machine. */
function baseName(checkpoint: string): string | null {
  const name = readModelName(checkpoint);
  return name?.kind === "hub" ? name.repository : null;
}

/** The policy's adapters as files of PEFT's folder. Throws a sentence where all weights are trained. */
async function adapterFilesOf(config: RunConfig, backend: TransformerBackend): Promise<readonly ModelFile[]> {
  const lora = loraOf(config);
  if (!lora) throw new Error("there are no adapters: all weights were trained (loraRank: 0)");
  const base = config.startFrom === "checkpoint" ? baseName(config.checkpoint) : null;
  return writeAdapterFolder(lora, { layout: backend.layout, values: await backend.getWeights("policy") }, base, config.checkpoint);
}

/** The transformer with its starting weights on the backend of choice, and why that backend. */
export async function buildTransformer(plan: OpenedPlan, host: Computing, signals: RunSignals): Promise<BuiltModel> {
  const { config, task, renderer } = plan;
  signals.onPreparing("weights", 0, 2);
  const start = await startingPoint(plan, signals.pause);
  const { shape } = start;
  signals.onPreparing("backend", 1, 2);
  // A base is large: no function below may refer to it, or it would stay for as long as the run does.
  const { frozen, start_N } = await trainedOf(plan, start);
  const { backend, report } = await chooseBackend(config, shape, host, signals.onLost, frozen);
  await begin(backend, start_N, signals.pause);
  signals.onPreparing("ready", 2, 2);
  const { layout } = backend;
  // Adapters are small, and with their base they are the start.
  const adapters = config.loraRank > 0 ? { layout, values: start_N } : null;
  const startWeights = async () => {
    if (config.startFrom === "run" && !plan.weights) return null;
    if (adapters) return adapters;
    const again = await startingPoint(plan, () => host.yield());
    return { layout, values: await floatsOf(again) };
  };
  const wholeWeights = async () => ({ layout: parameterLayout(shape), values: await backend.wholeWeights() });
  const model = new TransformerModel(backend, async () => {
    const { values } = await wholeWeights();
    const extraFiles = await tokenizerFiles(task.rendererKind, renderer, host);
    return writeModelFolder(shape, values, { dtype: "F32", ids: specialIds(task.rendererKind, renderer), extraFiles });
  });
  try {
    const critic = await buildCritic(config, start, report.id, host, signals);
    return {
      model,
      critic,
      atStart: async (look) => {
        const weights = await startWeights();
        return weights && model.withReference(weights, look);
      },
      wholeWeights,
      adapterFiles: () => adapterFilesOf(config, backend),
      backend: report,
      transformer: shape,
    };
  } catch (error) {
    model.dispose();
    throw error;
  }
}
