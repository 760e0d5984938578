// A save as a row of the list: what was said of it as it was last written, without reading it; and whether two saves are of the same run.
import { isSame } from "../../protocol/config/configFacts.ts";
import { errorText, isRecord, parseOrThrow } from "../../protocol/problems.ts";
import { labelIn } from "../../protocol/run/runLabel.ts";
import { runDigestSchema, type SaveSummary } from "../../protocol/run/runSummary.ts";
import { z } from "../../protocol/zod.ts";
import { runName } from "../../rl/summary/runName.ts";
import { catalog } from "../catalog.ts";
import type { StoredSave } from "../host.ts";
import { bytesOfKept, type KeptHeader } from "./kept/keptCheckpoints.ts";
import { decodeManifest, MANIFEST } from "./manifest.ts";
import type { SavedState } from "./savedState.ts";

const summarySchema = z.object({ step: z.int().min(0), savedAt: z.number(), bytes: z.number().min(0) });

/** What a list shows beside the step, where it is as it was written: nothing depends on it. */
function digestIn(summary: unknown): Pick<SaveSummary, "digest"> {
  const digest = runDigestSchema.safeParse(isRecord(summary) ? summary.digest : undefined);
  return digest.success ? { digest: digest.data } : {};
}

/** What a row says of checkpoints beside the last one. */
function keptWeights(kept: readonly KeptHeader[]): Pick<SaveSummary, "checkpoints"> {
  if (kept.length === 0) return {};
  return { checkpoints: kept.map((each) => ({ step: each.header.step, why: each.why, bytes: bytesOfKept([each]) })) };
}

/** A row of the list; what cannot be read has a reason. */
export function summaryOf({ runId, summary, manifest, label: file }: StoredSave): SaveSummary {
  const known = summarySchema.safeParse(summary);
  const label = labelIn(file);
  const facts = { runId, label, ...digestIn(summary), ...(known.success ? known.data : { step: 0, savedAt: 0, bytes: 0 }) };
  try {
    parseOrThrow(summarySchema, summary);
    if (!manifest) throw new Error(`the save has no file ${MANIFEST}`);
    const { config, parent, checkpoints = [] } = decodeManifest(manifest, runId);
    return {
      ...facts,
      name: label.name ?? runName(catalog, { runId, config }),
      config,
      ...(parent ? { parent } : {}),
      ...keptWeights(checkpoints),
    };
  } catch (error) {
    return { ...facts, name: label.name ?? runId, config: null, problem: errorText(error) };
  }
}

/** How far the rewards of one step may lie apart in one run: other programs round otherwise in the last bits. */
const SAME_REWARD = 1e-6;

/**
 * Whether two saves recorded the same run up to the same step. Their files may be cut differently, and steps that
 * were taken again have times of their own.
 */
export function isSameRun(one: SavedState, other: SavedState): boolean {
  const outcome = ({ steps }: SavedState) => steps.map(({ step, metrics }) => [step, metrics.reward ?? metrics.loss ?? 0] as const);
  const steps = outcome(one);
  const others = outcome(other);
  const isNear = ([step, reward]: readonly [number, number], i: number) =>
    step === others[i]?.[0] && Math.abs(reward - others[i][1]) <= SAME_REWARD;
  const scored = ({ evaluations }: SavedState) => JSON.stringify(evaluations.map(({ step, sampledAccuracy }) => [step, sampledAccuracy]));
  return isSame(one.config, other.config) && steps.length === others.length && steps.every(isNear) && scored(one) === scored(other);
}
