// The transformer as a Model: a thin layer over a backend that adds the frozen reference, saving and
// the Hugging Face folder.

import type { ModelFile, ModelReport } from "../protocol/messages.ts";
import { counted } from "../protocol/quantities.ts";
import type { Policy, WeightSlot } from "../rl/policy.ts";
import type { PackedBatch, TokenScores, TransformerBackend } from "./backend.ts";
import { type GradientRequest, type Model, type ModelState, SEES_ALL, type UpdateRequest, type UpdateResult } from "./model.ts";
import { sizeOf, type TensorLayout, type TensorSet, valuesFor } from "./tensors.ts";
import { parameterCount } from "./transformerConfig.ts";

/** Writes the policy as the files of a model folder. */
type ExportModel = () => Promise<readonly ModelFile[]>;

/** Weights as a backend takes them. @param whose to begin the sentence where they do not fit. */
function floatsFor(layout: TensorLayout, set: TensorSet, whose: string): Float32Array {
  const values = valuesFor(layout, set, whose);
  return values instanceof Float32Array ? values : Float32Array.from(values);
}

/** A transformer policy on some backend; owns the backend. */
export class TransformerModel implements Model {
  readonly report: ModelReport;
  readonly sight = SEES_ALL;
  readonly #backend: TransformerBackend;
  readonly #export: ExportModel;
  readonly #layout: TensorLayout;
  #hasReference = false;
  /** Whether an accumulation was broken off, so that part of a gradient is left. */
  #isBroken = false;

  constructor(backend: TransformerBackend, exportModel: ExportModel) {
    const { config } = backend;
    this.#backend = backend;
    this.#export = exportModel;
    this.#layout = backend.layout;
    const parameters = parameterCount(config);
    const trained = sizeOf(backend.layout);
    this.report = {
      kind: "transformer",
      parameters,
      trained,
      vocabulary: config.vocabularySize,
      description: `${counted(config.layers, "layer")}, width ${config.hiddenSize}, ${counted(config.heads, "head")}, feed-forward ${config.intermediateSize}${trained < parameters ? `, of which ${trained} in adapters are trained` : ""}`,
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

  async gradient(request: GradientRequest): Promise<TensorSet> {
    await this.#accumulate(request);
    const gradient_N = await this.#backend.getGradient();
    await this.#backend.clearGradient();
    return this.#named(gradient_N);
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
      policy: this.#named(await this.#backend.getWeights("policy")),
      reference: await this.#reference(),
      first: this.#named(optimizer.first_N),
      second: this.#named(optimizer.second_N),
      optimizerSteps: optimizer.step,
    };
  }

  async hold(): Promise<() => Promise<void>> {
    const state = await this.save();
    return () => this.load(state);
  }

  #named(values: Float32Array): TensorSet {
    return { layout: this.#layout, values };
  }

  async #reference(): Promise<TensorSet | null> {
    return this.#hasReference ? this.#named(await this.#backend.getWeights("reference")) : null;
  }

  async load(state: ModelState): Promise<void> {
    const { optimizerSteps: step, reference } = state;
    // All of it is looked at before any of it is taken.
    const policy_N = floatsFor(this.#layout, state.policy, "saved weights");
    const first_N = floatsFor(this.#layout, state.first, "saved first moments");
    const second_N = floatsFor(this.#layout, state.second, "saved second moments");
    const reference_N = reference && floatsFor(this.#layout, reference, "the saved reference");
    await this.#backend.setWeights("policy", policy_N);
    await this.#backend.setOptimizer({ step, first_N, second_N });
    await this.#setReference(reference_N);
  }

  async #setReference(weights_N: Float32Array | null): Promise<void> {
    if (!weights_N) return this.dropReference();
    await this.#backend.setWeights("reference", weights_N);
    this.#hasReference = true;
  }

  async withReference<T>(weights: TensorSet, look: () => Promise<T>): Promise<T> {
    const before_N = this.#hasReference ? await this.#backend.getWeights("reference") : null;
    try {
      await this.#setReference(floatsFor(this.#layout, weights, "the weights to look at"));
      return await look();
    } finally {
      await this.#setReference(before_N);
    }
  }

  exportFiles() {
    return this.#export();
  }

  dispose(): void {
    this.#backend.dispose();
  }
}
