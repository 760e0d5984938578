// A sweep in its folder: what was asked for and its plan in sweep.json, one folder for each run. A sweep that ended in the middle
// goes on from there: runs that are over are read, the one that was under way goes on from its save, and the others begin.

import { join } from "node:path";
import { isSame } from "../../protocol/config/configFacts.ts";
import type { RunConfig, RunConfigKey } from "../../protocol/config.ts";
import { isRecord, showValue } from "../../protocol/problems.ts";
import type { ExperimentPlan } from "../../protocol/run/experimentPlan.ts";
import { z } from "../../protocol/zod.ts";
import type { RunRecords } from "../../rl/verdict/history.ts";
import { readRecords } from "../folder/recordedRun.ts";
import { contentOf, createRunFolder, findRun, isRunFolder, pathOf, type RunFolder, readJson } from "../folder/runFolder.ts";
import { CommandError } from "../lab/exit.ts";
import type { Interrupt } from "../lab/interrupt.ts";
import type { Progress } from "../lab/progress.ts";
import { operandWord } from "../lab/texts.ts";
import type { ConfigFile } from "./configFile.ts";
import { findResumed } from "./resumed.ts";
import { hostOf } from "./runHost.ts";
import type { RunSummary } from "./summary.ts";
import { type TrainingResult, trainInFolder } from "./trainInFolder.ts";

const words = z.array(z.string()).readonly();
/** A sweep as the command line asks for it, each word as it was typed; and its plan, as it was. */
const sweepSchema = z.object({ asked: z.object({ config: z.string(), over: words, set: words, seeds: z.number() }), plan: z.unknown() });
type Sweep = z.output<typeof sweepSchema>;
export type AskedSweep = Sweep["asked"];

export const sweepFile = (out: string): string => join(out, "sweep.json");
export const goesOnBy = (out: string): string => `rollout-lab sweep ${operandWord(out)} --resume`;

/** What a sweep was asked for, and its plan. Throws a CommandError where the folder holds none that can go on. */
export async function readSweep(out: string): Promise<Sweep> {
  const { data } = sweepSchema.safeParse(await readJson(sweepFile(out)));
  if (data) return data;
  throw new CommandError(`${sweepFile(out)} does not say what was asked for: begin the sweep again with another --out`);
}

/** Throws where a sweep's configuration is not what it was when the sweep began: its runs would not be comparable. */
export function checkSamePlan(out: string, config: string, begun: unknown, now: ExperimentPlan): void {
  const kept = isRecord(begun) && isRecord(begun.base) ? begun.base : {};
  const base: unknown = JSON.parse(JSON.stringify(now.base));
  if (!isRecord(base)) return;
  const other = (Object.keys(base) as RunConfigKey[]).find((key) => !isSame(base[key], kept[key]));
  if (other === undefined) return;
  throw new CommandError(
    `${config} has ${other} ${showValue(base[other])} by now, and ${out} began with ${showValue(kept[other])}: put it back to go on, or begin another sweep`,
  );
}

/** One run of a sweep. */
interface SweptRun {
  readonly path: string;
  readonly config: RunConfig;
}

/** What a run of a sweep came to. */
interface SweptResult {
  readonly summary: Pick<RunSummary, "accuracy" | "accuracyInterval" | "reward" | "seconds" | "verdict">;
  readonly records: RunRecords;
  readonly isInterrupted: boolean;
}

/** The folder of a run that has been begun, with something of it kept; null before. */
async function begunRun(path: string): Promise<RunFolder | null> {
  if (!(await isRunFolder(path))) return null;
  const folder = await findRun(path);
  return (await contentOf(folder)) === "nothing" ? null : folder;
}

/** What a run that is over came to, as its folder says; null where it is not over. */
async function overBefore(folder: RunFolder, { steps }: RunConfig): Promise<SweptResult | null> {
  const summary = (await readJson(pathOf(folder, "summary.json")).catch(() => null)) as RunSummary | null;
  if (steps === 0 || (summary?.steps ?? 0) < steps) return null;
  return { summary: summary!, records: await readRecords(folder), isInterrupted: false };
}

const resultOf = ({ summary, recorder, isInterrupted }: TrainingResult): SweptResult => ({
  summary,
  records: recorder.recorded,
  isInterrupted,
});

/** Trains a run of a sweep to its end, from where it stands. */
export async function trainSwept(
  { path, config }: SweptRun,
  file: ConfigFile,
  beside: { readonly asked: AskedSweep; readonly progress: Progress; readonly interrupt: Interrupt; readonly isReady: () => Promise<void> },
): Promise<SweptResult> {
  const { asked, isReady, ...told } = beside;
  const training = { ...told, host: await hostOf(config, { contents: file.contents, additions: file.loaded?.additions }), trajectories: 0 };
  const begun = await begunRun(path);
  if (!begun) {
    const folder = await createRunFolder(path, { name: file.name, config: asked.config, ...file.loaded?.named });
    await isReady();
    return resultOf(await trainInFolder({ ...training, folder, from: { config, parent: null } }));
  }
  const over = await overBefore(begun, config);
  if (over) return over;
  const { folder, plan, settings } = await findResumed(path, undefined, []);
  return resultOf(await trainInFolder({ ...training, folder, from: { settings, plan } }));
}
