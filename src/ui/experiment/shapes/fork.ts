// A run against branches of itself, which have one other setting from a step on.
import { variedFields } from "../plan/varied.ts";
import { race } from "./race.ts";
import type { Shape } from "./shape.ts";

export const fork: Shape = {
  ...race,
  id: "fork",
  title: "Fork",
  explains: "A run against a branch of itself",
  setup: "branch",
  usual: "learningRate",
  most: { ...race.most, seeds: 1 },
  fields: (catalog) => variedFields(catalog, true),
  words: {
    ...race.words,
    what: "fork",
    varies: "What changes",
    all: "all runs of the fork",
  },
};
