// A finished conversation with a given last word, for tests that judge answers.
import type { Example, Trajectory } from "../../src/rl/types.ts";

/** The trajectory in which the assistant answers `content`; "completed" unless said otherwise. */
export function answered(example: Example, content: string, stopReason: Trajectory["stopReason"] = "completed"): Trajectory {
  return {
    promptTokens: [],
    tokens: [],
    logprobs: [],
    entropies: [],
    mask: [],
    messages: [...example.messages, { role: "assistant", content }],
    stopReason,
  };
}
