// Samples open sequences wave by wave where keys and values of all of them together would take too much
// memory. A sequence's tokens depend on no other sequence, so the cut changes no result; only where
// conversations go on over several turns does it cost time: a wave's keys and values make room for the
// next one's, and are worked out again from the tokens when its turn comes.
import { emptyResult, type OpenRequest, type SampleResult, type TurnRequest } from "../rl/policy.ts";
import { cutSpans, type Span } from "./backend.ts";
import type { Sampler } from "./openSequences.ts";

/** What the sequences of one wave may take, in bytes: far more than fits a processor's caches, so that larger ones would be no faster. */
export const WAVE_BYTES = 512 * 2 ** 20;

/** What each prompt and each of its sequences take while a wave is sampled. */
export interface WaveSizes {
  readonly promptBytes: number;
  readonly sequenceBytes: number;
}

/** The longest spans of sequences that fit together, one sequence at least. */
export function cutSequences(promptOf_B: Int32Array, { promptBytes, sequenceBytes }: WaveSizes): readonly Span[] {
  const promptsOf = (first: number, last: number) => promptOf_B[last - 1]! - promptOf_B[first]! + 1;
  const bytesOf = (first: number, last: number) => promptsOf(first, last) * promptBytes + (last - first) * sequenceBytes;
  return cutSpans(promptOf_B.length, (first, last) => bytesOf(first, last) <= WAVE_BYTES);
}

/**
 * The sequences of a run as a request of their own, with room for so many tokens after the prompt; the request itself
 * where they are all.
 */
export function partOf(request: OpenRequest, { first, last }: Span, room: number): OpenRequest {
  const { prompts, promptOf_B } = request;
  if (last - first === promptOf_B.length) return request;
  const firstPrompt = promptOf_B[first]!;
  return {
    ...request,
    prompts: prompts.slice(firstPrompt, promptOf_B[last - 1]! + 1),
    promptOf_B: promptOf_B.slice(first, last).map((prompt) => prompt - firstPrompt),
    expectedTokens: room,
  };
}

/** Places [begin, end) of a turn, whose sequences are in a wave that begins at `first`. */
function partOfTurn(turn: TurnRequest, begin: number, end: number, first: number): TurnRequest {
  const { sequences_B, maxNewTokens: T, uniforms_BT, onProgress } = turn;
  const all = sequences_B.length;
  return {
    ...turn,
    sequences_B: sequences_B.slice(begin, end).map((sequence) => sequence - first),
    uniforms_BT: uniforms_BT.subarray(begin * T, end * T),
    ...(onProgress ? { onProgress: (done, total) => onProgress(Math.floor((total * begin + done * (end - begin)) / all), total) } : {}),
  };
}

function putResult(whole: SampleResult, part: SampleResult, begin: number, T: number): void {
  whole.tokens_BT.set(part.tokens_BT, begin * T);
  whole.logprobs_BT.set(part.logprobs_BT, begin * T);
  whole.entropies_BT.set(part.entropies_BT, begin * T);
  whole.lengths_B.set(part.lengths_B, begin);
  whole.stopped_B.set(part.stopped_B, begin);
}

/**
 * A sampler of any number of sequences, from samplers of as many as fit.
 * @param sizesFor bytes of a prompt and of a sequence with room for so many tokens after its prompt.
 * @param start a sampler of the sequences of a request; at its first turn they may have tokens of their own already.
 */
export function samplerInWaves(
  request: OpenRequest,
  sizesFor: (room: number) => WaveSizes,
  start: (request: OpenRequest) => Sampler,
): Sampler {
  let room = Math.max(1, request.expectedTokens);
  let waves: readonly Span[] = [];
  let open: { readonly wave: Span; readonly sampler: Sampler } | null = null;

  function close(): void {
    open?.sampler.close();
    open = null;
  }

  function samplerOf(wave: Span): Sampler {
    if (open?.wave.first === wave.first && open.wave.last === wave.last) return open.sampler;
    close();
    open = { wave, sampler: start(partOf(request, wave, room)) };
    return open.sampler;
  }

  return {
    async sample(own_B, turn) {
      const { sequences_B, maxNewTokens: T } = turn;
      const needed = sequences_B.reduce((most, sequence) => Math.max(most, own_B[sequence]!.length), 0) + T;
      if (waves.length === 0 || needed > room) {
        while (room < needed) room *= 2;
        waves = cutSequences(request.promptOf_B, sizesFor(room));
      }
      const [only, ...others] = waves;
      if (only && others.length === 0) return samplerOf(only).sample(own_B, turn);
      const result = emptyResult(sequences_B.length, T);
      let begin = 0;
      for (const wave of waves) {
        let end = begin;
        while (end < sequences_B.length && sequences_B[end]! < wave.last) end++;
        if (end === begin) continue;
        const part = await samplerOf(wave).sample(own_B.slice(wave.first, wave.last), partOfTurn(turn, begin, end, wave.first));
        putResult(result, part, begin, T);
        begin = end;
      }
      return result;
    },
    close,
  };
}
