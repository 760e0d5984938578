// What a race is set up as: everything somebody chose for it, and nothing that follows. The form edits it,
// the address holds it, the plan is made from it.
import { create } from "zustand";
import type { Catalog } from "../../../../protocol/catalog.ts";
import type { RunConfig, RunConfigKey } from "../../../../protocol/config.ts";
import type { Axis } from "../../../../rl/race/axis.ts";
import { type Draft, draftOf } from "../../../engine/store/draft/draftConfig.ts";

export type Setting = string | number | boolean;

/** Runs of each racer, each from a seed of its own; as many racers. */
export const SEED_LIMIT = 5;
export const RACER_LIMIT = 4;
/** Kept runs that are shown over each other at most. */
export const MOST_RUNS = 6;

export interface RaceSetup {
  /** Configurations against each other, a run against a branch of itself, or runs that are kept. */
  readonly kind: "race" | "fork" | "runs";
  /** The kept runs that are compared, by their ids. */
  readonly runs: readonly string[];
  /** What all racers share; null is the form on the Train screen, and for a fork the run there. */
  readonly base: Draft | null;
  /** The field in which racers differ; null is the usual one of the kind. */
  readonly vary: RunConfigKey | null;
  /** Its values, one for each racer, for a fork one; null are some that differ visibly. */
  readonly values: readonly Setting[] | null;
  readonly seeds: number;
  /** Each algorithm takes as many inner epochs as its paper does, instead of all as often as the base. */
  readonly ownEpochs: boolean;
  /** Steps that run and branch share; null is all that the run has taken. */
  readonly forkStep: number | null;
  /** What is equal where racers are compared. */
  readonly axis: Axis;
  /** Share of right answers whose reaching is told; null chooses one by what was measured. */
  readonly target: number | null;
}

export const NEW_RACE: RaceSetup = {
  kind: "race",
  runs: [],
  base: null,
  vary: null,
  values: null,
  seeds: 1,
  ownEpochs: false,
  forkStep: null,
  axis: "steps",
  target: null,
};

export const useRaceSetup = create<RaceSetup>()(() => NEW_RACE);

export function setRace(change: Partial<RaceSetup>): void {
  useRaceSetup.setState(change);
}

/** The field that varies. */
export function variedKey({ kind, vary }: Pick<RaceSetup, "kind" | "vary">): RunConfigKey {
  return vary ?? (kind === "fork" ? "learningRate" : "algorithm");
}

/** A run's configuration as a base; how it was computed is left to whoever races it. */
export function baseOf(catalog: Catalog, config: RunConfig): Draft {
  return draftOf(catalog, { ...config, threads: 0 });
}
