// Begins a run from a configuration.
import { dirname } from "node:path";
import type { RunConfig } from "../../../protocol/config.ts";
import type { Additions, Host, OwnWork } from "../../../train/host.ts";
import { checkData } from "../../custom/contents.ts";
import { createRunFolder, freeFolder, isRunFolder, namesRun } from "../../folder/runFolder.ts";
import { CommandError } from "../../lab/exit.ts";
import { operandWord } from "../../lab/texts.ts";
import type { Report } from "../../lab/verb.ts";
import type { NamedServer } from "../../remote/httpServer.ts";
import { type ConfigFile, planFile, readConfigFile, type Setting, withSettings } from "../../training/configFile.ts";
import { hostOf } from "../../training/runHost.ts";
import { trainInFolder } from "../../training/trainInFolder.ts";
import { formsOf, opening, refuseForeign, reportOf, serverOf, settingsOf } from "./trainCall.ts";
import { TRAJECTORIES, type TrainCall } from "./trainOptions.ts";

/** Throws where a run stands in the place of a configuration. */
async function refuseRun(path: string): Promise<void> {
  if (namesRun(path) || (await isRunFolder(path)))
    throw new CommandError(
      `${path} is a saved run: rollout-lab train ${operandWord(path)} --resume goes on with it, or train a configuration with --from ${operandWord(path)}`,
    );
}

/** What a run brings, and beside it what its parent needs. */
function joined(own: Additions = {}, { tasks = [], rewardRules = [] }: Additions = {}): Additions {
  const others = <T>(mine: readonly T[] = [], given: readonly T[], nameOf: (one: T) => string) => [
    ...mine,
    ...given.filter((one) => !mine.some((each) => nameOf(each) === nameOf(one))),
  ];
  return {
    ...own,
    tasks: others(own.tasks, tasks, ({ entry }) => entry.id),
    rewardRules: others(own.rewardRules, rewardRules, ({ name }) => name),
  };
}

/** The run, or the model folder, whose weights this one begins with; null where none is named. */
async function parentOf(path: string | undefined, config: RunConfig, host: OwnWork) {
  if (path === undefined) return null;
  const { isModelFolder, saveOfModelFolder } = await import("../../runs/modelFolder.ts");
  if (await isModelFolder(path)) {
    const { additions, contents } = host;
    const files = await saveOfModelFolder({ path, runId: "model-folder", config, additions, steps: [] });
    return { path, runId: "model-folder", files, additions, contents };
  }
  const { findParent } = await import("../../runs/openRun.ts");
  return findParent(path, config);
}

async function startRun(
  call: TrainCall,
  file: ConfigFile,
  settings: readonly Setting[],
  config: RunConfig,
  host: Host,
  server: NamedServer | null,
): Promise<Report> {
  const { out, trajectories = TRAJECTORIES, log } = call.options;
  const forms = formsOf(log);
  const parent = await parentOf(call.options.from, config, host);
  const folder = await createRunFolder(out ?? (await freeFolder(file.name)), {
    name: file.name,
    config: file.path,
    settings: settings.map(({ field, value }) => ({ field, value })),
    trajectories,
    ...(log === undefined ? {} : { log }),
    ...(server ? { server: { url: server.url } } : {}),
    ...file.loaded?.named,
  });
  const notices = file.loaded?.data?.notes ?? [];
  const additions = joined(host.additions, parent?.additions);
  return reportOf(
    await trainInFolder({ ...call, folder, from: { config, parent }, host: { ...host, additions }, trajectories, forms, notices }),
  );
}

/** Trains the configuration that a command line names, or looks at it without training. */
export async function beginRun(call: TrainCall): Promise<Report> {
  const { options, operands, interrupt, progress } = call;
  const path = operands[0]!;
  refuseForeign(call);
  await refuseRun(path);
  const settings = await settingsOf(call);
  const file = withSettings(await readConfigFile(path), settings);
  const { config } = planFile(file);
  const server = await serverOf(config, options.url);
  const host = await hostOf(config, { ...opening(server), contents: file.contents, additions: file.loaded?.additions });
  await checkData(config, file.contents, dirname(file.path));
  if (options.backend === "trl") {
    const { trainWithTrl } = await import("../../training/trl/trainWithTrl.ts");
    const { trajectories = TRAJECTORIES } = options;
    return trainWithTrl({ ...options, trajectories, dryRun: options["dry-run"], resumed: null, file, host, interrupt, progress });
  }
  if (options["dry-run"]) {
    const { dryRun } = await import("../../training/dryRun.ts");
    return dryRun(file, { out: options.out ?? null, prices: options.prices ?? null, samples: options.sample }, host);
  }
  if (options.sample) throw new CommandError("--sample looks at a run that is not trained: add --dry-run, or leave it out");
  return startRun(call, file, settings, config, host, server);
}
