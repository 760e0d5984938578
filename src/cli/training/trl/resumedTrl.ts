// The run of TRL's that a command line goes on with: as it was begun, from TRL's last checkpoint, to as many steps as are asked for now.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../../protocol/quantities.ts";
import { z } from "../../../protocol/zod.ts";
import { readRecords } from "../../folder/recordedRun.ts";
import { contentOf, lackOfSave, type RunFolder, TRL_OUTPUT } from "../../folder/runFolder.ts";
import { CommandError } from "../../lab/exit.ts";
import { type ConfigFile, planFile, readConfigFile, type Setting, withSettings } from "../configFile.ts";
import { begunWith, checkSame, type NamedRun, settingsIn } from "../resumed.ts";

/** What run.json says of how the program was begun. */
const begunSchema = begunWith.extend({ python: z.string(), launch: z.string() }).partial();
type BegunTrl = z.output<typeof begunSchema>;

/** Throws where a run that has ended left its model alone: to go on with it would be to begin again, over its records. */
async function refuseWithoutCheckpoint(folder: RunFolder): Promise<void> {
  const namesIn = (path: string): Promise<readonly string[]> => readdir(path).catch(() => []);
  const left = await namesIn(join(folder.path, TRL_OUTPUT));
  if ((await namesIn(folder.path)).includes("summary.json") && !left.some((name) => name.startsWith("checkpoint-")))
    throw new CommandError(`${folder.path} has ended and keeps no checkpoint of TRL's to go on from: train it again into another folder`);
}

/** Throws a CommandError for what only a new run can have. */
export async function resumedTrl(
  { folder, file, facts }: NamedRun,
  given: readonly Setting[],
): Promise<{ readonly file: ConfigFile; readonly begun: BegunTrl }> {
  if ((await contentOf(folder)) === "nothing") throw await lackOfSave(folder);
  await refuseWithoutCheckpoint(folder);
  const own = await readConfigFile(join(folder.path, "config.json"));
  const { config } = planFile(own);
  if (file) checkSame(file, folder, config, settingsIn(facts));
  const fixed = given.find(({ field }) => field !== "steps");
  if (fixed) throw new CommandError(`${folder.path} is trained by TRL, where steps alone can change, got ${fixed.option}: leave it out`);
  const resumed = withSettings(own, given);
  const { minibatches, innerEpochs, steps } = planFile(resumed).config;
  const { steps: records } = await readRecords(folder);
  const taken = Math.ceil((records.at(-1)?.step ?? 0) / (minibatches * innerEpochs));
  if (given.length > 0 && taken >= steps)
    throw new CommandError(`${folder.path} has taken ${counted(taken, "step")}: --set steps=N, with N > ${taken}, lets it go on`);
  return { file: resumed, begun: begunSchema.parse(facts) };
}
