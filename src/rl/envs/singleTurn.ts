// The simplest conversation: a prompt, one answer, over.
import type { Env, EnvBuilder, Example } from "../types.ts";

/** An environment that shows the example's messages and ends after one action. Single use. */
export function singleTurn(example: Example): Env {
  let phase: "new" | "open" | "over" = "new";
  return {
    start() {
      if (phase !== "new") throw new Error("internal: an environment starts once");
      phase = "open";
      return { messages: example.messages };
    },
    step() {
      if (phase !== "open") throw new Error(`internal: step on an environment that is ${phase}`);
      phase = "over";
      return null;
    },
  };
}

export const singleTurnEnvs: EnvBuilder = { build: (example) => singleTurn(example) };
