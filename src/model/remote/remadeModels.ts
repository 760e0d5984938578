// The models of a run on a server, made again where the server forgets them: what the policy is stands here, whatever the server does, as
// the weights that were last saved under a name and the updates since then (the journal). Where the server forgets the model, or an
// answer was lost and nobody knows whether a gradient was counted, the model is made again from the two. So no gradient counts twice
// and none is lost, whether or not the server can tell a second try from a second request.
import type { WeightSlot } from "../../rl/policy.ts";
import { type Sampled, sampleAnswer } from "./answers.ts";
import { type ServerClient, waitMs } from "./client.ts";
import { InDoubt, ModelForgotten, ServerAway } from "./failures.ts";
import { inParallel, type SampleBody } from "./remotePolicy.ts";
import { ServerModel, type Update } from "./serverModel.ts";
import { type AdapterRequest, ServerSession } from "./serverSession.ts";

/** Where the policy stands: saved weights, null for fresh adapters, and the updates after them. */
interface RemoteState {
  readonly path: string | null;
  readonly journal: readonly Update[];
  readonly steps: number;
}

/** What a run's models on a server are made from. */
export interface RemadeParts {
  readonly client: ServerClient;
  /** As the server calls it. */
  readonly baseModel: string;
  readonly adapter: AdapterRequest;
}

/** Owned state. */
export class RemadeModels {
  readonly #parts: RemadeParts;
  readonly #session: ServerSession;
  #state: RemoteState = { path: null, journal: [], steps: 0 };
  /** Made or being made: who asks meanwhile, as an evaluation beside a step does, waits for the same one. */
  #model: Promise<ServerModel> | null = null;
  /** One that is never stepped, which scores as the base does. */
  #base: ServerModel | null = null;
  /** Weights as the server samples from them, and its requests so far; null where those of now were not handed over yet. */
  #sampler: { readonly session: Promise<string>; requests: number } | null = null;
  #samplers = 0;

  constructor(parts: RemadeParts) {
    this.#parts = parts;
    this.#session = new ServerSession(parts.client);
  }

  get state(): RemoteState {
    return this.#state;
  }

  /** An update has been taken and stands from now on. */
  took(update: Update): void {
    const { path, journal, steps } = this.#state;
    this.#state = { path, journal: [...journal, update], steps: steps + 1 };
    this.#sampler = null;
  }

  /** The policy as it stands lies on the server under this path. */
  savedAt(path: string): void {
    this.#state = { path, journal: [], steps: this.#state.steps };
  }

  /** Where the policy is to stand; the model is made again when it is asked next. */
  restore(state: RemoteState): void {
    const { path, journal, steps } = this.#state;
    // Weights that were saved meanwhile are those of the updates before.
    const isSame = path === state.path && journal.length === state.journal.length && steps === state.steps;
    this.#state = state;
    if (!isSame) this.forgetPolicy();
  }

  /** Asks something of a model, which is made again where the server has forgotten it or is in doubt about it. */
  async withModel<T>(slot: WeightSlot, ask: (model: ServerModel) => Promise<T>): Promise<T> {
    const { client } = this.#parts;
    const begun = client.clock.now();
    for (let remakes = 0; ; remakes++) {
      const model = slot === "policy" ? this.#policyModel() : this.#baseModel();
      try {
        return await ask(await model);
      } catch (error) {
        if (!(error instanceof ModelForgotten || error instanceof InDoubt)) throw error;
        // Somebody else may have found out before, and be having it made again.
        if (slot === "reference" || this.#model === null || this.#model === model) {
          this.forgetPolicy();
          if (error instanceof ModelForgotten) this.#forgetSession();
        }
        await client.clock.sleep(waitMs(remakes));
        if (client.clock.now() - begun < client.patienceMs) continue;
        const message = `the server ${client.server.name} lost the model ${remakes + 1} times in a row (${error.message})`;
        throw new ServerAway(message, { cause: error });
      }
    }
  }

  #forgetSession(): void {
    this.#base = null;
    this.#session.forget();
  }

  async #newModel(): Promise<ServerModel> {
    const { client, baseModel, adapter } = this.#parts;
    return new ServerModel(await this.#session.createModel(baseModel, adapter), client);
  }

  #policyModel(): Promise<ServerModel> {
    if (this.#model) return this.#model;
    const making = this.#makePolicy();
    this.#model = making;
    making.catch(() => {
      if (this.#model === making) this.#model = null;
    });
    return making;
  }

  async #makePolicy(): Promise<ServerModel> {
    const { path, journal } = this.#state;
    const model = await this.#newModel();
    try {
      if (path !== null) await model.load(path);
      for (const update of journal) await model.apply(update);
    } catch (error) {
      void this.#session.unload(model.id);
      throw error;
    }
    return model;
  }

  /** The weights of now as the server samples from them, handed over once for all who ask. */
  #samplerOf(model: ServerModel) {
    if (this.#sampler) return this.#sampler;
    const sampler = { session: model.handOver(() => this.#samplers++), requests: 0 };
    this.#sampler = sampler;
    sampler.session.catch(() => {
      if (this.#sampler === sampler) this.#sampler = null;
    });
    return sampler;
  }

  async #baseModel(): Promise<ServerModel> {
    this.#base ??= await this.#newModel();
    return this.#base;
  }

  /** Samples with the weights of now, or with the base's. What is lost is asked for again with its seed. */
  async sample(slot: WeightSlot, bodies: readonly SampleBody[], onDone: (done: number) => void): Promise<readonly (readonly Sampled[])[]> {
    const { client, baseModel } = this.#parts;
    const sampleAll = (source: () => object) => {
      let done = 0;
      return inParallel(bodies, async (body) => {
        const { sequences } = await client.compute("asample", { ...body, ...source(), type: "sample" }, sampleAnswer);
        done += 1;
        onDone(done);
        return sequences;
      });
    };
    if (slot === "reference") return sampleAll(() => ({ base_model: baseModel }));
    return this.withModel("policy", async (model) => {
      const sampler = this.#samplerOf(model);
      const session = await sampler.session;
      return sampleAll(() => ({ sampling_session_id: session, seq_id: sampler.requests++ }));
    });
  }

  /** The model is good for nothing any more. */
  forgetPolicy(): void {
    this.#model?.then(
      ({ id }) => this.#session.unload(id),
      () => {},
    );
    this.#model = null;
    this.#sampler = null;
  }

  async dropBase(): Promise<void> {
    if (this.#base) await this.#session.unload(this.#base.id);
    this.#base = null;
  }

  dispose(): void {
    this.forgetPolicy();
    void this.dropBase();
    this.#session.end();
  }
}
