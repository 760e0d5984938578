// Trains a model on a server that speaks the Tinker API, with the lab's own objective. The server is asked for
// log-probs (forward), the objective gives its derivative with respect to them, and the server takes cross-entropy with
// minus that derivative as its weights: the loss is the sum of -weight x log-prob, so the gradient is the objective's.
// What is sent to a server that divides by something is in loss/summing.ts. remadeModels.ts keeps where the policy
// stands, and makes it again where the server has forgotten it.
import type { ModelReport } from "../../protocol/messages.ts";
import { Recoverable } from "../../protocol/problems.ts";
import type { Policy, WeightSlot } from "../../rl/policy.ts";
import type { PackedBatch, PartialScores } from "../backend.ts";
import type { AnyModel, GradientRequest, ModelSight, PartialUpdate, StateElsewhere, UpdateRequest } from "../model.ts";
import { wholeSequences } from "../wholeSequences.ts";
import { agree, derived, knownDatum, knownSlopes, lossOf } from "./loss/knownLoss.ts";
import { evened, sumsLosses, weighted } from "./loss/summing.ts";
import { RemadeModels, type RemadeParts } from "./remadeModels.ts";
import { remotePolicy } from "./remotePolicy.ts";
import { scoresOf } from "./sequences.ts";
import { type Outputs, promptScores, type Update } from "./serverModel.ts";

/** Updates after which the server saves the weights, so that no more than these are ever taken again. */
const LONGEST_JOURNAL = 4;

interface RemoteModelParts extends RemadeParts {
  /** How the base, which is the reference, is scored: by adapters beside it that are never stepped, or as the log-probs of a prompt. */
  readonly reference: "model" | "prompt";
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
  readonly #models: RemadeModels;
  readonly #policy: Policy;
  #usesReference = false;
  /** Whether the server's loss of a sequence is the sum over its tokens. */
  #sums = true;
  #saveCount = 0;

  constructor(parts: RemoteModelParts) {
    this.report = parts.report;
    this.#parts = parts;
    this.#models = new RemadeModels(parts);
    this.#policy = remotePolicy(parts.maxPositions, (slot, bodies, onDone) => this.#models.sample(slot, bodies, onDone));
  }

  /** Sees that the server has the model, and how it takes a second try, so that what is wrong is said before a run begins. */
  async prepare(): Promise<void> {
    this.#parts.client.countsOnce = await this.#models.withModel("policy", (model) => model.countsOnce(0));
    this.#sums = await this.#models.withModel("policy", (model) => sumsLosses(model, 0));
    this.#models.forgetPolicy();
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
    await this.#models.dropBase();
  }

  async score(batch: PackedBatch, slot: WeightSlot): Promise<PartialScores> {
    const sequences = wholeSequences(batch);
    const byPrompt = slot === "reference" && this.#parts.reference === "prompt";
    const outputs = byPrompt
      ? await promptScores(this.#parts.client, this.#parts.baseModel, sequences)
      : await this.#models.withModel(slot, (model) => model.forward(sequences));
    return scoresOf(sequences, outputs, batch.scoreTarget_K.length);
  }

  async update(request: UpdateRequest): Promise<PartialUpdate> {
    const { batch, optimizer } = request;
    const sequences = wholeSequences(batch);
    // A server that divides by the sum of the weights ruins signed ones (loss/summing.ts).
    const known = this.#sums || request.known?.name !== "cross_entropy" ? request.known : undefined;
    let seen = known ? null : await this.#objective(request);
    let told: PartialUpdate["told"] | null = null;
    if (known) {
      const data = this.#sums ? sequences.map((sequence) => knownDatum(sequence, known)) : evened(sequences, known);
      told = await this.#take({ data, loss: lossOf(known), optimizer }, (outputs) => {
        // A model that is made again says the same, and the objective counts what it is shown.
        seen ??= derived(request, scoresOf(sequences, outputs, batch.scoreTarget_K.length));
        const weights_K = knownSlopes(known, seen.scores.logprobs_K).map((slope) => 0 - slope);
        return agree(seen.weights_K, weights_K);
      });
    }
    const { scores, weights_K } = seen!;
    // What a server calls by a name may not be the objective.
    told ??= await this.#take({ ...weighted(sequences, scores, weights_K, this.#sums), optimizer });
    return { scores, gradNorm: null, exactKlNats: null, ...(told ? { told } : {}) };
  }

  /** Takes an update, which stands from then on, and what the server tells of it; null where it was not wanted. */
  async #take(update: Update, isWanted?: (outputs: Outputs) => boolean): Promise<PartialUpdate["told"] | null> {
    let told: PartialUpdate["told"] | null = null;
    try {
      told = await this.#models.withModel("policy", (model) => model.apply(update, isWanted));
    } finally {
      // It may hold a gradient that was not stepped with.
      if (!told) this.#models.forgetPolicy();
    }
    if (!told) return null;
    this.#models.took(update);
    await this.#saveIfJournalIsLong();
    return told;
  }

  /** Has the server save the weights where much would have to be taken again. The update stands, whatever comes of it. */
  async #saveIfJournalIsLong(): Promise<void> {
    if (this.#models.state.journal.length < LONGEST_JOURNAL) return;
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
    const { path, journal, steps } = this.#models.state;
    if (path !== null && journal.length === 0) return { path, optimizerSteps: steps };
    const nameOf = () => `${this.#parts.prefix}-${steps}-${this.#saveCount++}`;
    const saved = await this.#models.withModel("policy", (model) => model.save(nameOf));
    this.#models.savedAt(saved);
    return { path: saved, optimizerSteps: steps };
  }

  async hold(): Promise<() => Promise<void>> {
    const state = this.#models.state;
    const usesReference = this.#usesReference;
    return async () => {
      this.#models.restore(state);
      this.#usesReference = usesReference;
    };
  }

  async load({ path, optimizerSteps }: StateElsewhere): Promise<void> {
    this.#models.restore({ path, journal: [], steps: optimizerSteps });
  }

  async withReference<T>(): Promise<T> {
    throw new Error("internal: the reference of a model on a server is its base");
  }

  async exportFiles(): Promise<null> {
    return null;
  }

  dispose(): void {
    this.#models.dispose();
  }
}
