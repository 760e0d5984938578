// Trains a run from a configuration file, or goes on with one.
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { RunConfig, RunConfigKey } from "../../protocol/config.ts";
import type { Host } from "../../train/host.ts";
import { type RunFolder, SAVE_ENDING } from "../folder/runFolder.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import { type Call, DEVICES, defineVerb, type OptionSpecs, type OptionValues, type Report } from "../lab/verb.ts";
import type { ConfigFile } from "../training/configFile.ts";

const options = {
  out: { kind: "text", value: "DIR", help: "Folder of the run; by default a free one in runs/, named after the configuration." },
  set: { kind: "list", value: "KEY=VALUE", help: "Sets a field over the file's, such as steps=300 or taskOptions.length=6." },
  seed: { kind: "integer", value: "N", min: 0, max: 4_294_967_295, help: "The same as --set seed=N." },
  device: { kind: "text", value: "DEVICE", choices: DEVICES, help: "What computes; the same as --set backend=DEVICE." },
  from: {
    kind: "text",
    value: "RUN",
    help: "Begins with the weights and the shape of another run's transformer, or of a Hugging Face folder with the lab's tokenizer.",
  },
  resume: {
    kind: "flag",
    help: "Go on with a run from its last save, up to the steps that CONFIG or --set steps=N names: with the one in --out, or with the newest of this configuration in runs/. A save that the page downloaded stands in CONFIG's place.",
  },
  trajectories: {
    kind: "integer",
    value: "N",
    min: 0,
    help: "Conversations written down of the first, each evaluated and the last step (64); 0 for none.",
  },
  backend: {
    kind: "text",
    value: "WHAT",
    choices: ["builtin", "trl"],
    help: "What trains: this engine (default), or TRL where Python has it.",
  },
  python: { kind: "text", value: "FILE", help: "Python that has TRL, for --backend trl (ROLLOUT_LAB_PYTHON, else python3)." },
  "dry-run": { kind: "flag", help: "Prints the resolved plan with its memory and time; trains nothing that is kept." },
} as const satisfies OptionSpecs;
type TrainCall = Call<OptionValues<typeof options>>;

/** Conversations of a step that are written down by default. */
const TRAJECTORIES = 64;

export const train = defineVerb({
  name: "train",
  help: "Train a configuration; prints what it reached and where the run lies.",
  operands: ["CONFIG"],
  options,
  async run(call) {
    const { planFile } = await import("../training/configFile.ts");
    const { hostOf } = await import("../training/runHost.ts");
    const file = await configOf(call);
    const { config } = planFile(file);
    const host = await hostOf(config, file.loaded ? { additions: file.loaded.additions } : {});
    if (call.options.backend === "trl") {
      const { trainWithTrl } = await import("../training/trainWithTrl.ts");
      return trainWithTrl({
        ...call.options,
        dryRun: call.options["dry-run"],
        file,
        host,
        interrupt: call.interrupt,
        progress: call.progress,
      });
    }
    if (call.options["dry-run"]) {
      const { dryRun } = await import("../training/dryRun.ts");
      return dryRun(file, call.options.out ?? null, host);
    }
    if (file.path.endsWith(SAVE_ENDING) && !call.options.resume)
      throw new CommandError(
        `${file.path} is a saved run: add --resume to go on with it, or train a configuration with --from ${file.path}`,
      );
    return call.options.resume ? resumeRun(call, file.name, config, host) : startRun(call, file, config, host);
  },
});

/** The file with the command line's settings on top. */
async function configOf({ operands, options: { set, seed, device } }: TrainCall) {
  const { readConfigFile, readSetting, withSettings } = await import("../training/configFile.ts");
  const [path = ""] = operands;
  const file = path.endsWith(SAVE_ENDING) ? await fileOfRun(path) : await readConfigFile(path);
  return withSettings(file, [
    ...set.map(readSetting),
    ...(seed === undefined ? [] : [{ field: "seed", value: seed, option: "--seed" }]),
    ...(device === undefined ? [] : [{ field: "backend", value: device, option: "--device" }]),
  ]);
}

/** The configuration of a run that lies in one file, as the page downloads it. */
async function fileOfRun(path: string): Promise<ConfigFile> {
  const { readOrRefuse, readSaveFile } = await import("../folder/saveFile.ts");
  const { config } = readOrRefuse(path, await readSaveFile(path));
  return { path, name: basename(path, SAVE_ENDING), input: config, loaded: null, whereIs: () => null };
}

async function startRun(call: TrainCall, { name, loaded }: ConfigFile, config: RunConfig, host: Host): Promise<Report> {
  const { createRunFolder, freeFolder, RUNS } = await import("../folder/runFolder.ts");
  const { out, trajectories = TRAJECTORIES } = call.options;
  if (out === undefined) await mkdir(RUNS, { recursive: true }).catch(() => {});
  const path = out ?? (await freeFolder(name));
  const folder = await createRunFolder(path, {
    name,
    config: call.operands[0],
    command: process.argv.slice(2),
    created: new Date().toISOString(),
    ...loaded?.named,
  });
  const { trainInFolder } = await import("../training/trainInFolder.ts");
  return reportOf(
    call,
    await trainInFolder({ ...call, folder, from: { config, giver: await giverOf(call.options.from, config, host) }, host, trajectories }),
  );
}

/** The run, or the model folder, whose weights are handed on; null where none is named. */
async function giverOf(path: string | undefined, config: RunConfig, host: Host) {
  if (path === undefined) return null;
  const { isModelFolder, saveOfModelFolder } = await import("../runs/modelFolder.ts");
  if (await isModelFolder(path)) {
    const [runId, additions] = ["model-folder", host.additions ?? null] as const;
    return { path, runId, files: await saveOfModelFolder({ path, runId, config, additions, steps: [] }), additions };
  }
  const { findSave } = await import("../runs/openRun.ts");
  return findSave({ path, which: "last" });
}

async function resumeRun(call: TrainCall, name: string, config: RunConfig, host: Host): Promise<Report> {
  const { pathOf, readJson } = await import("../folder/runFolder.ts");
  const { readConfig } = await import("../../train/save/manifest.ts");
  const { trajectories = TRAJECTORIES } = call.options;
  const folder = await folderToResume(call, name, config);
  const before = readConfig(await readJson(pathOf(folder, "config.json")));
  const settings = await liveChanges(before, config, folder.path);
  const { trainInFolder } = await import("../training/trainInFolder.ts");
  return reportOf(call, await trainInFolder({ ...call, folder, from: { settings, backend: config.backend }, host, trajectories }));
}

/** The folder of the run that goes on; of one that lies in a file, a new one. */
async function folderToResume({ operands, options: { out } }: TrainCall, name: string, config: RunConfig): Promise<RunFolder> {
  const [path = ""] = operands;
  if (path.endsWith(SAVE_ENDING)) {
    const { folderFromSave } = await import("../folder/folderFromSave.ts");
    await liveChanges((await fileOfRun(path)).input as RunConfig, config, path);
    return folderFromSave(path, out);
  }
  const { findRun, listRuns, RUNS } = await import("../folder/runFolder.ts");
  const newest = (await listRuns(RUNS)).find((run) => run === name || run.replace(/-\d+$/, "") === name);
  if (out === undefined && newest === undefined)
    throw new CommandError(`there is no run of ${name} in ${RUNS}/ to resume: leave --resume out, or name its folder with --out`);
  return findRun(out ?? join(RUNS, newest!));
}

/** What a run that goes on is to change. Throws for what only a new run can have. */
async function liveChanges(before: RunConfig, now: RunConfig, path: string) {
  const { isSame } = await import("../../protocol/config/configFacts.ts");
  const { liveKeys } = await import("../../protocol/config/configFacts.ts");
  const { runConfigSchema } = await import("../../protocol/config.ts");
  // A model that was handed on has the shape of the giver's, whatever the file says.
  const isGiven = (key: RunConfigKey) => before.startFrom === "run" && runConfigSchema.shape[key].group === "model";
  const keys = (Object.keys(now) as RunConfigKey[]).filter((key) => key !== "changes" && !isGiven(key) && !isSame(now[key], before[key]));
  const isLive = (key: RunConfigKey) => (liveKeys as readonly RunConfigKey[]).includes(key);
  const other = keys.find((key) => !isLive(key) && key !== "backend" && key !== "threads");
  if (other) {
    const [was, is] = [before[other], now[other]].map((value) => JSON.stringify(value));
    throw new CommandError(
      `${path} was begun with ${other} ${was}, got ${is}: leave --resume out to begin another run (only ${liveKeys.join(", ")} can change)`,
    );
  }
  return Object.fromEntries(keys.filter(isLive).map((key) => [key, now[key]]));
}

async function reportOf(
  call: TrainCall,
  result: Awaited<ReturnType<typeof import("../training/trainInFolder.ts").trainInFolder>>,
): Promise<Report> {
  const { summaryText } = await import("../training/summary.ts");
  const { summary, recorder, isInterrupted } = result;
  const { run } = summary;
  const again = `rollout-lab train ${call.operands[0]} --out ${run} --resume`;
  const next = isInterrupted ? `interrupted: ${again} goes on from here` : `next: rollout-lab sample ${run}`;
  return {
    facts: { ...summary, interrupted: isInterrupted, ...(isInterrupted ? { resume: again } : {}) },
    text: `${summaryText(summary, recorder.recorded)}\n${next}`,
    exitCode: isInterrupted ? EXIT.interrupted : EXIT.ok,
  };
}
