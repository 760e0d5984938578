// The runs in a folder.

import { join } from "node:path";
import { percent, short } from "../../export/writtenRun.ts";
import { errorText } from "../../protocol/problems.ts";
import type { RunParent } from "../../protocol/run/runSummary.ts";
import { CommandError, foundAt } from "../lab/exit.ts";
import { columns, sparkline } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";

interface Place {
  readonly run: string;
  readonly training: boolean;
  /** What somebody has written on it. */
  readonly tags: readonly string[];
  readonly pinned: boolean;
}
interface RecordedFacts extends Place {
  readonly name: string;
  readonly notes: string | null;
  /** The run that it was forked or copied from, or began with the weights of. */
  readonly parent: RunParent | null;
  readonly task: string;
  /** "supervised" where it learns from worked examples. */
  readonly algorithm: string;
  readonly seed: number;
  readonly step: number;
  readonly steps: number;
  /** Null of supervised training, which has a loss, and of a run that has none yet. */
  readonly reward: number | null;
  /** Null of a run that learns from rewards. */
  readonly loss: number | null;
  readonly accuracy: number | null;
  readonly verdict: string;
  readonly curve: string;
}
type ListedRun = RecordedFacts | (Place & { readonly problem: string });

function rowOf(each: ListedRun): readonly string[] {
  if ("problem" in each) return [each.run, each.problem];
  const { run, task, algorithm, seed, step, steps, curve, reward, loss, accuracy, training, verdict, name, tags, parent, pinned } = each;
  const learned = `${curve} ${loss === null ? short(reward) : `loss ${short(loss)}`}`;
  const words = [...(pinned ? ["pinned"] : []), ...tags, ...(parent ? [`after step ${parent.step} of ${parent.runId}`] : [])];
  const state = training ? "training" : verdict;
  return [run, task, algorithm, `seed ${seed}`, `${step}/${steps}`, learned, percent(accuracy), state, name, words.join(", ")];
}

/** What is told of a run that has recorded something. */
async function recordedFacts(path: string) {
  const { findRun, saveFolder } = await import("../folder/runFolder.ts");
  const { readRecords } = await import("../folder/recordedRun.ts");
  const { createFolderStore, readLabel } = await import("../folder/folderStore.ts");
  const { labelIn } = await import("../../protocol/run/runLabel.ts");
  const { digestOf } = await import("../../rl/summary/digest.ts");
  const { runName } = await import("../../rl/summary/runName.ts");
  const { catalog } = await import("../../train/catalog.ts");
  const { decodeManifest } = await import("../../train/save/manifest.ts");
  const folder = await findRun(path);
  const recorded = await readRecords(folder);
  const { config, steps } = recorded;
  const { final, accuracy, verdict, measure } = digestOf(recorded);
  const [save] = await createFolderStore(saveFolder(folder)).list();
  const values = steps.flatMap(({ metrics }) => metrics[measure] ?? []);
  const name = labelIn(await readLabel(saveFolder(folder))).name ?? runName(catalog, { runId: folder.runId, config });
  return {
    task: config.task,
    algorithm: config.kind === "supervised" ? config.kind : config.algorithm,
    seed: config.seed,
    step: steps.at(-1)?.step ?? 0,
    steps: config.steps,
    reward: measure === "reward" ? final : null,
    loss: measure === "loss" ? final : null,
    accuracy,
    verdict,
    curve: sparkline(values, 12),
    name,
    parent: save?.manifest ? (decodeManifest(save.manifest, save.runId).parent ?? null) : null,
  };
}

export const list = defineVerb({
  name: "list",
  help: "List the runs in a folder, pinned ones first, then the newest.",
  operands: ["[DIR]"],
  options: {},
  async run({ operands }) {
    const { isStarted, listRuns, RUNS, saveFolder, trainerOf } = await import("../folder/runFolder.ts");
    const { readLabel } = await import("../folder/folderStore.ts");
    const { labelIn } = await import("../../protocol/run/runLabel.ts");
    const folder = operands[0] ?? RUNS;
    // Before the first run there is no folder of runs, which is nothing wrong.
    if (operands[0] !== undefined && !(await foundAt(folder))?.isDirectory())
      throw new CommandError(`there is no folder ${folder}: rollout-lab list shows those in ${RUNS}/`);
    const runs: ListedRun[] = [];
    for (const name of await listRuns(folder)) {
      const path = join(folder, name);
      const isTraining = (await trainerOf({ path })) !== null;
      const { notes = null, tags = [], isPinned = false } = labelIn(await readLabel(saveFolder({ path })).catch(() => null));
      const place = { run: path, training: isTraining, tags, pinned: isPinned };
      try {
        if (!(await isStarted({ path }))) {
          const problem = isTraining ? "is being prepared" : "ended before its first step: train it again";
          runs.push({ ...place, problem });
          continue;
        }
        runs.push({ ...place, ...(await recordedFacts(path)), notes });
      } catch (error) {
        // One that cannot be read stands in no other's way.
        runs.push({ ...place, problem: errorText(error) });
      }
    }
    runs.sort((a, b) => Number(b.pinned) - Number(a.pinned));
    const rows = runs.map(rowOf);
    return {
      facts: { folder, runs },
      text: rows.length > 0 ? columns(rows) : `no runs in ${folder}/: rollout-lab train configs/digit-sum.yaml makes one`,
    };
  },
});
