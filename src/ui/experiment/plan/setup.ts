// What an experiment is set up as: everything somebody chose for it, and nothing that follows. The form edits it, the address holds it,
// the plan is made from it. Each of the two screens has one.
import { create } from "zustand";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { Setting } from "../../../protocol/run/experimentPlan.ts";
import { type Reading, USUAL_READING } from "../../../rl/race/axis.ts";
import { goTo } from "../../engine/route.ts";
import { type Draft, draftOf } from "../../engine/store/draft/draftConfig.ts";
import { firstShape, shapeOf } from "../shapes/index.ts";
import type { Shape } from "../shapes/shape.ts";

/** Kept runs that are shown over each other at most. */
export const MOST_RUNS = firstShape("compare", "kept").most.runs;

/** A field that varies; its values are some that differ visibly where they are null. */
export interface ChosenField {
  readonly field: string;
  readonly values: readonly Setting[] | null;
}

/** What was chosen for it, and how its result is read. */
export interface Setup extends Reading {
  /** The shape, by its id. */
  readonly kind: string;
  /** The kept experiment that the board shows, by its id. */
  readonly shown: string | null;
  /** The kept runs that are compared, by their ids. */
  readonly runs: readonly string[];
  /** What all runs share; null is the form on the Train screen, and for a fork the run there. */
  readonly base: Draft | null;
  /** None are the usual field of the shape. */
  readonly over: readonly ChosenField[];
  readonly seeds: number;
  /** Each algorithm takes as many inner epochs as its paper does, instead of all as often as the base. */
  readonly ownEpochs: boolean;
  /** Steps that run and branch share; null is all that the run has taken. */
  readonly forkStep: number | null;
}

/** A set-up in which nothing was chosen. */
export function newSetup({ id, seeds }: Shape): Setup {
  return {
    kind: id,
    shown: null,
    runs: [],
    base: null,
    over: [],
    seeds,
    ownEpochs: false,
    forkStep: null,
    ...USUAL_READING,
  };
}

type Screen = Shape["screen"];
export const useSetups = create<Readonly<Record<Screen, Setup>>>()(() => ({
  compare: newSetup(firstShape("compare")),
  sweep: newSetup(firstShape("sweep")),
}));

export const setupOf = (screen: Screen): Setup => useSetups.getState()[screen];

export function useSetup<T>(screen: Screen, selector: (setup: Setup) => T): T {
  return useSetups((all) => selector(all[screen]));
}

export function setSetup(screen: Screen, change: Partial<Setup>): void {
  useSetups.setState((all) => ({ [screen]: { ...all[screen], ...change } }));
}

/** Shows a kept experiment, or none; on the screen whose set-up it hides that is a step in the browser's history. */
export function show(screen: Screen, id: string | null): void {
  if (screen === "sweep") goTo(screen, id === null ? undefined : new URLSearchParams({ id }));
  else setSetup(screen, { shown: id });
}

/** The fields that vary: those that were chosen, else the usual one. */
export function chosenFields({ kind, over }: Pick<Setup, "kind" | "over">): readonly ChosenField[] {
  return over.length > 0 ? over : [{ field: shapeOf(kind).usual, values: null }];
}

/** A run's configuration as a base; how it was computed is left to whoever takes it. */
export function baseOf(catalog: Catalog, config: RunConfig): Draft {
  return draftOf(catalog, { ...config, threads: 0 });
}
