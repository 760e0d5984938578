// Two to four configurations against each other.
import { variedFields } from "../plan/varied.ts";
import type { Shape } from "./shape.ts";

export const race: Shape = {
  id: "race",
  title: "Race",
  explains: "Two to four configurations against each other",
  screen: "compare",
  setup: "values",
  usual: "algorithm",
  seeds: 1,
  most: { fields: 1, combinations: 4, runs: 20, seeds: 5 },
  values: "each",
  curves: "over each other",
  keepsRollouts: true,
  fields: (catalog) => variedFields(catalog, false),
  refusals: (_catalog, _base, over) =>
    over.some(({ values }) => new Set(values).size < values.length) ? ["Two configurations are the same: give each another value"] : [],
  words: {
    what: "race",
    combination: "configuration",
    combinations: "configurations",
    varies: "What varies",
    pause: "Pause all",
    goOn: "Go on, all",
    cancel: "Stop all",
    all: "all runs of the race",
  },
};
