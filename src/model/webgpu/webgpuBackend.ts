// The transformer on WebGPU with own kernels: everything stays on the GPU in persistent buffers; per
// micro-batch there are two submits (forward, backward), per step one, per 16 sampled tokens one.

import { openDevice } from "../../kernels/webgpu/device.ts";
import { readWords } from "../../kernels/webgpu/program.ts";
import type { OpenRequest, OpenSequences, SampleResult, WeightSlot } from "../../rl/policy.ts";
import {
  emptyScores,
  type Objective,
  type OptimizerState,
  type OptimizerStep,
  type PackedBatch,
  putScores,
  type TokenScores,
  type TransformerBackend,
} from "../backend.ts";
import type { TfjsHost } from "../composed/tfjs.ts";
import { type AdaptedLayout, mergeAdapters } from "../lora/adapters.ts";
import type { FrozenBase } from "../lora/frozenBase.ts";
import { OpenCount, openSequences } from "../openSequences.ts";
import type { TensorLayout } from "../tensors.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { createEngine, type Engine, type EngineLimits } from "./engine.ts";
import { collectGradient, type OptimizerPlan, planOptimizer, runStep } from "./optimizer.ts";
import { type Capacity, fits, mostPerMicroBatch, roomyPositions, SCORING_ROWS, scoringCapacity } from "./plan/deviceSizes.ts";
import { gpuSampler } from "./sampling/sampling.ts";
import { hasRoom, planSampling, roomForBoth, type SamplingPlan } from "./sampling/samplingPlan.ts";
import type { SamplingCapacity } from "./sampling/waves.ts";
import { type AskedRows, rowsAsked, scoreEveryToken } from "./scoring/everyToken.ts";
import { cutMicroBatches, layOut, type MicroBatch } from "./scoring/microBatch.ts";
import { planScoring, runBackward, runForward, type ScoringPlan } from "./scoring/scoringPlan.ts";

interface WebgpuOptions extends EngineLimits {
  /** Told why when the GPU goes away other than by dispose(); the backend is then of no more use. */
  readonly onLost: (reason: string) => void;
  /** Weights that stand still, beside which adapters are trained; without it all weights are. */
  readonly frozen?: FrozenBase | undefined;
}

const planKey = (slot: WeightSlot, keep: boolean): string => `${slot} ${keep}`;

class WebgpuBackend implements TransformerBackend {
  readonly id = "webgpu";
  readonly threads = 1;
  readonly config: TransformerConfig;
  readonly layout: TensorLayout;
  readonly #engine: Engine;
  readonly #optimizer: OptimizerPlan;
  readonly #plans = new Map<string, ScoringPlan>();
  readonly #open = new OpenCount();
  readonly #sampling = new Map<WeightSlot, SamplingPlan>();
  /** Which adapters there are beside a frozen base; null where all weights are trained. */
  readonly #adapted: AdaptedLayout | null;
  #steps = 0;
  #fault: string | null = null;
  #disposed = false;

  constructor(engine: Engine, optimizer: OptimizerPlan, { onLost, frozen }: WebgpuOptions) {
    this.config = engine.config;
    this.layout = engine.layout;
    this.#adapted = frozen?.adapted ?? null;
    this.#engine = engine;
    this.#optimizer = optimizer;
    engine.device.onuncapturederror = ({ error }) => {
      this.#fault ??= error.message;
    };
    void engine.device.lost.then(({ message }) => {
      if (this.#disposed) return;
      const reason = message || "no reason was given";
      this.#fault ??= `the device was lost (${reason})`;
      onLost(reason);
    });
  }

  async setWeights(slot: WeightSlot, weights_N: Float32Array): Promise<void> {
    if (slot === "policy") this.#open.keepWeights();
    if (slot === "reference") this.#engine.parameters.holdReference();
    this.#write(this.#engine.parameters.weights(slot), weights_N, "weights");
  }

  async wholeWeights(): Promise<Float32Array> {
    const own_N = await this.getWeights("policy");
    const { memory } = this.#engine;
    return this.#adapted && memory ? mergeAdapters(this.#adapted, await memory.widenedWeights(this.config), own_N) : own_N;
  }

  async getWeights(slot: WeightSlot): Promise<Float32Array> {
    return this.#read(this.#engine.parameters.weights(slot));
  }

  /** Plans are bound to the buffer they were made with, so the reference's go with it. */
  async dropWeights(slot: "reference"): Promise<void> {
    for (const key of [planKey(slot, false), planKey(slot, true)]) {
      this.#plans.get(key)?.arena.destroy();
      this.#plans.delete(key);
    }
    this.#sampling.get(slot)?.arena.destroy();
    this.#sampling.delete(slot);
    this.#engine.parameters.dropReference();
  }

  async getOptimizer(): Promise<OptimizerState> {
    const { first, second } = this.#engine.parameters;
    return { step: this.#steps, first_N: await this.#read(first), second_N: await this.#read(second) };
  }

  async setOptimizer({ step, first_N, second_N }: OptimizerState): Promise<void> {
    this.#write(this.#engine.parameters.first, first_N, "first moments");
    this.#write(this.#engine.parameters.second, second_N, "second moments");
    this.#steps = step;
  }

  async getGradient(): Promise<Float32Array> {
    await collectGradient(this.#engine, this.#optimizer);
    return this.#read(this.#engine.parameters.gradient);
  }

  async clearGradient(): Promise<void> {
    this.#check();
    const encoder = this.#engine.device.createCommandEncoder();
    encoder.clearBuffer(this.#engine.parameters.gradient);
    this.#engine.device.queue.submit([encoder.finish()]);
  }

  get maxPositions(): number {
    return this.config.maxPositions;
  }

  open(request: OpenRequest): OpenSequences<SampleResult> {
    const sampler = gpuSampler(this.#engine, request, (slot, capacity) => this.#samplingPlan(slot, capacity));
    return openSequences(request, this.config.vocabularySize, sampler, this.#open);
  }

  async score(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores> {
    const asked = rowsAsked(batch);
    if (!asked) return this.#scoreTokens(batch, slot);
    this.#check();
    const scores = emptyScores(batch.scoreTarget_K.length, this.config);
    await scoreEveryToken(this.#engine, slot, asked, batch.scoreTarget_K, scores);
    const others = asked.place_K.length > 0 ? await this.#scoreTokens(asked.others, slot) : emptyScores(0, this.config);
    for (const [j, k] of asked.place_K.entries()) {
      scores.logprobs_K[k] = others.logprobs_K[j]!;
      scores.entropies_K[k] = others.entropies_K[j]!;
    }
    if (scores.values_K) await this.#putValues(scores.values_K, asked, others, slot);
    return scores;
  }

  /** A value is the row's, whichever tokens are scored at it. */
  async #putValues(values_K: Float32Array, { rows, range_R, place_K }: AskedRows, others: TokenScores, slot: WeightSlot): Promise<void> {
    const ofRows = await this.#scoreTokens(rows, slot);
    for (const [r, [begin, end]] of range_R.entries()) values_K.fill(ofRows.values_K![r]!, begin, end);
    for (const [j, k] of place_K.entries()) values_K[k] = others.values_K![j]!;
  }

  #scoreTokens(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores> {
    return this.#inParts(batch, SCORING_ROWS, async (part) => {
      const plan = await this.#scoringPlan(slot, part, false);
      return runForward(this.#engine, plan, part, batch.temperature);
    });
  }

  accumulate(batch: PackedBatch, objective: Objective, microBatchTokens: number): Promise<TokenScores> {
    return this.#inParts(batch, microBatchTokens, async (part) => {
      const plan = await this.#scoringPlan("policy", part, true);
      const scores = await runForward(this.#engine, plan, part, batch.temperature);
      const { firstSequence, lastSequence, firstToken } = part;
      await runBackward(this.#engine, plan, part, objective(scores, { firstSequence, lastSequence, firstToken }));
      return scores;
    });
  }

  async step(options: OptimizerStep): Promise<{ readonly gradNorm: number }> {
    this.#check();
    this.#open.keepWeights();
    const gradNorm = await runStep(this.#engine, this.#optimizer, options, this.#steps + 1);
    if (!Number.isNaN(gradNorm)) this.#steps += 1;
    return { gradNorm };
  }

  dispose(): void {
    this.#disposed = true;
    for (const plan of this.#plans.values()) plan.arena.destroy();
    this.#plans.clear();
    for (const plan of this.#sampling.values()) plan.arena.destroy();
    this.#sampling.clear();
    this.#engine.destroy();
    this.#engine.device.destroy();
  }

  /** Runs micro-batches in order and joins their scores. */
  async #inParts(batch: PackedBatch, rows: number, run: (part: MicroBatch) => Promise<TokenScores>): Promise<TokenScores> {
    this.#check();
    const joined = emptyScores(batch.scoreTarget_K.length, this.config);
    for (const range of cutMicroBatches(batch, rows, mostPerMicroBatch(this.#engine))) {
      const part = layOut(batch, range, this.config.vocabularySize);
      putScores(joined, await run(part), part.firstToken);
    }
    return joined;
  }

  async #scoringPlan(slot: WeightSlot, needed: Capacity, keep: boolean): Promise<ScoringPlan> {
    const key = planKey(slot, keep);
    const known = this.#plans.get(key);
    if (known && fits(known, needed)) return known;
    known?.arena.destroy();
    this.#plans.delete(key);
    const plan = await planScoring(this.#engine, slot, scoringCapacity(this.#engine, needed, known?.capacity), keep);
    this.#plans.set(key, plan);
    return plan;
  }

  async #samplingPlan(slot: WeightSlot, needed: SamplingCapacity): Promise<SamplingPlan> {
    this.#check();
    const known = this.#sampling.get(slot);
    if (known && hasRoom(known.capacity, needed)) return known;
    known?.arena.destroy();
    this.#sampling.delete(slot);
    const positions = roomyPositions(this.#engine, needed.positions);
    const plan = await planSampling(this.#engine, slot, roomForBoth(known?.capacity ?? needed, { ...needed, positions }));
    this.#sampling.set(slot, plan);
    return plan;
  }

  #check(): void {
    if (this.#fault !== null) throw new Error(`WebGPU failed: ${this.#fault}`);
  }

  #write(buffer: GPUBuffer, values_N: Float32Array, what: string): void {
    this.#check();
    const { count } = this.#engine.parameters;
    if (values_N.length !== count) throw new Error(`${what} must have ${count} values, got ${values_N.length}`);
    this.#engine.device.queue.writeBuffer(buffer, 0, values_N as Float32Array<ArrayBuffer>);
  }

  async #read(buffer: GPUBuffer): Promise<Float32Array> {
    this.#check();
    return new Float32Array(await readWords(this.#engine.device, buffer, 0, this.#engine.parameters.count));
  }
}

/**
 * Opens a device of its own and puts a model on it, weights zero but for a frozen base. Throws a sentence where there is
 * no adapter, where a kernel does not compile, or where the model exceeds the device.
 */
export async function createWebgpuBackend(
  config: TransformerConfig,
  host: Pick<TfjsHost, "gpu">,
  options: WebgpuOptions,
): Promise<TransformerBackend> {
  const { frozen = null } = options;
  const device = await openDevice(host.gpu);
  try {
    const engine = createEngine(device, config, options, frozen);
    if (frozen) await engine.memory?.fill(config, frozen);
    return new WebgpuBackend(engine, await planOptimizer(engine), options);
  } catch (error) {
    device.destroy();
    throw error;
  }
}
