// A small server of the project's own engine that speaks the Tinker API, in this process, with faults on order. Saved weights outlive a restart,
// all else is forgotten. The same requests in the same order give the same bits.
import type { Model, ModelState } from "../../src/model/model.ts";
import { modelHere } from "../../src/model/model.ts";
import type { ModelServer, ServerAnswer, ServerRequest } from "../../src/model/remote/server.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { Random } from "../../src/rl/random.ts";
import { planRun, prepareRun } from "../../src/train/run/start.ts";
import { createNodeHost } from "./nodeHost.ts";
import { batchOf, type Datum, divided, NO_CLIP, type Pending, weightsOf } from "./tinkerLosses.ts";
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
  /** What it calls its model. */
  readonly offers?: string;
}

type Body = Readonly<Record<string, unknown>>;
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

  async send(request: ServerRequest): Promise<ServerAnswer> {
    // What a server reads was JSON on its way.
    const received = JSON.parse(JSON.stringify(request)) as ServerRequest;
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
    if (fault === "doubled") await this.#answer(received);
    const answer = await this.#answer(received);
    if (fault === "lost answer") throw new Error("connection reset");
    return JSON.parse(JSON.stringify(answer)) as ServerAnswer;
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
  }

  close(): void {
    this.#forget();
  }

  async #answer({ path, body, idempotencyKey }: ServerRequest): Promise<ServerAnswer> {
    const key = this.#options.countsOnce && idempotencyKey ? `${path} ${idempotencyKey}` : null;
    if (key !== null && this.#keys.has(key)) return { status: 200, body: this.#keys.get(key) };
    try {
      const answer = await this.#handle(path, (body ?? {}) as Body);
      if (key !== null) this.#keys.set(key, answer);
      return { status: 200, body: answer };
    } catch (error) {
      if (error instanceof Answered) return error.answer;
      throw error;
    }
  }

  async #handle(path: string, body: Body): Promise<unknown> {
    if (path === "healthz") return { status: "ok" };
    if (path === "get_server_capabilities")
      return { supported_models: [{ model_name: this.#options.offers ?? `/models/${this.checkpoint}` }] };
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
    return { request_id, ...(path === "create_model" ? { model_id: (computed as { model_id: string }).model_id } : {}) };
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
      const outputs = await this.#logprobs(model, data);
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
      const sampling_session_id = `sampling_${this.#boots}_${this.#ids++}`;
      this.#samplers.set(sampling_session_id, { modelId: String(body.model_id), version: loaded.version });
      return { path: null, type: "save_weights_for_sampler", sampling_session_id };
    }
    throw new Answered(404, `no such call: ${path}`);
  }

  async #logprobs(model: Model, data: readonly Datum[]) {
    const batch = batchOf(data);
    const { logprobs_K } = await model.score(batch, "policy");
    return data.map((_, q) => ({
      logprobs: { data: Array.from(logprobs_K.subarray(batch.sequenceStart_Q[q], batch.sequenceStart_Q[q + 1])) },
    }));
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
    const params = body.sampling_params as Record<"max_tokens" | "temperature" | "top_k" | "top_p" | "seed", number> & {
      readonly stop: readonly number[];
    };
    const copies = Number(body.num_samples);
    const prompt = (body.prompt as Datum["model_input"]).chunks.flatMap(({ tokens }) => tokens);
    const model = body.base_model === undefined ? this.#sampled(String(body.sampling_session_id)) : (await this.#newModel(1, 0)).model;
    if (body.prompt_logprobs === true) return this.#promptLogprobs(model, prompt);
    const sequences = model.policy().open({ prompts: [prompt], promptOf_B: new Int32Array(copies), expectedTokens: params.max_tokens });
    try {
      const T = params.max_tokens;
      const uniforms_BT = new Float32Array(copies * T);
      for (let copy = 0; copy < copies; copy++) {
        const random = new Random(params.seed + copy);
        for (let t = 0; t < T; t++) uniforms_BT[copy * T + t] = random.uniform();
      }
      const { tokens_BT, logprobs_BT, lengths_B, stopped_B } = await sequences.sample({
        ...{ sequences_B: Int32Array.from({ length: copies }, (_, b) => b), maxNewTokens: T, temperature: params.temperature },
        ...{ topK: Math.max(0, params.top_k), topP: params.top_p, minP: 0, stopTokens: params.stop, uniforms_BT },
      });
      const row = (values: Int32Array | Float32Array, b: number) => Array.from(values.subarray(b * T, b * T + lengths_B[b]!));
      return {
        sequences: Array.from(lengths_B, (_, b) => ({
          ...{ tokens: row(tokens_BT, b), logprobs: row(logprobs_BT, b), stop_reason: stopped_B[b] === 1 ? "stop" : "length" },
        })),
      };
    } finally {
      sequences.close();
      if (body.base_model !== undefined) (model as Model).dispose();
    }
  }

  /** Log-probs of a prompt, of which the first token has none. */
  async #promptLogprobs(model: Model, prompt: readonly number[]): Promise<unknown> {
    const [first = 0, ...rest] = prompt;
    const target_tokens = { data: rest };
    const datum: Datum = { model_input: { chunks: [{ tokens: [first, ...rest.slice(0, -1)] }] }, loss_fn_inputs: { target_tokens } };
    const [output] = await this.#logprobs(model, [datum]);
    model.dispose();
    return { sequences: [{ tokens: [first], logprobs: [0], stop_reason: "length" }], prompt_logprobs: [null, ...output!.logprobs.data] };
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
