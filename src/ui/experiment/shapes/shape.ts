// What one kind of experiment says of itself: where it stands, what varies in it and how much, and its words. Set-up, addresses, keeping,
// table and charts are the same for all.
import type { Catalog } from "../../../protocol/catalog.ts";
import type { Field } from "../../../protocol/config/fields.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import type { VariedField } from "../../../protocol/run/experimentPlan.ts";

export interface Shape {
  /** In plans, addresses and tags: "race 2". */
  readonly id: string;
  /** In the choice of shapes. */
  readonly title: string;
  readonly explains: string;
  /** The screen that it is set up and shown on. */
  readonly screen: "compare" | "sweep";
  /** What it is made of: values of fields, branches of a run, or runs that are kept. */
  readonly setup: "values" | "branch" | "kept";
  /** The field that varies until another is chosen. */
  readonly usual: RunConfigKey;
  /** Seeds of each combination until somebody chooses. */
  readonly seeds: number;
  readonly most: { readonly fields: number; readonly combinations: number; readonly runs: number; readonly seeds: number };
  /** Whether each value has a field of its own, or all stand in one. */
  readonly values: "each" | "list";
  /** Whether curves lie over each other at first, or have a chart each. */
  readonly curves: "over each other" | "one each";
  /** Whether rollouts of runs that are over stay in the page, or are read from the runs' saves. */
  readonly keepsRollouts: boolean;
  fields(catalog: Catalog, base: RunConfig | null): readonly Field[];
  /** Why these fields and values cannot be compared, a sentence each; what a value breaks by itself is said elsewhere. */
  refusals(catalog: Catalog, base: RunConfig, over: readonly VariedField[]): readonly string[];
  readonly words: {
    /** What sentences call it: "the race shows no difference". */
    readonly what: string;
    readonly combination: string;
    readonly combinations: string;
    readonly varies: string;
    /** What the buttons for all its runs say. */
    readonly pause: string;
    readonly goOn: string;
    readonly cancel: string;
    /** What commands call its runs together. */
    readonly all: string;
  };
}
