// A policy that mostly says what a task's worked conversations say, cut, shuffled and spoilt by chance, so
// that random rollouts reach deep into an environment and still say much that it does not expect.
import type { Policy } from "../../src/rl/policy.ts";
import type { Renderer } from "../../src/rl/types.ts";

/** Draws from the request's uniforms alone. @param phrases ids of worked conversation number g >= 0. */
export function babblingPolicy({ vocabularySize, stopTokens }: Renderer, phrases: (g: number) => readonly number[]): Policy {
  const known = Array.from({ length: 40 }, (_, g) => phrases(g));
  return {
    maxPositions: 512,
    open: () => ({
      extend: () => {},
      close: () => {},
      async sample({ sequences_B, maxNewTokens: T, uniforms_BT }) {
        const B = sequences_B.length;
        const tokens_BT = new Int32Array(B * T).fill(-1);
        const lengths_B = new Int32Array(B);
        const stopped_B = new Uint8Array(B);
        for (let b = 0; b < B; b++) {
          const uniforms = uniforms_BT.subarray(b * T, (b + 1) * T);
          const phrase = known[Math.floor(uniforms[0]! * known.length)]!;
          // Where in the phrase it begins: at its first token for half of the turns.
          const from = uniforms[1]! < 0.5 ? 0 : Math.floor((2 * uniforms[1]! - 1) * phrase.length);
          for (let t = 0; t < T && stopped_B[b] === 0; t++) {
            const spoilt = uniforms[t]! < 0.03;
            const token = spoilt ? Math.floor((uniforms[t]! / 0.03) * vocabularySize) : phrase[(from + t) % phrase.length]!;
            tokens_BT[b * T + t] = token;
            lengths_B[b] = t + 1;
            if (stopTokens.includes(token)) stopped_B[b] = 1;
          }
        }
        return { tokens_BT, lengths_B, stopped_B, logprobs_BT: new Float32Array(B * T).fill(-1), entropies_BT: new Float32Array(B * T) };
      },
    }),
  };
}
