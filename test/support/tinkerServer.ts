// A small server of the project's own engine that speaks the Tinker API, in this process, with faults on order. Saved weights outlive a restart,
// all else is forgotten. The same requests in the same order give the same bits.
import { type Model, type ModelState, modelHere } from "../../src/model/model.ts";
import type { ModelServer, ServerAnswer, ServerRequest } from "../../src/model/remote/server.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { prepareRun } from "../../src/train/start/start.ts";
import { createNodeHost } from "./nodeHost.ts";
import { batchOf, type Datum, divided, NO_CLIP, type Pending, weightsOf } from "./tinkerLosses.ts";
import { answerToOfficial } from "./tinkerOfficial.ts";
import { encodedResult, passOf } from "./tinkerProtobuf.ts";
import { logprobsOn, type SampleInput, sampledOn } from "./tinkerSampling.ts";
import "./kernels.ts";

/** What goes wrong with a request. A doubled one arrives twice, as from a proxy that tries again by itself. */
export type Fault = "lost request" | "lost answer" | "doubled" | "restart" | "forget" | 408 | 429 | 500 | 503;

export interface TinkerServerOptions {
  /** Whether two requests of one key are one. */
  readonly countsOnce?: boolean;
  /** Whether a sequence's loss is divided by the sum of its weights, which are 1 where none came. */
  readonly divides?: boolean;
  /** What is to go wrong with the n-th request, from 0. */
  readonly faults?: (request: ServerRequest, n: number) => Fault | null;
  readonly checkpoint?: string;
  /** Whether passes and results are to be in bytes where they can be. */
  readonly wantsBytes?: boolean;
  /** What it calls its model. */
  readonly offers?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** What a server reads was JSON on its way, or a pass in bytes. */
function receivedOf(request: ServerRequest): ServerRequest {
  if (request.body instanceof Uint8Array) return { ...request, ...passOf(request.body) };
  return JSON.parse(JSON.stringify(request)) as ServerRequest;
}

interface Loaded {
  readonly model: Model;
  pending: readonly Pending[];
  version: number;
}

class Answered extends Error {
  readonly answer: ServerAnswer;
  constructor(status: number, detail: string) {
    super(detail);
    this.answer = { status, body: { detail } };
  }
}

/** Owned state. */
export class TinkerServer implements ModelServer {
  readonly name = "test server";
  readonly requests: ServerRequest[] = [];
  readonly struck: Fault[] = [];
  readonly saved = new Map<string, ModelState>();
  readonly #options: TinkerServerOptions;
  readonly #models = new Map<string, Loaded>();
  readonly #samplers = new Map<string, { readonly modelId: string; readonly version: number }>();
  readonly #results = new Map<string, unknown>();
  readonly #keys = new Map<string, unknown>();
  readonly #sessions = new Set<string>();
  readonly #baseSessions = new Set<string>();
  #boots = 0;
  #ids = 0;
  /** Optimizer steps that were taken, on whichever model. */
  steps = 0;

  constructor(options: TinkerServerOptions = {}) {
    this.#options = options;
  }

  get checkpoint(): string {
    return this.#options.checkpoint ?? "base";
  }

  get #modelName(): string {
    return this.#options.offers ?? `/models/${this.checkpoint}`;
  }

  async send(request: ServerRequest): Promise<ServerAnswer> {
    const received = receivedOf(request);
    const fault = this.#options.faults?.(received, this.requests.length) ?? null;
    this.requests.push(received);
    if (fault !== null) this.struck.push(fault);
    if (fault === "lost request") throw new Error("connection refused");
    if (fault === "restart") {
      this.restart();
      throw new Error("connection reset");
    }
    if (fault === "forget") this.#forget();
    if (typeof fault === "number") return { status: fault, body: { detail: "on order" } };
    const isBytes = request.body instanceof Uint8Array;
    if (fault === "doubled") await this.#answer(received, isBytes);
    const answer = await this.#answer(received, isBytes);
    if (fault === "lost answer") throw new Error("connection reset");
    const bytes = received.takesBytes && answer.status === 200 ? encodedResult(answer.body) : null;
    return bytes ? { ...answer, body: bytes } : (JSON.parse(JSON.stringify(answer)) as ServerAnswer);
  }

  /** Everything but saved weights is gone. */
  restart(): void {
    this.#forget();
    this.#results.clear();
    this.#keys.clear();
    this.#boots += 1;
  }

  #forget(): void {
    for (const { model } of this.#models.values()) model.dispose();
    this.#models.clear();
    this.#sessions.clear();
    this.#samplers.clear();
    this.#baseSessions.clear();
  }

  close(): void {
    this.#forget();
  }

  async #answer({ path, body, idempotencyKey, takesBytes }: ServerRequest, isBytes: boolean): Promise<ServerAnswer> {
    if (this.#options.wantsBytes && !isBytes && /^forward/.test(path)) return { status: 415, body: { detail: "send protobuf" } };
    const key = this.#options.countsOnce && idempotencyKey ? `${path} ${idempotencyKey}` : null;
    if (key !== null && this.#keys.has(key)) return { status: 200, body: this.#keys.get(key) };
    try {
      const answer = await this.#handle(path, (body ?? {}) as Body);
      if (this.#options.wantsBytes && path === "retrieve_future" && !takesBytes && encodedResult(answer))
        return { status: 406, body: { detail: "take protobuf" } };
      if (key !== null) this.#keys.set(key, answer);
      return { status: 200, body: answer };
    } catch (error) {
      if (error instanceof Answered) return error.answer;
      throw error;
    }
  }

  async #handle(path: string, body: Body): Promise<unknown> {
    const greeting = answerToOfficial(path, body, this.#modelName);
    if (greeting) return greeting;
    if (path === "healthz") return { status: "ok" };
    if (path === "get_server_capabilities") return { supported_models: [{ model_name: this.#modelName }] };
    if (path === "create_sampling_session") return { sampling_session_id: this.#openSampler(body) };
    if (path === "create_session") return { session_id: this.#remember(this.#sessions, "session") };
    if (path === "session_heartbeat") return {};
    if (path === "retrieve_future") return this.#result(String(body.request_id));
    if (path === "unload_model") {
      this.#models.get(String(body.model_id))?.model.dispose();
      this.#models.delete(String(body.model_id));
      return {};
    }
    const computed = await this.#compute(path, body);
    const request_id = `${this.#boots}-${this.#ids++}`;
    this.#results.set(request_id, computed);
    const { model_id, sequences = [] } = computed as { readonly model_id?: string; readonly sequences?: readonly unknown[] };
    const sample_sequence_ids = sequences.map((_, i) => `${request_id}/${i}`);
    return { request_id, ...(path === "create_model" ? { model_id } : {}), ...(path === "asample" ? { sample_sequence_ids } : {}) };
  }

  #remember(into: Set<string>, kind: string): string {
    const id = `${kind}_${this.#boots}_${this.#ids++}`;
    into.add(id);
    return id;
  }

  #result(id: string): unknown {
    if (!this.#results.has(id)) throw new Answered(404, "Future not found");
    return this.#results.get(id);
  }

  #model(body: Body): Loaded {
    const found = this.#models.get(String(body.model_id));
    if (!found) throw new Answered(404, "Model not found");
    return found;
  }

  async #newModel(rank: number, seed: number): Promise<Loaded> {
    const config: RunConfigInput = {
      ...{ task: "boxed-arithmetic", algorithm: "grpo", model: "transformer", startFrom: "checkpoint", checkpoint: this.checkpoint },
      ...{ backend: "wasm", threads: 1, loraRank: rank, seed },
    };
    const run = await prepareRun("server", planRun({ config }), createNodeHost(), { onPreparing() {}, onLost() {}, pause: async () => {} });
    return { model: modelHere(run.model), pending: [], version: 0 };
  }

  async #compute(path: string, body: Body): Promise<unknown> {
    if (path === "create_model") {
      if (!this.#sessions.has(String(body.session_id))) throw new Answered(404, "Session not found");
      const { rank, seed } = body.lora_config as { readonly rank: number; readonly seed: number };
      const model_id = `model_${this.#boots}_${this.#ids++}`;
      this.#models.set(model_id, await this.#newModel(rank, seed));
      return { model_id };
    }
    if (path === "asample") return this.#sample(body);
    const loaded = this.#model(body);
    const { model } = loaded;
    if (path === "forward" || path === "forward_backward") {
      const input = body[`${path}_input`] as {
        readonly data: readonly Datum[];
        readonly loss_fn: string;
        readonly loss_fn_config?: { readonly clip_low_threshold: number; readonly clip_high_threshold: number };
      };
      const { data, loss_fn, loss_fn_config: { clip_low_threshold: low, clip_high_threshold: high } = NO_CLIP } = input;
      const outputs = await logprobsOn(model, data);
      const waiting = data.map((datum, d) => {
        const weights = weightsOf(loss_fn, datum, outputs[d]!.logprobs.data, low, high);
        return { datum, weights: this.#options.divides ? divided(weights, datum) : weights };
      });
      if (path === "forward_backward") loaded.pending = [...loaded.pending, ...waiting];
      return { loss_fn_output_type: "scalar", metrics: {}, loss_fn_outputs: outputs };
    }
    if (path === "optim_step") return this.#step(loaded, body);
    if (path === "save_weights") {
      const tinkerPath = `tinker://${String(body.model_id)}/weights/${String(body.path)}`;
      if (this.saved.has(tinkerPath)) throw new Answered(409, "Checkpoint already exists");
      this.saved.set(tinkerPath, await model.save());
      return { path: tinkerPath };
    }
    if (path === "load_weights") {
      const state = this.saved.get(String(body.path));
      if (!state) throw new Answered(404, "Checkpoint not found");
      await model.load(state);
      return { type: "load_weights" };
    }
    if (path === "save_weights_for_sampler") {
      const sampler = { modelId: String(body.model_id), version: loaded.version };
      if (typeof body.path === "string") {
        const kept = `tinker://${sampler.modelId}/sampler_weights/${body.path}`;
        this.#samplers.set(kept, sampler);
        return { path: kept, type: "save_weights_for_sampler", sampling_session_id: null };
      }
      return { path: null, type: "save_weights_for_sampler", sampling_session_id: this.#remembered(sampler) };
    }
    throw new Answered(404, `no such call: ${path}`);
  }

  async #step(loaded: Loaded, body: Body): Promise<unknown> {
    const { pending, model } = loaded;
    const adam = body.adam_params as Record<"learning_rate" | "beta1" | "beta2" | "eps" | "weight_decay" | "grad_clip_norm", number>;
    const weights_K = Float32Array.from(pending.flatMap(({ weights }) => weights));
    loaded.pending = [];
    loaded.version += 1;
    this.steps += 1;
    const { gradNorm } = await model.update({
      batch: batchOf(pending.map(({ datum }) => datum)),
      // Cross-entropy: the sum of -weight x log-prob.
      objective: ({ logprobs_K }, { firstToken }) => ({
        logprobs_K: logprobs_K.map((_, k) => 0 - weights_K[firstToken + k]!),
        entropies_K: null,
        values_K: null,
      }),
      exactKlCoef: 0,
      optimizer: {
        ...{ kind: "adamw", learningRate: adam.learning_rate, beta1: adam.beta1, beta2: adam.beta2, eps: adam.eps },
        ...{ weightDecay: adam.weight_decay, maxGradNorm: adam.grad_clip_norm },
      },
      microBatchTokens: 2048,
    });
    return { metrics: { norm: gradNorm } };
  }

  async #sample(body: Body): Promise<unknown> {
    const session = String(body.sampling_session_id);
    const isOfBase = body.base_model !== undefined || this.#baseSessions.has(session);
    const model = isOfBase ? (await this.#newModel(1, 0)).model : this.#sampled(session);
    try {
      return await sampledOn(model, body as unknown as SampleInput);
    } finally {
      if (isOfBase) model.dispose();
    }
  }

  #remembered(sampler: { readonly modelId: string; readonly version: number }): string {
    const session = `sampling_${this.#boots}_${this.#ids++}`;
    this.#samplers.set(session, sampler);
    return session;
  }

  /** A sampling session of the base, or of weights that were saved for samplers. */
  #openSampler({ model_path: kept }: Body): string {
    if (typeof kept !== "string") return this.#remember(this.#baseSessions, "sampling_base");
    const sampler = this.#samplers.get(kept);
    if (!sampler) throw new Answered(404, "Checkpoint not found");
    return this.#remembered(sampler);
  }

  #sampled(session: string): Model {
    const sampler = this.#samplers.get(session);
    if (!sampler) throw new Answered(404, "Sampling session not found");
    const loaded = this.#model({ model_id: sampler.modelId });
    // The sampler's weights must be the trainer's: a run that forgot to hand them over would not be on-policy.
    if (loaded.version !== sampler.version) throw new Answered(400, "the sampler has older weights than the trainer");
    return loaded.model;
  }
}
