// The own WASM kernels as one operation of TensorFlow.js:
//   (log-probs, entropies[, values]) = tokenScores(weights, batch)
// with its gradient, both registered as kernels, so that a loss written with TensorFlow.js operations
// trains at the kernels' speed under any of its optimizers. The plain reference is composed/scoring.ts.
// Weights are one flat tensor in the order of parameterLayout. They are copied into the kernels' memory
// when they have changed: TensorFlow.js's own heap cannot be shared with the kernels' threads.
// TensorFlow.js must run on a backend whose tensors can be read at once: cpu or wasm.
import * as tf from "@tensorflow/tfjs";
import { Engine } from "../kernels/wasm/engine.ts";
import type { KernelHost } from "../kernels/wasm/kernelHost.ts";
import type { PackedBatch, TokenGradients } from "./backend.ts";
import type { ScoreTensors } from "./composed/scoring.ts";
import { parameterCount, type TransformerConfig } from "./transformerConfig.ts";
import { type OpenPass, openPass } from "./wasm/forwardBackward.ts";
import { ModelMemory } from "./wasm/modelMemory.ts";
import { clearGradients, reduceGradients } from "./wasm/optimizer.ts";

const SCORES = "TokenScores";
const SCORES_GRADIENT = "TokenScoresGradient";
const BACKENDS = ["cpu", "wasm"] as const;
const PARTITIONS = 4;

/** The kernels with the weights they hold; owned state. */
class ScoringKernels {
  readonly config: TransformerConfig;
  readonly #engine: Engine;
  readonly #memory: ModelMemory;
  /** Tensors never change, so the identity of their data tells whether the weights are the same. */
  #held: object | null = null;
  #isDisposed = false;
  #open: (OpenPass & { readonly batch: PackedBatch }) | null = null;

  constructor(engine: Engine, config: TransformerConfig) {
    this.#engine = engine;
    this.config = config;
    this.#memory = new ModelMemory(engine, config, PARTITIONS);
  }

  /** Forward; activations stay until the next call. */
  score(weights: object, read: () => Float32Array, batch: PackedBatch): OpenPass {
    this.#checkAlive();
    if (this.#held !== weights) {
      this.#memory.setWeights("policy", read());
      this.#held = weights;
    }
    this.#open = { ...openPass({ engine: this.#engine, memory: this.#memory, config: this.config, batch }), batch };
    return this.#open;
  }

  /** d(loss) / d(weights). The forward pass is computed again only where another one came between. */
  gradient(weights: object, read: () => Float32Array, batch: PackedBatch, gradients: TokenGradients): Float32Array {
    this.#checkAlive();
    const isOpen = this.#held === weights && this.#open?.batch === batch;
    const { backward } = isOpen && this.#open ? this.#open : this.score(weights, read, batch);
    this.#open = null;
    backward(gradients);
    reduceGradients(this.#engine, this.#memory);
    const gradient_N = this.#engine.arena.floats(this.#memory.gradients(), this.#memory.floats).slice();
    clearGradients(this.#engine, this.#memory);
    return gradient_N;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#engine.dispose();
  }

  /** Threads that are gone would be waited for without end. */
  #checkAlive(): void {
    if (this.#isDisposed) throw new Error("tokenScores was disposed");
  }
}

interface ScoreAttrs {
  readonly kernels: ScoringKernels;
  readonly batch: PackedBatch;
}

const readNow = (backend: unknown, { dataId }: tf.TensorInfo) => (backend as tf.KernelBackend).readSync(dataId) as Float32Array;

function asTensor(backend: unknown, values: Float32Array): tf.TensorInfo {
  const shape = [values.length];
  return { dataId: (backend as tf.KernelBackend).write(values, shape, "float32"), shape, dtype: "float32" };
}

function registerOn(backendName: string): void {
  tf.registerKernel({
    kernelName: SCORES,
    backendName,
    kernelFunc: ({ inputs, attrs, backend }) => {
      const { kernels, batch } = attrs as unknown as ScoreAttrs;
      const weights = inputs.weights as tf.TensorInfo;
      const { scores } = kernels.score(weights.dataId, () => readNow(backend, weights), batch);
      const { logprobs_K, entropies_K, values_K } = scores;
      return [logprobs_K, entropies_K, ...(values_K ? [values_K] : [])].map((values) => asTensor(backend, values));
    },
  });
  tf.registerKernel({
    kernelName: SCORES_GRADIENT,
    backendName,
    kernelFunc: ({ inputs, attrs, backend }) => {
      const { kernels, batch } = attrs as unknown as ScoreAttrs;
      const { weights, logprobs, entropies, values } = inputs as Record<string, tf.TensorInfo | undefined>;
      if (!weights || !logprobs || !entropies) throw new Error(`internal: ${SCORES_GRADIENT} lacks an input`);
      const gradients: TokenGradients = {
        logprobs_K: readNow(backend, logprobs),
        entropies_K: readNow(backend, entropies),
        values_K: values ? readNow(backend, values) : null,
      };
      return asTensor(
        backend,
        kernels.gradient(weights.dataId, () => readNow(backend, weights), batch, gradients),
      );
    },
  });
}

function register(): void {
  if (tf.getGradient(SCORES)) return;
  for (const name of BACKENDS) registerOn(name);
  tf.registerGradient({
    kernelName: SCORES,
    inputsToSave: ["weights"],
    gradFunc: (dy, saved, attrs) => {
      const [logprobs, entropies, values] = dy as tf.Tensor[];
      const inputs = { weights: saved[0]!, logprobs: logprobs!, entropies: entropies!, ...(values ? { values } : {}) };
      return { weights: () => tf.engine().runKernel(SCORES_GRADIENT, inputs, attrs) as tf.Tensor };
    },
  });
}

/** The operation for one architecture. */
export interface TokenScoresOp {
  /**
   * Scores of a batch's K scored tokens, [K] each, in nats, differentiable by the weights [N] in the order of
   * parameterLayout; call inside tf.tidy or a gradient. The batch's activations are all kept at once: cut large
   * batches and add their gradients. Throws on another backend than those above, another number of weights,
   * a token outside the vocabulary, and after dispose.
   */
  readonly tokenScores: (weights_N: tf.Tensor1D, batch: PackedBatch) => ScoreTensors;
  dispose(): void;
}

/** Starts kernels of its own on so many threads (>= 1) and registers the operation. Throws where WebAssembly SIMD is missing. */
export async function createTokenScoresOp(config: TransformerConfig, host: KernelHost, threads: number): Promise<TokenScoresOp> {
  register();
  const kernels = new ScoringKernels(await Engine.start(host, { threads, build: undefined, tile: undefined }), config);
  const count = parameterCount(config);
  return {
    tokenScores: (weights_N, batch) => {
      const name = tf.getBackend();
      if (!tf.getKernel(SCORES, name)) throw new Error(`tokenScores needs TensorFlow.js's ${BACKENDS.join(" or ")} backend, got ${name}`);
      if (weights_N.shape[0] !== count) throw new Error(`weights must have ${count} values, got ${weights_N.shape[0]}`);
      const attrs: ScoreAttrs = { kernels, batch };
      const [logprobs_K, entropies_K, values_K] = tf
        .engine()
        .runKernel(SCORES, { weights: weights_N }, attrs as unknown as tf.NamedAttrMap) as tf.Tensor1D[];
      return { logprobs_K: logprobs_K!, entropies_K: entropies_K!, values_K: values_K ?? null };
    },
    dispose: () => kernels.dispose(),
  };
}
