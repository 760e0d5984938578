// verl's rollouts and validations (trainer.rollout_data_dir, validation_data_dir): a file a step, prompts and answers as rendered text, and
// whatever the reward function returned beside its score. Groups are equal prompts.
import { flatRollout } from "../columns/flatRollout.ts";
import type { TraceForm } from "./form.ts";

export const verl: TraceForm = {
  id: "verl",
  title: "verl's rollouts",
  matches: (row) => ["input", "output", "score"].every((key) => Object.hasOwn(row, key)),
  roles: {
    names: { input: "prompt", output: "completion", gts: "answer", score: "reward", step: "step", acc: "success" },
    numbers: "part",
  },
  read: (row, reading) => [flatRollout(row, reading, true)],
};
