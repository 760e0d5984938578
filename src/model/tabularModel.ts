// The tabular policy: a [position, vocabulary] table of logits, one independent categorical per
// position, so that log pi(sequence) = sum_t log softmax(logits[t])[token_t]. It makes one policy
// gradient step readable end to end and needs no tensor library. The prompt is ignored: the table
// is the policy for one fixed task. Float64 throughout.

import type { ModelReport } from "../protocol/messages.ts";
import { wholePower } from "../rl/exactMath.ts";
import { type LogitsTable, logitsGradient, logSoftmaxTable } from "../rl/logitsTable.ts";
import { consecutiveSubarrays } from "../rl/objective/types.ts";
import {
  emptyResult,
  type OpenRequest,
  type OpenSequences,
  type Policy,
  type SampleResult,
  type TurnRequest,
  type WeightSlot,
} from "../rl/policy.ts";
import { inverseCdf, mostLikelyToken, truncatedProbabilities } from "../rl/rollout/sampleToken.ts";
import type { OptimizerStep, PackedBatch, TokenScores } from "./backend.ts";
import { type GradientRequest, type Model, type ModelState, SEES_ALL, type UpdateRequest, type UpdateResult } from "./model.ts";
import { layoutOf, type TensorLayout, type TensorSet, valuesFor } from "./tensors.ts";

/** Log-probs and what goes with them, of these logits at this temperature. */
interface KnownTable {
  readonly of: Float64Array;
  readonly temperature: number;
  readonly table: LogitsTable;
}

/** A table of logits with its optimizer; owned state. */
export class TabularModel implements Model, Policy<SampleResult> {
  readonly report: ModelReport;
  readonly sight = SEES_ALL;
  readonly #T: number;
  readonly #V: number;
  readonly #layout: TensorLayout;
  #logits_TV: Float64Array;
  #reference_TV: Float64Array | null = null;
  /** What was last computed from the weights of each slot: a step samples from it, trains on it and measures it. */
  readonly #known: { [slot in WeightSlot]: KnownTable | null } = { policy: null, reference: null };
  #first_TV: Float64Array;
  #second_TV: Float64Array;
  #steps = 0;

  /** @param positions longest completion T. @param vocabulary number of tokens V. All logits start at 0: the uniform policy. */
  constructor(positions: number, vocabulary: number) {
    this.#T = positions;
    this.#V = vocabulary;
    this.#layout = layoutOf([{ name: "logits", shape: [positions, vocabulary], trainable: true }]);
    this.#logits_TV = new Float64Array(positions * vocabulary);
    this.#first_TV = new Float64Array(positions * vocabulary);
    this.#second_TV = new Float64Array(positions * vocabulary);
    this.report = {
      kind: "tabular",
      parameters: positions * vocabulary,
      trained: positions * vocabulary,
      vocabulary,
      description: `${positions} positions × ${vocabulary} tokens of logits`,
    };
  }

  policy(): Policy {
    return this;
  }

  hasReference(): boolean {
    return this.#reference_TV !== null;
  }

  async refreshReference(mix: number): Promise<void> {
    const reference_TV = this.#reference_TV;
    this.#reference_TV = reference_TV
      ? this.#logits_TV.map((logit, i) => mix * logit + (1 - mix) * reference_TV[i]!)
      : this.#logits_TV.slice();
  }

  async dropReference(): Promise<void> {
    this.#reference_TV = null;
    this.#known.reference = null;
  }

  get maxPositions(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** The table knows no context: a turn goes on at the position after the tokens a sequence has sampled. */
  open({ promptOf_B }: OpenRequest): OpenSequences<SampleResult> {
    const position_B = new Int32Array(promptOf_B.length);
    return {
      extend: () => {},
      sample: async (request) => this.#sampleTurn(request, position_B),
      close: () => {},
    };
  }

  #sampleTurn(request: TurnRequest, position_B: Int32Array): SampleResult {
    const T = request.maxNewTokens;
    const V = this.#V;
    const { sequences_B } = request;
    const B = sequences_B.length;
    let end = T;
    for (const sequence of sequences_B) end = Math.max(end, T + position_B[sequence]!);
    if (end > this.#T) throw new Error(`maxCompletionTokens must be <= ${this.#T} for this tabular policy, got ${end}`);
    const { logprobs_TV, probabilities_TV, entropies_T } = this.#tableOf(
      request.slot ?? "policy",
      request.temperature > 0 ? request.temperature : 1,
    );
    const result = emptyResult(B, T);
    const { tokens_BT, logprobs_BT, entropies_BT, lengths_B, stopped_B } = result;
    // Every sequence draws from the same categorical at a position, so each is filtered once.
    const { topK, topP, minP } = request;
    const isCut = topK > 0 || topP < 1 || minP > 0;
    const nextLogprobs = consecutiveSubarrays(logprobs_TV);
    const nextProbabilities = consecutiveSubarrays(probabilities_TV);
    const rows: Float64Array[] = [];
    const kept: Float64Array[] = [];
    for (let t = 0; t < end; t++) {
      rows.push(nextLogprobs(V));
      kept.push(isCut ? truncatedProbabilities(rows[t]!, request) : nextProbabilities(V));
    }
    for (let b = 0; b < B; b++) {
      const sequence = sequences_B[b]!;
      for (let i = 0, t = position_B[sequence]!; i < T; i++, t++) {
        const at = b * T + i;
        const token = request.temperature === 0 ? mostLikelyToken(rows[t]!) : inverseCdf(kept[t]!, request.uniforms_BT[at]!);
        tokens_BT[at] = token;
        logprobs_BT[at] = logprobs_TV[t * V + token]!;
        entropies_BT[at] = entropies_T[t]!;
        lengths_B[b] = i + 1;
        if (request.stopTokens.includes(token)) {
          stopped_B[b] = 1;
          break;
        }
      }
      position_B[sequence]! += lengths_B[b]!;
    }
    return result;
  }

  async score(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores> {
    return this.#gather(batch, this.#tableOf(slot, batch.temperature));
  }

  #tableOf(slot: WeightSlot, temperature: number): LogitsTable {
    const logits_TV = this.#logitsOf(slot);
    const known = this.#known[slot];
    if (known?.of === logits_TV && known.temperature === temperature) return known.table;
    const table = logSoftmaxTable(logits_TV, this.#T, this.#V, temperature);
    this.#known[slot] = { of: logits_TV, temperature, table };
    return table;
  }

  #logitsOf(slot: WeightSlot): Float64Array {
    const logits_TV = slot === "policy" ? this.#logits_TV : this.#reference_TV;
    if (!logits_TV) throw new Error("internal: the tabular policy has no reference");
    return logits_TV;
  }

  #gather(batch: PackedBatch, { logprobs_TV, entropies_T }: LogitsTable): TokenScores {
    const K = batch.scoreTarget_K.length;
    const logprobs_K = new Float32Array(K);
    const entropies_K = new Float32Array(K);
    for (let q = 0; q + 1 < batch.sequenceStart_Q.length; q++) {
      const start = batch.sequenceStart_Q[q]!;
      // A row may be scored on several tokens, all of one position.
      for (let k = start, t = 0; k < batch.sequenceStart_Q[q + 1]!; k++) {
        if (k > start && batch.scoreRow_K[k] !== batch.scoreRow_K[k - 1]) t += 1;
        logprobs_K[k] = logprobs_TV[t * this.#V + batch.scoreTarget_K[k]!]!;
        entropies_K[k] = entropies_T[t]!;
      }
    }
    return { logprobs_K, entropies_K, values_K: null };
  }

  async update(request: UpdateRequest): Promise<UpdateResult> {
    const { scores, gradient_TV, exactKlNats } = this.#differentiate(request);
    return { scores, gradNorm: this.#step(gradient_TV, request.optimizer), exactKlNats };
  }

  async gradient(request: GradientRequest): Promise<TensorSet> {
    return { layout: this.#layout, values: this.#differentiate(request).gradient_TV };
  }

  #differentiate(request: GradientRequest) {
    const { batch } = request;
    const table = this.#tableOf("policy", batch.temperature);
    const scores = this.#gather(batch, table);
    const gradients = request.objective(scores, { firstSequence: 0, lastSequence: batch.sequenceStart_Q.length - 1, firstToken: 0 });
    const { scoreTarget_K, sequenceStart_Q, temperature } = batch;
    const pushes = { tokens_K: scoreTarget_K, sequenceStart_Q, ...gradients };
    const gradient_TV = logitsGradient({ vocabulary: this.#V, temperature, ...table }, pushes);
    const exactKlNats = this.#addExactKl(gradient_TV, request.exactKlCoef);
    return { scores, gradient_TV, exactKlNats };
  }

  /** Adds coef * dKL/dlogits with KL = 1/T sum_t sum_v p (log p - log q): p ((log p - log q) - KL_t) / T. Temperature 1. */
  #addExactKl(gradient_TV: Float64Array, coef: number): number | null {
    if (!this.#reference_TV) return null;
    const { logprobs_TV: policy_TV, probabilities_TV } = this.#tableOf("policy", 1);
    const { logprobs_TV: reference_TV } = this.#tableOf("reference", 1);
    let total = 0;
    for (let t = 0; t < this.#T; t++) {
      let klNats = 0;
      for (let i = t * this.#V; i < (t + 1) * this.#V; i++) klNats += probabilities_TV[i]! * (policy_TV[i]! - reference_TV[i]!);
      total += klNats;
      if (coef === 0) continue;
      for (let i = t * this.#V; i < (t + 1) * this.#V; i++) {
        gradient_TV[i]! += (coef / this.#T) * probabilities_TV[i]! * (policy_TV[i]! - reference_TV[i]! - klNats);
      }
    }
    return total / this.#T;
  }

  #step(gradient_TV: Float64Array, options: OptimizerStep): number {
    let squares = 0;
    for (const g of gradient_TV) squares += g * g;
    const gradNorm = Math.sqrt(squares);
    if (!Number.isFinite(gradNorm)) return Number.NaN;
    const clip = options.maxGradNorm > 0 && gradNorm > options.maxGradNorm ? options.maxGradNorm / (gradNorm + 1e-6) : 1;
    this.#steps += 1;
    this.#known.policy = null;
    const { learningRate: rate, beta1, beta2 } = options;
    const firstCorrection = 1 - wholePower(beta1, this.#steps);
    const secondCorrection = 1 - wholePower(beta2, this.#steps);
    for (let i = 0; i < gradient_TV.length; i++) {
      const g = gradient_TV[i]! * clip;
      const decayed = this.#logits_TV[i]! * (1 - rate * options.weightDecay);
      if (options.kind === "sgd") {
        this.#logits_TV[i] = decayed - rate * g;
        continue;
      }
      const first = beta1 * this.#first_TV[i]! + (1 - beta1) * g;
      const second = beta2 * this.#second_TV[i]! + (1 - beta2) * g * g;
      this.#first_TV[i] = first;
      this.#second_TV[i] = second;
      this.#logits_TV[i] = decayed - (rate * (first / firstCorrection)) / (Math.sqrt(second / secondCorrection) + options.eps);
    }
    return gradNorm;
  }

  async save(): Promise<ModelState> {
    const copyOf = (values_TV: Float64Array): TensorSet => ({ layout: this.#layout, values: values_TV.slice() });
    return {
      policy: copyOf(this.#logits_TV),
      reference: this.#reference_TV && copyOf(this.#reference_TV),
      first: copyOf(this.#first_TV),
      second: copyOf(this.#second_TV),
      optimizerSteps: this.#steps,
    };
  }

  async hold(): Promise<() => Promise<void>> {
    const state = await this.save();
    return () => this.load(state);
  }

  async load(state: ModelState): Promise<void> {
    const copyOf = (set: TensorSet, whose: string) => Float64Array.from(valuesFor(this.#layout, set, whose));
    const policy_TV = copyOf(state.policy, "saved logits");
    const reference_TV = state.reference && copyOf(state.reference, "saved logits of the reference");
    const first_TV = copyOf(state.first, "saved first moments");
    const second_TV = copyOf(state.second, "saved second moments");
    this.#logits_TV = policy_TV;
    this.#reference_TV = reference_TV;
    this.#first_TV = first_TV;
    this.#second_TV = second_TV;
    this.#steps = state.optimizerSteps;
  }

  async withReference<T>(weights: TensorSet, look: () => Promise<T>): Promise<T> {
    const before_TV = this.#reference_TV;
    try {
      this.#reference_TV = Float64Array.from(valuesFor(this.#layout, weights, "the logits to look at"));
      return await look();
    } finally {
      this.#reference_TV = before_TV;
    }
  }

  async exportFiles(): Promise<null> {
    return null;
  }

  dispose(): void {
    this.#reference_TV = null;
  }
}
