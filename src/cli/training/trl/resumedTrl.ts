// The run of TRL's that a command line goes on with: as it was begun, from TRL's last checkpoint, to as many steps as are asked for now.
import { join } from "node:path";
import { counted } from "../../../protocol/quantities.ts";
import { z } from "../../../protocol/zod.ts";
import { readRecords } from "../../folder/recordedRun.ts";
import { contentOf, lackOfSave } from "../../folder/runFolder.ts";
import { CommandError } from "../../lab/exit.ts";
import { type ConfigFile, planFile, readConfigFile, type Setting, withSettings } from "../configFile.ts";
import { checkSame, type NamedRun, settingsIn } from "../resumed.ts";

/** What run.json says of how the program was begun. */
const begunSchema = z
  .object({ python: z.string(), launch: z.string(), log: z.string(), trajectories: z.union([z.number(), z.literal("all")]) })
  .partial();
export type BegunTrl = z.output<typeof begunSchema>;

/** Throws a CommandError for what only a new run can have. */
export async function resumedTrl(
  { folder, file, facts }: NamedRun,
  given: readonly Setting[],
): Promise<{ readonly file: ConfigFile; readonly begun: BegunTrl }> {
  if ((await contentOf(folder)) === "nothing") throw await lackOfSave(folder);
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
