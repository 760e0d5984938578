// One model as a server has it, from its making to its end. Its requests are numbered in order, as the API wants them;
// the number stays with a request at each try.
import type { OptimizerStep } from "../backend.ts";
import type { WholeSequence } from "../wholeSequences.ts";
import { anything, passAnswer, sampleAnswer, samplerAnswer, savedAnswer, stepAnswer } from "./answers.ts";
import type { CallOptions, ServerClient } from "./client.ts";
import { InDoubt, ModelForgotten, ServerRefused } from "./failures.ts";
import type { lossOf } from "./loss/knownLoss.ts";
import { inParallel, promptBody } from "./remotePolicy.ts";
import { type Datum, datumOf, inRuns } from "./sequences.ts";

/** Tokens of one request's sequences. */
const MOST_TOKENS = 32_768;

/** One update as it can be taken again. */
export interface Update {
  readonly data: readonly Datum[];
  /** The loss over them, as a request names it; cross-entropy with weights where left out. */
  readonly loss?: ReturnType<typeof lossOf>;
  readonly optimizer: OptimizerStep;
}

/** What a model says of each sequence: log-probs of all its targets. */
export type Outputs = readonly (readonly number[])[];

const CROSS_ENTROPY = { loss_fn: "cross_entropy" } as const;

const tokensOf = ({ loss_fn_inputs }: Datum): number => loss_fn_inputs.target_tokens.data.length;

/** Owned state. */
export class ServerModel {
  readonly id: string;
  readonly #client: ServerClient;
  #requests = 0;

  constructor(id: string, client: ServerClient) {
    this.id = id;
    this.#client = client;
  }

  #numbered(body: object): object {
    this.#requests += 1;
    return { model_id: this.id, ...body, seq_id: this.#requests };
  }

  /** What a request that moves the model carries: its number says which one it is, whatever the server makes of keys. */
  #moving(body: object): readonly [object, CallOptions] {
    const numbered = this.#numbered(body);
    return [numbered, { moves: true, idempotencyKey: `${this.id}-${this.#requests}` }];
  }

  /** Log-probs of all targets of each sequence. */
  async forward(sequences: readonly WholeSequence[]): Promise<Outputs> {
    const runs = inRuns(sequences, ({ tokens }) => tokens.length, MOST_TOKENS);
    const outputs = await inParallel(runs, (run) => {
      const data = run.map((sequence) => datumOf(sequence, null));
      return this.#client.compute("forward", this.#numbered({ forward_input: { data, loss_fn: "cross_entropy" } }), passAnswer);
    });
    return outputs.flatMap(({ loss_fn_outputs }) => loss_fn_outputs.map(({ logprobs }) => logprobs.data));
  }

  /**
   * The gradient of an update and its optimizer step; what the server tells of the step. A model that this throws for, or
   * whose step was not wanted, is good for nothing any more.
   * @param isWanted is shown what the policy said before the step; where it is not wanted, none is taken, and null comes back
   */
  async apply(
    { data, loss = CROSS_ENTROPY, optimizer }: Update,
    isWanted: (outputs: Outputs) => boolean = () => true,
  ): Promise<Readonly<Record<string, number>> | null> {
    const outputs: (readonly number[])[] = [];
    for (const run of inRuns(data, tokensOf, MOST_TOKENS)) {
      const [body, options] = this.#moving({ forward_backward_input: { data: run, ...loss } });
      const { loss_fn_outputs } = await this.#client.compute("forward_backward", body, passAnswer, options);
      outputs.push(...loss_fn_outputs.map(({ logprobs }) => logprobs.data));
    }
    if (!isWanted(outputs)) return null;
    const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = optimizer;
    const adam = { learning_rate: learningRate, beta1, beta2, eps, weight_decay: weightDecay, grad_clip_norm: maxGradNorm };
    const [body, options] = this.#moving({ adam_params: adam, type: "optim_step" });
    const { metrics } = await this.#client.compute("optim_step", body, stepAnswer, options);
    return Object.fromEntries(Object.entries(metrics ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number"));
  }

  /**
   * Keeps weights and moments on the server; where they lie.
   * @param nameOf makes a name for each try: one that was taken and not heard of stands in no other's way.
   */
  async save(nameOf: () => string): Promise<string> {
    const { path } = await this.#heard(() =>
      this.#client.compute("save_weights", this.#numbered({ path: nameOf(), type: "save_weights" }), savedAnswer, { moves: true }),
    );
    return path;
  }

  /** Gives the sampler the weights of now; what its session is called. @param nextSession numbers the sampling sessions. */
  async handOver(nextSession: () => number): Promise<string> {
    const { sampling_session_id: session } = await this.#heard(() => {
      const body = this.#numbered({ sampling_session_seq_id: nextSession(), type: "save_weights_for_sampler" });
      return this.#client.compute("save_weights_for_sampler", body, samplerAnswer, { moves: true });
    });
    if (!session) throw new ServerRefused(`the server ${this.#client.server.name} opened no sampling session`);
    return session;
  }

  /** Asks until an answer is heard, as something new each time; in between the server has to be there. */
  async #heard<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof InDoubt) || tries === MOST_TRIES) throw error;
        await this.#client.call("GET", "healthz", undefined, anything);
      }
    }
  }

  /** Takes saved weights and moments; only as the model's first request. */
  async load(path: string): Promise<void> {
    const body = this.#numbered({ path, optimizer: true, type: "load_weights" });
    await this.#client.compute("load_weights", body, anything, { moves: true }).catch((error: unknown) => {
      // Another model would not find weights that are gone either.
      if (!(error instanceof ModelForgotten) || !/checkpoint/i.test(error.message)) throw error;
      throw new ServerRefused(`the server ${this.#client.server.name} does not have the weights ${path} any more`, { cause: error });
    });
  }

  /** Whether the server counts two tries of one request as one; nothing moves. */
  async countsOnce(token: number): Promise<boolean> {
    const sequence: WholeSequence = { tokens: [token], targets: [token], places: Int32Array.of(0), firstScore: 0 };
    const body = this.#numbered({ forward_input: { data: [datumOf(sequence, null)], loss_fn: "cross_entropy" } });
    const options = { idempotencyKey: `${this.id}-${this.#requests}` };
    const ids = [await this.#client.submit("forward", body, options), await this.#client.submit("forward", body, options)];
    for (const id of ids) await this.#client.result("forward", id, passAnswer, false);
    return ids[0] === ids[1];
  }
}

const MOST_TRIES = 5;

/** Log-probs that the base gives each sequence, as those of a prompt after which one token is sampled and thrown away. */
export async function promptScores(client: ServerClient, baseModel: string, sequences: readonly WholeSequence[]): Promise<Outputs> {
  return inParallel(sequences, async ({ tokens, targets }) => {
    const body = { ...promptBody([...tokens, targets.at(-1)!]), base_model: baseModel, prompt_logprobs: true, type: "sample" };
    const { prompt_logprobs: told } = await client.compute("asample", body, sampleAnswer);
    // The first token has none; some servers leave it out, others say null.
    const logprobs = told?.slice(told.length - targets.length) ?? [];
    if (logprobs.length < targets.length || logprobs.includes(null))
      throw new ServerRefused(`the server ${client.server.name} tells no log-probs of a prompt: choose serverReference "model"`);
    return logprobs as readonly number[];
  });
}
