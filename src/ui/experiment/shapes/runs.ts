// Runs that were kept, over each other: nothing of it is set up or trained.
import { race } from "./race.ts";
import type { Shape } from "./shape.ts";

export const runs: Shape = {
  ...race,
  id: "runs",
  title: "Kept runs",
  explains: "Up to six saved runs in the same charts",
  setup: "kept",
  most: { ...race.most, combinations: 6, runs: 6 },
};
