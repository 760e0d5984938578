// What samplers on every device share: the tokens of open sequences, and in which order things may be
// asked of them. A sampler is left with keys, values and the drawing of tokens.
import { emptyResult, type OpenRequest, type OpenSequences, type SampleResult, type TurnRequest } from "../rl/policy.ts";

export interface Sampler {
  /** A turn of at least one sequence and one token. `own_B` has the tokens of every open sequence after its prompt. */
  sample(own_B: readonly (readonly number[])[], turn: TurnRequest): Promise<SampleResult>;
  /** Frees keys and values. */
  close(): void;
}

/** The sequences that are open on a backend, by number; its policy's weights stay as they are until they are closed. */
export class OpenCount {
  count = 0;

  /** Throws where sequences are open whose keys and values the weights made. */
  keepWeights(): void {
    if (this.count > 0) throw new Error("internal: the policy's weights cannot change while sequences are open");
  }
}

/** Throws a sentence for a token that is not in the vocabulary. */
export function checkTokens(tokens: Iterable<number>, vocabularySize: number): void {
  for (const token of tokens)
    if (!(token >= 0 && token < vocabularySize)) throw new Error(`token must be >= 0 and < ${vocabularySize}, got ${token}`);
}

function checkTurn({ sequences_B, maxNewTokens, uniforms_BT }: TurnRequest, sequences: number): void {
  let before = -1;
  for (const sequence of sequences_B) {
    if (!(sequence > before && sequence < sequences)) throw new Error(`internal: sequence ${sequence} does not come after ${before}`);
    before = sequence;
  }
  const draws = sequences_B.length * maxNewTokens;
  if (uniforms_BT.length < draws) throw new Error(`internal: uniforms must be ${draws}, got ${uniforms_BT.length}`);
}

/** Opens sequences of a policy with that vocabulary; throws a sentence where a prompt is empty or holds an unknown token. */
export function openSequences(
  { prompts, promptOf_B }: OpenRequest,
  vocabularySize: number,
  sampler: Sampler,
  open: OpenCount,
): OpenSequences<SampleResult> {
  for (const prompt of prompts) {
    if (prompt.length === 0) throw new Error("prompt must have >= 1 tokens, got 0");
    checkTokens(prompt, vocabularySize);
  }
  const own_B = Array.from(promptOf_B, (): number[] => []);
  let state: "open" | "being sampled" | "closed" = "open";
  const check = () => {
    if (state !== "open") throw new Error(`internal: sequences that are ${state} cannot be extended or sampled`);
  };
  open.count += 1;
  return {
    extend(sequence, tokens) {
      check();
      const own = own_B[sequence];
      if (!own || own.length === 0) throw new Error(`internal: sequence ${sequence} has taken no turn yet`);
      checkTokens(tokens, vocabularySize);
      own.push(...tokens);
    },
    async sample(turn) {
      check();
      checkTurn(turn, own_B.length);
      const { sequences_B, maxNewTokens: T } = turn;
      if (sequences_B.length === 0 || T === 0) return emptyResult(sequences_B.length, T);
      state = "being sampled";
      const result = await sampler.sample(own_B, turn);
      sequences_B.forEach((sequence, b) => {
        own_B[sequence]!.push(...result.tokens_BT.subarray(b * T, b * T + result.lengths_B[b]!));
      });
      state = "open";
      return result;
    },
    close() {
      if (state === "closed") return;
      state = "closed";
      open.count -= 1;
      sampler.close();
    },
  };
}
