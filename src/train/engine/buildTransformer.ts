// Makes the transformer of a run: its shape and starting weights, then the backend it computes on.

import type { TransformerBackend } from "../../model/backend.ts";
import { readModelFolder, writeModelFolder } from "../../model/checkpoint.ts";
import { readConfigFile } from "../../model/configFile.ts";
import { initialWeights } from "../../model/initialWeights.ts";
import type { Model } from "../../model/model.ts";
import { parameterCount, type TransformerConfig } from "../../model/transformerConfig.ts";
import { TransformerModel } from "../../model/transformerModel.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import { InputError } from "../../protocol/problems.ts";
import { Random } from "../../rl/random.ts";
import type { Task } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import type { Host } from "../host.ts";
import { chooseBackend } from "./chooseBackend.ts";
import { specialIds, tokenizerFiles } from "./loadRenderer.ts";

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
  startWeights(): Promise<Float32Array | Float64Array | null>;
  /** Shape of the transformer; null for the tabular policy. */
  readonly transformer: TransformerConfig | null;
}

interface Plan {
  readonly config: RunConfig;
  readonly task: Task;
  /** Handed on by another run; null where none is, as when a checkpoint of this run's own follows. */
  readonly weights_N: Float32Array | null;
}

/** The settings that give the shape of another run's transformer; throws where they cannot. */
export function shapeSettings(transformer: TransformerConfig | null): Pick<RunConfig, ShapeKey> {
  if (!transformer) throw new Error("only a transformer can hand its weights on");
  const { hiddenSize, layers, heads, kvHeads, intermediateSize } = transformer;
  return { hiddenSize, layers, heads, kvHeads, intermediateSize };
}
type ShapeKey = "hiddenSize" | "layers" | "heads" | "kvHeads" | "intermediateSize";

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

async function startingPoint({ config, weights_N: given_N }: Plan, renderer: Renderer, host: Host, { pause }: RunSignals) {
  if (config.startFrom === "run" && given_N) {
    const shape = randomShape(config, renderer);
    // Between the two only the value head can differ, which comes last in the layout and starts at 0.
    const weights_N = new Float32Array(parameterCount(shape));
    weights_N.set(given_N.subarray(0, parameterCount({ ...shape, valueHead: false })));
    return { shape, weights_N };
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
  const withHead_N = new Float32Array(parameterCount(criticShape));
  // The value head comes last in the layout, so the trunk keeps its place.
  withHead_N.set(weights_N);
  await begin(backend, withHead_N, signals);
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
    if (config.startFrom === "run" && !plan.weights_N) return null;
    const again = await startingPoint(plan, renderer, host, { ...signals, pause: () => host.yield() });
    return again.weights_N;
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
