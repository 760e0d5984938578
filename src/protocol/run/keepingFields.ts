// Fields of what a save keeps of a run.
import { flag, integer, section } from "../config/field.ts";
import { NO_EVALUATION } from "../config/noEffect.ts";

/** How often a run is saved, and what beside its last weights and its records. */
export const keepingFields = section("engine", {
  autosaveEvery: integer(
    0,
    10_000,
    1,
    "Autosave every",
    "Fewest steps between two saves of the weights; steps recorded since are taken again when a run goes on. 0 saves nothing.",
    { unit: "steps", advanced: true, aside: true, live: true },
  ),
  checkpointEvery: integer(
    0,
    100_000,
    0,
    "Keep weights every",
    "Steps between weights that the save keeps beside its last ones, for forks to begin at; 0 keeps none. Any step can be forked without them too, by taking the steps before it again.",
    { unit: "steps", advanced: true, aside: true, live: true },
  ),
  keepBest: flag(false, "Keep the best weights", "Keep the weights of the best evaluation, by sampled accuracy, beside the last ones.", {
    advanced: true,
    aside: true,
    live: true,
    noEffect: [NO_EVALUATION],
  }),
  checkpointMegabytes: integer(
    1,
    10_000,
    200,
    "Room for kept weights",
    "Space in a save for the weights that it keeps beside its last ones; beyond it some are let go of, evenly, the best last.",
    { unit: "MB", advanced: true, aside: true, live: true },
  ),
  keptMegabytes: integer(
    0,
    1_000,
    8,
    "Rollouts kept",
    "Space in a save for the rollouts of its steps, which a saved run shows when it is opened: the first, best, worst and newest step, and others evenly. 0 keeps none.",
    { unit: "MB", advanced: true, aside: true, live: true },
  ),
});
