// A model on a server that speaks the Tinker API, as the trainer has any other: it is sampled, scored and updated with the lab's own objective. The
// server is asked for the log-probs (forward), the objective makes their derivative here, and cross-entropy with minus that derivative as
// its weights has exactly this gradient, since its loss is the sum of -weight x log-prob; summing.ts has what is sent where it is not.
//
// What the policy is stands here, whatever the server does: the weights that it last saved under a name, and the updates since then (the journal).
// Where it forgets the model, or an answer was lost and nobody knows whether a gradient was counted, the model is made again from
// the two. So no gradient counts twice and none is lost, whether or not the server can tell a second try from a second request.
import type { ModelReport } from "../../protocol/messages.ts";
import { Recoverable } from "../../protocol/problems.ts";
import type { Policy, WeightSlot } from "../../rl/policy.ts";
import type { PackedBatch, PartialScores } from "../backend.ts";
import type { AnyModel, GradientRequest, ModelSight, PartialUpdate, StateElsewhere, UpdateRequest } from "../model.ts";
import { type Sampled, sampleAnswer } from "./answers.ts";
import { type ServerClient, waitMs } from "./client.ts";
import { InDoubt, ModelForgotten, ServerAway } from "./failures.ts";
import { agree, derived, knownDatum, knownSlopes, lossOf } from "./knownLoss.ts";
import { inParallel, remotePolicy, type SampleBody } from "./remotePolicy.ts";
import { scoresOf, wholeSequences } from "./sequences.ts";
import { type Outputs, promptScores, ServerModel, type Update } from "./serverModel.ts";
import { type AdapterRequest, ServerSession } from "./serverSession.ts";
import { evened, sumsLosses, weighted } from "./summing.ts";

/** Updates after which the server saves the weights, so that no more than these are ever taken again. */
const LONGEST_JOURNAL = 4;

/** Where the policy stands: saved weights, null for fresh adapters, and the updates after them. */
interface RemoteState {
  readonly path: string | null;
  readonly journal: readonly Update[];
  readonly steps: number;
}

export interface RemoteModelParts {
  readonly client: ServerClient;
  /** As the server calls it. */
  readonly baseModel: string;
  /** How the base, which is the reference, is scored: by adapters beside it that are never stepped, or as the log-probs of a prompt. */
  readonly reference: "model" | "prompt";
  readonly adapter: AdapterRequest;
  readonly report: ModelReport;
  readonly maxPositions: number;
  /** Begins the names under which the server keeps weights. */
  readonly prefix: string;
}

/** Owned state. */
export class RemoteModel implements AnyModel<StateElsewhere> {
  readonly report: ModelReport;
  readonly sight: ModelSight = { vocabulary: false, weights: false };
  readonly #parts: RemoteModelParts;
  readonly #session: ServerSession;
  readonly #policy: Policy;
  #state: RemoteState = { path: null, journal: [], steps: 0 };
  #model: ServerModel | null = null;
  /** One that is never stepped, which scores as the base does. */
  #base: ServerModel | null = null;
  #usesReference = false;
  /** Whether the server's loss of a sequence is the sum over its tokens. */
  #sums = true;
  /** Weights as the server samples from them, and its requests so far; null where those of now were not handed over yet. */
  #sampler: { readonly session: string; requests: number } | null = null;
  #saves = 0;
  #samplers = 0;

  constructor(parts: RemoteModelParts) {
    this.report = parts.report;
    this.#parts = parts;
    this.#session = new ServerSession(parts.client);
    this.#policy = remotePolicy(parts.maxPositions, (slot, bodies, onDone) => this.#sample(slot, bodies, onDone));
  }

  /** Sees that the server has the model, and how it takes a second try, so that what is wrong is said before a run begins. */
  async prepare(): Promise<void> {
    this.#parts.client.countsOnce = await this.#withModel("policy", (model) => model.countsOnce(0));
    this.#sums = await this.#withModel("policy", (model) => sumsLosses(model, 0));
    this.#forgetModel();
    await this.save();
  }

  policy(): Policy {
    return this.#policy;
  }

  hasReference(): boolean {
    return this.#usesReference;
  }

  /** The reference is the base, with which every run on a server begins: it is always there, and never another. */
  async refreshReference(): Promise<void> {
    this.#usesReference = true;
  }

  async dropReference(): Promise<void> {
    this.#usesReference = false;
    if (this.#base) await this.#session.unload(this.#base.id);
    this.#base = null;
  }

  async score(batch: PackedBatch, slot: WeightSlot): Promise<PartialScores> {
    const sequences = wholeSequences(batch);
    const byPrompt = slot === "reference" && this.#parts.reference === "prompt";
    const outputs = byPrompt
      ? await promptScores(this.#parts.client, this.#parts.baseModel, sequences)
      : await this.#withModel(slot, (model) => model.forward(sequences));
    return scoresOf(sequences, outputs, batch.scoreTarget_K.length);
  }

  async update(request: UpdateRequest): Promise<PartialUpdate> {
    const { batch, optimizer } = request;
    const sequences = wholeSequences(batch);
    // Weights with signs are ruined where they are divided by their sum.
    const known = this.#sums || request.known?.name !== "cross_entropy" ? request.known : undefined;
    let seen = known ? null : await this.#objective(request);
    if (known) {
      const data = this.#sums ? sequences.map((sequence) => knownDatum(sequence, known)) : evened(sequences, known);
      const update: Update = { data, loss: lossOf(known), optimizer };
      const look = (outputs: Outputs) => {
        // A model that is made again says the same, and the objective counts what it is shown.
        seen ??= derived(request, scoresOf(sequences, outputs, batch.scoreTarget_K.length));
        if (
          !agree(
            seen.weights_K,
            knownSlopes(known, seen.scores.logprobs_K).map((slope) => 0 - slope),
          )
        )
          throw new OtherLoss();
      };
      try {
        return await this.#take(update, look, () => seen!.scores);
      } catch (error) {
        if (!(error instanceof OtherLoss)) throw error;
      }
    }
    const { scores, weights_K } = seen!;
    return this.#take({ ...weighted(sequences, scores, weights_K, this.#sums), optimizer }, undefined, () => scores);
  }

  /** Takes an update that stands from then on. */
  async #take(update: Update, look: ((outputs: Outputs) => void) | undefined, scores: () => PartialScores): Promise<PartialUpdate> {
    let told: PartialUpdate["told"];
    try {
      told = await this.#withModel("policy", (model) => model.apply(update, look));
    } catch (error) {
      // It may hold a gradient that was not stepped with.
      this.#forgetModel();
      throw error;
    }
    const { path, journal, steps } = this.#state;
    this.#state = { path, journal: [...journal, update], steps: steps + 1 };
    this.#sampler = null;
    await this.#shorten();
    return { scores: scores(), gradNorm: null, exactKlNats: null, ...(told ? { told } : {}) };
  }

  /** Has the server save the weights where much would have to be taken again. The update stands, whatever comes of it. */
  async #shorten(): Promise<void> {
    if (this.#state.journal.length < LONGEST_JOURNAL) return;
    try {
      await this.save();
    } catch (error) {
      if (!(error instanceof Recoverable)) throw error;
    }
  }

  async gradient(request: GradientRequest): Promise<null> {
    await this.#objective(request);
    return null;
  }

  /** What the policy says of a batch, and minus the derivative that the objective makes of it. */
  async #objective(request: GradientRequest) {
    return derived(request, await this.score(request.batch, "policy"));
  }

  async save(): Promise<StateElsewhere> {
    const { path, journal, steps } = this.#state;
    if (path !== null && journal.length === 0) return { path, optimizerSteps: steps };
    const nameOf = () => `${this.#parts.prefix}-${steps}-${this.#saves++}`;
    const saved = await this.#withModel("policy", (model) => model.save(nameOf));
    this.#state = { path: saved, journal: [], steps };
    return { path: saved, optimizerSteps: steps };
  }

  async hold(): Promise<() => Promise<void>> {
    const [state, usesReference] = [this.#state, this.#usesReference];
    return async () => {
      this.#restore(state);
      this.#usesReference = usesReference;
    };
  }

  async load({ path, optimizerSteps }: StateElsewhere): Promise<void> {
    this.#restore({ path, journal: [], steps: optimizerSteps });
  }

  /** Where the policy is to stand; the model is made again when it is asked next. */
  #restore(state: RemoteState): void {
    const { path, journal, steps } = this.#state;
    // Weights that were saved meanwhile are those of the updates before.
    const isSame = path === state.path && journal.length === state.journal.length && steps === state.steps;
    this.#state = state;
    if (!isSame) this.#forgetModel();
  }

  async withReference<T>(): Promise<T> {
    throw new Error("internal: the reference of a model on a server is its base");
  }

  async exportFiles(): Promise<null> {
    return null;
  }

  dispose(): void {
    for (const model of [this.#model, this.#base]) if (model) void this.#session.unload(model.id);
    this.#session.end();
  }

  #forgetModel(): void {
    if (this.#model) void this.#session.unload(this.#model.id);
    this.#model = null;
    this.#sampler = null;
  }

  /** Asks something of a model, which is made again where the server has forgotten it or is in doubt about it. */
  async #withModel<T>(slot: WeightSlot, ask: (model: ServerModel) => Promise<T>): Promise<T> {
    const { client } = this.#parts;
    const begun = client.clock.now();
    for (let remakes = 0; ; remakes++) {
      try {
        return await ask(slot === "policy" ? await this.#policyModel() : await this.#baseModel());
      } catch (error) {
        if (!(error instanceof ModelForgotten || error instanceof InDoubt)) throw error;
        this.#forgetModel();
        if (error instanceof ModelForgotten) this.#forgetSession();
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

  async #policyModel(): Promise<ServerModel> {
    if (this.#model) return this.#model;
    const { path, journal } = this.#state;
    const model = await this.#newModel();
    try {
      if (path !== null) await model.load(path);
      for (const update of journal) await model.apply(update);
    } catch (error) {
      void this.#session.unload(model.id);
      throw error;
    }
    this.#model = model;
    return model;
  }

  async #baseModel(): Promise<ServerModel> {
    this.#base ??= await this.#newModel();
    return this.#base;
  }

  /** Samples with the weights of now, or with the base's. What is lost is asked for again with its seed. */
  async #sample(slot: WeightSlot, bodies: readonly SampleBody[], onDone: (done: number) => void): Promise<readonly (readonly Sampled[])[]> {
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
    return this.#withModel("policy", async (model) => {
      this.#sampler ??= { session: await model.handOver(() => this.#samplers++), requests: 0 };
      const sampler = this.#sampler;
      return sampleAll(() => ({ sampling_session_id: sampler.session, seq_id: sampler.requests++ }));
    });
  }
}

/** What a server calls by a name is not the objective. */
class OtherLoss extends Error {}
