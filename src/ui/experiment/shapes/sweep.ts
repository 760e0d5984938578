// One or two settings over many values and seeds.
import { runConfigSchema } from "../../../protocol/config.ts";
import { EXPERIMENT_LIMITS } from "../../../protocol/run/experimentPlan.ts";
import { sweepRefusals } from "../../../rl/race/sweptField.ts";
import { sweptFields } from "../plan/varied.ts";
import type { Shape } from "./shape.ts";

export const sweep: Shape = {
  id: "sweep",
  title: "Sweep",
  explains: "One or two settings over many values and seeds, in a queue",
  screen: "sweep",
  setup: "values",
  usual: "learningRate",
  seeds: 3,
  most: EXPERIMENT_LIMITS,
  values: "list",
  curves: "one each",
  keepsRollouts: false,
  fields: sweptFields,
  refusals: (catalog, base, over) => sweepRefusals(over, base, { keys: runConfigSchema.keyof().options, tasks: catalog.tasks }),
  words: {
    what: "sweep",
    combination: "combination",
    combinations: "combinations",
    varies: "What is swept",
    pause: "Pause",
    goOn: "Go on",
    cancel: "Cancel",
    all: "the sweep",
  },
};
