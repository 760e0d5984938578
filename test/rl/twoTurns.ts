// A small environment of two turns, for tests: what the policy says first is answered by a tool, with
// chance of its own, and then the policy says more.
import { Random } from "../../src/rl/random.ts";
import type { Env, EnvBuilder, Example, Message } from "../../src/rl/types.ts";

/** What environments saw, in the order they were built. */
export interface Witness {
  readonly answers: string[];
  started: number;
}

/** Answers the first `turns - 1` turns with `digits` digits drawn from the environment's own seed; ends after the last. */
export function toolEnvs(turns: number, digits: (example: Example, turn: number) => number, witness?: Witness): EnvBuilder {
  return {
    build(example, seed): Env {
      const random = new Random(seed);
      let messages: readonly Message[] = example.messages;
      let turn = 0;
      return {
        start() {
          if (witness) witness.started += 1;
          return { messages };
        },
        step({ message }) {
          turn += 1;
          if (turn === turns) return null;
          const content = Array.from({ length: digits(example, turn) }, () => random.below(10)).join("");
          witness?.answers.push(content);
          messages = [...messages, message, { role: "tool", content }];
          return { messages };
        },
      };
    },
  };
}
