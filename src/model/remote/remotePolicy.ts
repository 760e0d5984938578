// Sampling on a server. A sequence is its tokens alone: the server keeps what it likes of keys and values. All sequences of a
// prompt that have said nothing yet are one request; later each is one of its own, and many are open at once, since a server
// computes together what it finds waiting. The lab's own draws become seeds, so that a run's generator stands where it would here.
import {
  emptyResult,
  type OpenRequest,
  type OpenSequences,
  type PartialSample,
  type Policy,
  slotsOf,
  type TurnRequest,
  type WeightSlot,
} from "../../rl/policy.ts";
import type { Sampled } from "./answers.ts";
import { ServerRefused } from "./failures.ts";

/** Requests that wait for their answers at once. */
const MOST_OPEN = 64;
/** Seeds are 31 bits; copies of a prompt count up from theirs. */
const SEEDS = 2 ** 31 - 2 ** 16;

/** A request for turns of one sequence so far. */
export interface SampleBody {
  readonly prompt: { readonly chunks: readonly { readonly type: "encoded_text"; readonly tokens: readonly number[] }[] };
  readonly num_samples: number;
  readonly sampling_params: {
    readonly max_tokens: number;
    readonly temperature: number;
    readonly top_k: number;
    readonly top_p: number;
    readonly stop: readonly number[];
    readonly seed: number;
  };
}

/** Sends requests for turns that one of the slots takes, with the weights of now. */
export type Sampler = (
  slot: WeightSlot,
  bodies: readonly SampleBody[],
  onDone: (done: number) => void,
) => Promise<readonly (readonly Sampled[])[]>;

/** Runs so many at once, in order of their beginning. */
export async function inParallel<T, R>(items: readonly T[], run: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_OPEN, items.length) }, work));
  return results;
}

/** Sequences of a turn that are one request: those of a prompt which have said nothing yet. */
interface Shared {
  readonly tokens: readonly number[];
  readonly rows: number[];
  readonly seed: number;
}

class RemoteSequences implements OpenSequences {
  readonly #sample: Sampler;
  readonly #tokens_B: (readonly number[])[];
  readonly #slots: readonly WeightSlot[];

  constructor(sample: Sampler, request: OpenRequest) {
    const { prompts, promptOf_B } = request;
    if (prompts.some(({ length }) => length === 0)) throw new Error("a prompt must have at least one token");
    this.#sample = sample;
    this.#tokens_B = Array.from(promptOf_B, (p) => prompts[p]!);
    this.#slots = slotsOf(request);
  }

  extend(sequence: number, tokens: readonly number[]): void {
    this.#tokens_B[sequence] = [...this.#tokens_B[sequence]!, ...tokens];
  }

  async sample(request: TurnRequest): Promise<PartialSample> {
    const { sequences_B, slot = "policy", maxNewTokens, onProgress } = request;
    if (!this.#slots.includes(slot)) throw new Error(`internal: these sequences were not opened for the ${slot}`);
    const shared = this.#sharedOf(request);
    const result = { ...emptyResult(sequences_B.length, maxNewTokens), entropies_BT: null };
    const bodies = shared.map(({ tokens, rows, seed }) => bodyOf(tokens, rows.length, seed, request));
    const answers = await this.#sample(slot, bodies, (done) =>
      onProgress?.(Math.floor((done * maxNewTokens) / bodies.length), maxNewTokens),
    );
    for (const [i, { rows }] of shared.entries())
      for (const [copy, row] of rows.entries()) {
        const sampled = answers[i]![copy];
        if (!sampled)
          throw new ServerRefused(`the server sent ${answers[i]!.length} completions of a prompt where ${rows.length} were asked for`);
        putTurn(result, row, sampled, request);
        const sequence = sequences_B[row]!;
        this.#tokens_B[sequence] = [...this.#tokens_B[sequence]!, ...sampled.tokens];
      }
    return result;
  }

  #sharedOf({ sequences_B, maxNewTokens, uniforms_BT }: TurnRequest): readonly Shared[] {
    const shared: Shared[] = [];
    for (const [row, sequence] of sequences_B.entries()) {
      const tokens = this.#tokens_B[sequence]!;
      // Those that have said nothing yet still have their prompt's very list.
      const before = shared.find((one) => one.tokens === tokens);
      if (before) before.rows.push(row);
      else shared.push({ tokens, rows: [row], seed: Math.floor(uniforms_BT[row * maxNewTokens]! * SEEDS) });
    }
    return shared;
  }

  close(): void {
    this.#tokens_B.length = 0;
  }
}

/** A request for nothing but what a prompt is likely to be: one token has to be sampled. */
export function promptBody(tokens: readonly number[]): SampleBody {
  const params = { max_tokens: 1, temperature: 1, top_k: -1, top_p: 1, stop: [], seed: 0 };
  return { prompt: { chunks: [{ type: "encoded_text", tokens }] }, num_samples: 1, sampling_params: params };
}

function bodyOf(tokens: readonly number[], copies: number, seed: number, turn: TurnRequest): SampleBody {
  const { maxNewTokens, temperature, topK, topP, stopTokens } = turn;
  return {
    prompt: { chunks: [{ type: "encoded_text", tokens }] },
    num_samples: copies,
    sampling_params: { max_tokens: maxNewTokens, temperature, top_k: topK === 0 ? -1 : topK, top_p: topP, stop: stopTokens, seed },
  };
}

/** Writes what was sampled into its row. */
function putTurn(
  { tokens_BT, lengths_B, logprobs_BT, stopped_B }: PartialSample,
  row: number,
  { tokens, logprobs }: Sampled,
  turn: TurnRequest,
): void {
  const { maxNewTokens: T, stopTokens } = turn;
  if (tokens.length === 0 || tokens.length > T)
    throw new ServerRefused(`the server sent a completion of ${tokens.length} tokens where 1 to ${T} were asked for`);
  if (logprobs?.length !== tokens.length) throw new ServerRefused("the server sent no log-prob for each token that it sampled");
  tokens_BT.set(tokens, row * T);
  logprobs_BT.set(logprobs, row * T);
  lengths_B[row] = tokens.length;
  stopped_B[row] = stopTokens.includes(tokens.at(-1)!) ? 1 : 0;
}

/** A policy on a server. */
export function remotePolicy(maxPositions: number, sample: Sampler): Policy {
  return { maxPositions, open: (request) => new RemoteSequences(sample, request) };
}
