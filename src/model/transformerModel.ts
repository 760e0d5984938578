// The transformer as a Model: a thin layer over a backend that adds the frozen reference, saving and
// the Hugging Face folder.

import type { ModelFile, ModelReport } from "../protocol/messages.ts";
import type { Policy, WeightSlot } from "../rl/policy.ts";
import type { PackedBatch, TokenScores, TransformerBackend } from "./backend.ts";
import type { GradientRequest, Model, ModelState, UpdateRequest, UpdateResult } from "./model.ts";
import { parameterCount } from "./transformerConfig.ts";

/** Writes the policy's weights as the files of a model folder. */
export type ExportModel = (weights_N: Float32Array) => Promise<readonly ModelFile[]>;

/** A transformer policy on some backend; owns the backend. */
export class TransformerModel implements Model {
  readonly report: ModelReport;
  readonly #backend: TransformerBackend;
  readonly #export: ExportModel;
  #hasReference = false;
  /** Whether an accumulation was broken off, so that part of a gradient is left. */
  #isBroken = false;

  constructor(backend: TransformerBackend, exportModel: ExportModel) {
    const { config } = backend;
    this.#backend = backend;
    this.#export = exportModel;
    this.report = {
      kind: "transformer",
      parameters: parameterCount(config),
      vocabulary: config.vocabularySize,
      description: `${config.layers} ${config.layers === 1 ? "layer" : "layers"}, width ${config.hiddenSize}, ${config.heads} heads, feed-forward ${config.intermediateSize}`,
    };
  }

  policy(): Policy {
    return this.#backend;
  }

  hasReference(): boolean {
    return this.#hasReference;
  }

  async refreshReference(mix: number): Promise<void> {
    const policy_N = await this.#backend.getWeights("policy");
    if (this.#hasReference && mix < 1) {
      const reference_N = await this.#backend.getWeights("reference");
      for (let i = 0; i < policy_N.length; i++) policy_N[i] = mix * policy_N[i]! + (1 - mix) * reference_N[i]!;
    }
    await this.#backend.setWeights("reference", policy_N);
    this.#hasReference = true;
  }

  async dropReference(): Promise<void> {
    this.#hasReference = false;
    await this.#backend.dropWeights("reference");
  }

  score(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores> {
    return this.#backend.score(batch, slot);
  }

  async update(request: UpdateRequest): Promise<UpdateResult> {
    const scores = await this.#accumulate(request);
    const { gradNorm } = await this.#backend.step(request.optimizer);
    return { scores, gradNorm, exactKlNats: null };
  }

  async gradient(request: GradientRequest): Promise<Float32Array> {
    await this.#accumulate(request);
    const gradient_N = await this.#backend.getGradient();
    await this.#backend.clearGradient();
    return gradient_N;
  }

  async #accumulate({ batch, objective, exactKlCoef, microBatchTokens }: GradientRequest): Promise<TokenScores> {
    if (exactKlCoef !== 0) throw new Error("internal: exact KL is not available on the transformer");
    if (this.#isBroken) await this.#backend.clearGradient();
    this.#isBroken = true;
    const scores = await this.#backend.accumulate(batch, objective, microBatchTokens);
    this.#isBroken = false;
    return scores;
  }

  async save(): Promise<ModelState> {
    const optimizer = await this.#backend.getOptimizer();
    return {
      policy: await this.#backend.getWeights("policy"),
      reference: this.#hasReference ? await this.#backend.getWeights("reference") : null,
      first: optimizer.first_N,
      second: optimizer.second_N,
      optimizerSteps: optimizer.step,
    };
  }

  async load(state: ModelState): Promise<void> {
    const size = parameterCount(this.#backend.config);
    if (state.policy.length !== size) throw new Error(`saved weights must have ${size} values, got ${state.policy.length}`);
    await this.#backend.setWeights("policy", Float32Array.from(state.policy));
    await this.#backend.setOptimizer({
      step: state.optimizerSteps,
      first_N: Float32Array.from(state.first),
      second_N: Float32Array.from(state.second),
    });
    if (!state.reference) return this.dropReference();
    await this.#backend.setWeights("reference", Float32Array.from(state.reference));
    this.#hasReference = true;
  }

  async exportFiles() {
    return this.#export(await this.#backend.getWeights("policy"));
  }

  dispose(): void {
    this.#backend.dispose();
  }
}
