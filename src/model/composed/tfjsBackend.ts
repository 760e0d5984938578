// The transformer composed of TensorFlow.js operations: the readable reference for the fused backends,
// and the last resort where they cannot run. Its mathematics lies in composed/; this file owns state.

import * as tf from "@tensorflow/tfjs";
import { type OpenRequest, type OpenSequences, type SampleResult, slotsOf, type WeightSlot } from "../../rl/policy.ts";
import {
  emptyScores,
  type Objective,
  type OptimizerState,
  type OptimizerStep,
  type PackedBatch,
  putScores,
  type TokenGradients,
  type TokenScores,
  type TransformerBackend,
} from "../backend.ts";
import { OpenCount, openSequences, type Sampler } from "../openSequences.ts";
import { samplerInWaves } from "../samplerWaves.ts";
import type { TensorLayout } from "../tensors.ts";
import { parameterCount, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import { tidy } from "./differentiable.ts";
import { FORWARD_ROWS, waveSizes } from "./memoryCount.ts";
import { applyStep, globalNorm } from "./optimizer.ts";
import { type PaddedPiece, padBatch } from "./padding.ts";
import { composedSampler } from "./sampler.ts";
import { readScores, readScoresNow, scoreTensors, surrogate } from "./scoring.ts";
import { selectTfjs, startTfjs, type TfjsBackendName, type TfjsHost, webgpuLoss } from "./tfjs.ts";
import { readFused, WeightSet } from "./weightSet.ts";

/**
 * Starts tfjs on the named backend and builds the transformer with all weights zero. Throws when it cannot run
 * here. `onLost` is told when a GPU goes away under it; the transformer is then of no more use.
 */
export async function createTfjsBackend(
  config: TransformerConfig,
  name: TfjsBackendName,
  host: TfjsHost,
  onLost: (reason: string) => void = () => {},
): Promise<TransformerBackend> {
  const threads = await startTfjs(name, host);
  const backend = new TfjsBackend(config, name, threads, host.yield);
  if (name === "webgpu") void webgpuLoss().then((reason) => backend.lose(reason) && onLost(reason));
  return backend;
}

class TfjsBackend implements TransformerBackend {
  readonly id: string;
  readonly threads: number;
  readonly config: TransformerConfig;
  readonly layout: TensorLayout;
  readonly #name: TfjsBackendName;
  readonly #pause: () => Promise<void>;
  readonly #policy: WeightSet;
  #reference: WeightSet | null = null;
  readonly #first: WeightSet;
  readonly #second: WeightSet;
  readonly #open = new OpenCount();
  #steps = 0;
  /** In the order of the policy's variables; null when nothing is accumulated. */
  #gradients: tf.Tensor[] | null = null;
  #loss: string | null = null;
  #disposed = false;

  constructor(config: TransformerConfig, name: TfjsBackendName, threads: number, pause: () => Promise<void>) {
    this.id = `tfjs-${name}`;
    this.threads = threads;
    this.config = config;
    this.layout = parameterLayout(config);
    this.#name = name;
    this.#pause = pause;
    this.#policy = new WeightSet(config, true);
    this.#first = new WeightSet(config, false);
    this.#second = new WeightSet(config, false);
  }

  /** Refuses all further work; false where nobody works with it any more. */
  lose(reason: string): boolean {
    this.#loss = reason;
    return !this.#disposed;
  }

  /** Makes its tfjs backend the active one. Tensors of a lost device are not moved to another. */
  async #select(): Promise<void> {
    this.#check();
    await selectTfjs(this.#name);
  }

  #check(): void {
    if (this.#loss !== null) throw new Error(`WebGPU failed: the device was lost (${this.#loss})`);
  }

  async setWeights(slot: WeightSlot, weights_N: Float32Array): Promise<void> {
    await this.#select();
    if (slot === "policy") this.#open.keepWeights();
    if (slot === "reference") this.#reference ??= new WeightSet(this.config, false);
    await this.#slot(slot).write(weights_N, this.#pause);
  }

  wholeWeights(): Promise<Float32Array> {
    return this.getWeights("policy");
  }

  async getWeights(slot: WeightSlot): Promise<Float32Array> {
    return this.#slot(slot).read();
  }

  async dropWeights(): Promise<void> {
    this.#reference?.dispose();
    this.#reference = null;
  }

  #slot(slot: WeightSlot): WeightSet {
    this.#check();
    const weights = slot === "policy" ? this.#policy : this.#reference;
    if (!weights) throw new Error("internal: the reference weights are not set");
    return weights;
  }

  async getOptimizer(): Promise<OptimizerState> {
    this.#check();
    return { step: this.#steps, first_N: await this.#first.read(), second_N: await this.#second.read() };
  }

  async setOptimizer({ step, first_N, second_N }: OptimizerState): Promise<void> {
    await this.#select();
    this.#steps = step;
    await this.#first.write(first_N, this.#pause);
    await this.#second.write(second_N, this.#pause);
  }

  async getGradient(): Promise<Float32Array> {
    this.#check();
    const count = parameterCount(this.config);
    return this.#gradients ? readFused(this.#policy.layout, this.#gradients, count) : new Float32Array(count);
  }

  async clearGradient(): Promise<void> {
    if (this.#gradients) tf.dispose(this.#gradients);
    this.#gradients = null;
  }

  get maxPositions(): number {
    return this.config.maxPositions;
  }

  open(request: OpenRequest): OpenSequences<SampleResult> {
    const sampler = samplerInWaves(
      request,
      (room) => waveSizes(this.config, request, room),
      (part) => this.#samplerOf(part),
    );
    return openSequences(request, this.config.vocabularySize, sampler, this.#open);
  }

  /** A sampler for each slot of a request. */
  #samplerOf(request: OpenRequest): Sampler {
    const ofSlot = (slot: WeightSlot) => composedSampler(this.config, this.#slot(slot), request, () => this.#select());
    const bySlot = new Map(slotsOf(request).map((slot) => [slot, ofSlot(slot)]));
    return {
      sample(own_B, turn) {
        const sampler = bySlot.get(turn.slot ?? "policy");
        if (!sampler) throw new Error(`internal: sequences were not opened for the ${turn.slot}`);
        return sampler.sample(own_B, turn);
      },
      close() {
        for (const sampler of bySlot.values()) sampler.close();
      },
    };
  }

  async score(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores> {
    await this.#select();
    const weights = this.#slot(slot);
    return this.#gather(batch, padBatch(batch, FORWARD_ROWS), (piece) => this.#scorePiece(weights, piece, batch.temperature));
  }

  #scorePiece(weights: WeightSet, piece: PaddedPiece, temperature: number): Promise<TokenScores> {
    return readScores(tidy(() => scoreTensors(this.config, weights, piece, temperature)));
  }

  async #gather(
    batch: PackedBatch,
    pieces: readonly PaddedPiece[],
    score: (piece: PaddedPiece) => Promise<TokenScores>,
  ): Promise<TokenScores> {
    const all = emptyScores(batch.scoreTarget_K.length, this.config);
    for (const piece of pieces) putScores(all, await score(piece), piece.firstToken);
    return all;
  }

  async accumulate(batch: PackedBatch, objective: Objective, microBatchTokens: number): Promise<TokenScores> {
    await this.#select();
    return this.#gather(batch, padBatch(batch, microBatchTokens), async (piece) => {
      // The objective needs numbers. A GPU gives them only later, so there the forward runs twice.
      if (this.#name !== "webgpu") return this.#differentiate(piece, batch.temperature, objective, null);
      const scores = await this.#scorePiece(this.#policy, piece, batch.temperature);
      return this.#differentiate(piece, batch.temperature, objective, scores);
    });
  }

  /** Adds a piece's gradient; `known` are its scores where they cannot be read amid the computation. */
  #differentiate(piece: PaddedPiece, temperature: number, objective: Objective, known: TokenScores | null): TokenScores {
    let scores = known;
    const { value, grads } = tf.variableGrads(() => {
      const tensors = scoreTensors(this.config, this.#policy, piece, temperature);
      scores ??= readScoresNow(tensors);
      const gradients: TokenGradients = objective(scores, piece);
      return surrogate(tensors, gradients);
    }, [...this.#policy.variables]);
    value.dispose();
    // A value head the objective left out has no gradient.
    this.#addGradients(this.#policy.variables.map((variable) => grads[variable.name] ?? tf.zerosLike(variable as tf.Tensor)));
    if (!scores) throw new Error("internal: the forward pass was not run");
    return scores;
  }

  #addGradients(added: tf.Tensor[]): void {
    const before = this.#gradients;
    this.#gradients = before ? before.map((gradient, i) => tf.add(gradient, added[i]!)) : added;
    if (before) tf.dispose([...before, ...added]);
  }

  async step(options: OptimizerStep): Promise<{ readonly gradNorm: number }> {
    await this.#select();
    this.#open.keepWeights();
    const gradients = this.#gradients ?? tf.tidy(() => this.#policy.variables.map((variable) => tf.zerosLike(variable as tf.Tensor)));
    this.#gradients = null;
    try {
      const gradNorm = await globalNorm(gradients);
      if (!Number.isFinite(gradNorm)) return { gradNorm: Number.NaN };
      this.#steps += 1;
      applyStep(this.#policy, gradients, gradNorm, options, { first: this.#first, second: this.#second, step: this.#steps });
      return { gradNorm };
    } finally {
      tf.dispose(gradients);
    }
  }

  dispose(): void {
    this.#disposed = true;
    for (const set of [this.#policy, this.#first, this.#second, this.#reference]) set?.dispose();
    if (this.#gradients) tf.dispose(this.#gradients);
    this.#gradients = null;
  }
}
