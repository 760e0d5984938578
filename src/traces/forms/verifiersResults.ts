// Results of verifiers v0 (vf-eval -s): a row for each rollout, conversations as messages, metrics by their names beside the reward.
import { flatRollout } from "../columns/flatRollout.ts";
import type { TraceForm } from "./form.ts";

export const verifiersResults: TraceForm = {
  id: "verifiers-v0",
  title: "results of verifiers v0",
  matches: (row) => ["example_id", "prompt", "completion", "reward"].every((key) => Object.hasOwn(row, key)),
  roles: {
    names: {
      example_id: "group",
      prompt: "prompt",
      completion: "completion",
      answer: "answer",
      reward: "reward",
      stop_condition: "stop",
      task: "other",
      info: "other",
      generation_ms: "other",
      scoring_ms: "other",
      total_ms: "other",
      is_completed: "other",
      is_truncated: "other",
      num_turns: "other",
    },
    numbers: "part",
  },
  read: (row, reading) => [flatRollout(row, reading)],
};
