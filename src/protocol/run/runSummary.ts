// What a list tells of a run without reading its records, and where the run comes from: small facts that lie in its save beside the rest.
import type { RunConfig } from "../config.ts";
import { z } from "../zod.ts";
import type { RunLabel } from "./runLabel.ts";

/** The words of a verdict. */
export const VERDICT_WORDS = ["no evidence yet", "no clear change", "improving", "solved", "plateau", "unstable", "falling"] as const;
export type VerdictWord = (typeof VERDICT_WORDS)[number];

export const runDigestSchema = z.strictObject({
  measure: z.enum(["reward", "loss"]),
  /** Mean of its last steps; null before the first. */
  final: z.number().nullable(),
  /** Share of right sampled answers where it was evaluated last; null without an evaluation. */
  accuracy: z.number().min(0).max(1).nullable(),
  verdict: z.enum(VERDICT_WORDS),
  /** The title of the cause that is named first; left out where none is. */
  cause: z.string().max(80).exactOptional(),
  /** The measure from the first step to the last, in a few points. */
  curve: z.array(z.number()).max(64),
});
/** What a list says of a run. */
export type RunDigest = z.output<typeof runDigestSchema>;

export const runParentSchema = z.strictObject({ runId: z.string().min(1).max(100), step: z.int().min(0) });
/** Another run, and the step of it that a run leaves: a fork and a copy have all before it in common, other runs begin with its weights. */
export type RunParent = z.output<typeof runParentSchema>;

/** A saved run as it is listed. */
export interface SaveSummary {
  readonly runId: string;
  /** What it is called: as somebody named it, or by what differs from where it began. */
  readonly name: string;
  /** What somebody has written on it. */
  readonly label: RunLabel;
  /** The run it was forked or copied from, or began with the weights of. */
  readonly parent?: RunParent;
  /** Weights that it keeps beside the last ones, ascending in step: why, and how many bytes; left out where there are none. */
  readonly checkpoints?: readonly { readonly step: number; readonly why: readonly ("every" | "best")[]; readonly bytes: number }[];
  /** Left out where the save was last written before there were any. */
  readonly digest?: RunDigest;
  /** Last step that is kept. */
  readonly step: number;
  /** When it was last written, in milliseconds since 1970. */
  readonly savedAt: number;
  /** How much storage it takes. */
  readonly bytes: number;
  /** Null where the save cannot be read; `problem` then says why. It can still be downloaded and deleted. */
  readonly config: RunConfig | null;
  readonly problem?: string;
}

/** How many are there, of how many the run has. */
export interface HeldOf {
  readonly held: number;
  readonly of: number;
}

/** What of a run is in a file that must be small, such as a link carries: told before somebody hands it on. */
export interface RolloutExtent {
  /** Steps of the curves, and whether of each all metrics are there or the main ones. */
  readonly steps: HeldOf;
  readonly hasAllMetrics: boolean;
  readonly evaluations: HeldOf;
  /** What was asked over time. */
  readonly probes: HeldOf;
  /** Steps with conversations. */
  readonly kept: HeldOf;
  /**
   * The step on screen, and which of its answers are whole: all, those to the same prompt, or one. Null where none of
   * its conversations are known.
   */
  readonly shown: {
    readonly step: number;
    readonly promptIndex: number;
    readonly trajectoryIndex: number;
    readonly amount: "answer" | "group" | "step";
  } | null;
}

/** Whether nothing was left out. */
export const isWhole = ({ steps, evaluations, probes, kept, hasAllMetrics, shown }: RolloutExtent): boolean =>
  hasAllMetrics && [steps, evaluations, probes, kept].every(({ held, of }) => held === of) && (shown === null || shown.amount === "step");
