// Trains a run from a configuration file, or goes on with one.
import { dirname } from "node:path";
import type { RunConfig } from "../../protocol/config.ts";
import type { Additions, Host, Models, OwnWork } from "../../train/host.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import { operandWord } from "../lab/texts.ts";
import { type Call, DEVICES, defineVerb, type OptionSpecs, type OptionValues, type Report } from "../lab/verb.ts";
import type { NamedServer } from "../remote/httpServer.ts";
import type { ConfigFile, Setting } from "../training/configFile.ts";
import type { NamedRun } from "../training/resumed.ts";

const options = {
  out: { kind: "text", value: "DIR", help: "Folder of the run; by default a free one in runs/, named after the configuration." },
  set: { kind: "list", value: "KEY=VALUE", help: "Sets a field over the file's, such as steps=300 or taskOptions.length=6." },
  seed: { kind: "integer", value: "N", min: 0, max: 4_294_967_295, help: "The same as --set seed=N." },
  device: { kind: "text", value: "DEVICE", choices: DEVICES, help: "What computes; the same as --set backend=DEVICE." },
  model: {
    kind: "text",
    value: "MODEL",
    help: "Begins with a pretrained model: OWNER/NAME[@REVISION] of the hub or a folder of models/, once fetch has brought it, or a path; the same as --set checkpoint=MODEL with startFrom: checkpoint.",
  },
  from: {
    kind: "text",
    value: "RUN",
    help: "Begins with the weights and the shape of another run's transformer, or of a Hugging Face folder with the lab's tokenizer.",
  },
  resume: {
    kind: "flag",
    help: "Go on with a run from its last save, as it was begun: CONFIG is its folder, or its configuration (the run is then the one in --out, or the newest of that name in runs/), or a save that the page downloaded. --set changes what can change, such as steps=N. A run of --backend trl goes on from TRL's last checkpoint.",
  },
  trajectories: {
    kind: "amount",
    value: "N",
    min: 0,
    help: "Conversations written down of the first, each evaluated and the last step (64); 0 for none; all for every conversation of every step.",
  },
  log: {
    kind: "text",
    value: "FORMS",
    help: "Writes the metrics in logs/ of the run while it goes on, in forms of other programs, with commas between them: jsonl, csv, tensorboard, mlflow, wandb.",
  },
  backend: {
    kind: "text",
    value: "WHAT",
    choices: ["builtin", "trl", "tinker"],
    help: "What trains: this engine (default), TRL where Python has it, or this engine with its model on a server that speaks the Tinker API.",
  },
  url: {
    kind: "text",
    value: "URL",
    help: "Address of the server, for --backend tinker (else TINKER_BASE_URL; --resume: the run's own); its key, where it wants one, is TINKER_API_KEY.",
  },
  prices: {
    kind: "text",
    value: "PRICES",
    help: "With --dry-run of --backend tinker: prices of a million tokens, such as prefill=0.1,sample=0.3,train=0.4, for what the run would cost.",
  },
  launch: {
    kind: "text",
    value: "COMMAND",
    help: 'With --backend trl: starts the training elsewhere. {} in it becomes the training\'s command as one word of the shell, as in "ssh machine {}" or "srun --gpus=1 sh -c {}".',
  },
  python: {
    kind: "text",
    value: "FILE",
    help: "Python that has TRL, for --backend trl (ROLLOUT_LAB_PYTHON, else python3; --resume: the run's own).",
  },
  "dry-run": { kind: "flag", help: "Prints the resolved plan with its memory and time; trains nothing that is kept." },
  sample: {
    kind: "flag",
    help: "With --dry-run: samples the first step's answers and tells what they earn, how many are cut off, and what keeps them from teaching anything.",
  },
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
    const { options } = call;
    if (options.resume) return resumeRun(call);
    refuseForeign(call);
    const { planFile, readConfigFile, withSettings } = await import("../training/configFile.ts");
    const { hostOf } = await import("../training/runHost.ts");
    const { checkData } = await import("../custom/contents.ts");
    await refuseRun(call.operands[0]!);
    const settings = await settingsOf(call);
    const file = withSettings(await readConfigFile(call.operands[0]!), settings);
    const { config } = planFile(file);
    const server = await serverOf(config, options.url);
    const host = await hostOf(config, { ...opening(server), contents: file.contents, additions: file.loaded?.additions });
    await checkData(config, file.contents, dirname(file.path));
    if (options.backend === "trl") {
      const { trainWithTrl } = await import("../training/trl/trainWithTrl.ts");
      const { interrupt, progress } = call;
      const { trajectories = TRAJECTORIES } = options;
      return trainWithTrl({ ...options, trajectories, dryRun: options["dry-run"], resumed: null, file, host, interrupt, progress });
    }
    if (options["dry-run"]) {
      const { dryRun } = await import("../training/dryRun.ts");
      return dryRun(file, { out: options.out ?? null, prices: options.prices ?? null, samples: options.sample }, host);
    }
    if (options.sample) throw new CommandError("--sample looks at a run that is not trained: add --dry-run, or leave it out");
    return startRun(call, file, settings, config, host, server);
  },
});

/** Throws where an option would change nothing with what trains. */
function refuseForeign({ options: { backend, from, launch, python } }: TrainCall): void {
  if (backend !== "trl") {
    const [given] = Object.entries({ "--launch": launch, "--python": python }).find(([, value]) => value !== undefined) ?? [];
    if (given) throw new CommandError(`${given} is of a training by TRL: add --backend trl, or leave it out`);
  } else if (from !== undefined)
    throw new CommandError(
      `--from is of this engine's own training, and TRL begins with the configuration's model: rollout-lab export ${operandWord(from)} --to hf --out DIR makes a folder that --model DIR names`,
    );
}

/** What the command line sets. */
async function settingsOf({ options: { set, seed, device, model, backend } }: TrainCall): Promise<readonly Setting[]> {
  const { readSetting } = await import("../training/configFile.ts");
  const { chosenModel } = await import("../models/modelPlaces.ts");
  // A server has models by their names alone.
  const checkpoint = model === undefined || backend === "tinker" ? model : await chosenModel(model);
  const ofModel = { model: "transformer", startFrom: "checkpoint", checkpoint };
  return [
    ...set.map(readSetting),
    ...(seed === undefined ? [] : [{ field: "seed", value: seed, option: "--seed" }]),
    ...(model === undefined ? [] : Object.entries(ofModel).map(([field, value]) => ({ field, value, option: "--model" }))),
    ...(backend === "tinker" ? [{ field: "backend", value: "tinker", option: "--backend tinker" }] : []),
    ...(device === undefined ? [] : [{ field: "backend", value: device, option: "--device" }]),
  ];
}

/** The server of a run that has its model on one; null for any other. @param facts what run.json says of a run that goes on */
async function serverOf({ backend }: RunConfig, url: string | undefined, facts?: unknown): Promise<NamedServer | null> {
  if (backend === "tinker") return (await import("../remote/httpServer.ts")).namedServer(url, facts);
  if (url === undefined) return null;
  throw new CommandError("--url is of a server that has the model: add --backend tinker");
}

const opening = (server: NamedServer | null): Pick<Models, "openServer"> => (server ? { openServer: async () => server } : {});

/** Throws where a run stands in the place of a configuration. */
async function refuseRun(path: string): Promise<void> {
  const { isRunFolder, namesRun } = await import("../folder/runFolder.ts");
  if (namesRun(path) || (await isRunFolder(path)))
    throw new CommandError(
      `${path} is a saved run: rollout-lab train ${operandWord(path)} --resume goes on with it, or train a configuration with --from ${operandWord(path)}`,
    );
}

async function startRun(
  call: TrainCall,
  file: ConfigFile,
  settings: readonly Setting[],
  config: RunConfig,
  host: Host,
  server: NamedServer | null,
): Promise<Report> {
  const { createRunFolder, freeFolder } = await import("../folder/runFolder.ts");
  const { trainInFolder } = await import("../training/trainInFolder.ts");
  const { out, trajectories = TRAJECTORIES, log } = call.options;
  const forms = await formsOf(log);
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

/** Forms in which metrics are written while a run goes on. */
async function formsOf(log: string | undefined) {
  if (log === undefined) return [];
  const { readForms } = await import("../training/runLogs.ts");
  return readForms(log);
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
  const { isModelFolder, saveOfModelFolder } = await import("../runs/modelFolder.ts");
  if (await isModelFolder(path)) {
    const { additions, contents } = host;
    const files = await saveOfModelFolder({ path, runId: "model-folder", config, additions, steps: [] });
    return { path, runId: "model-folder", files, additions, contents };
  }
  const { findParent } = await import("../runs/openRun.ts");
  return findParent(path, config);
}

async function resumeRun(call: TrainCall): Promise<Report> {
  const { from, model, backend, out, trajectories, "dry-run": isDry } = call.options;
  const given = { "--from": from, "--model": model, "--backend trl": backend === "trl" || undefined, "--dry-run": isDry || undefined };
  const [begins] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (begins) throw new CommandError(`${begins} is of a run that begins, and --resume goes on with one: leave one of them out`);
  const { findResumed, namedRun } = await import("../training/resumed.ts");
  const { isOfTrl, namesRun } = await import("../folder/runFolder.ts");
  const named = namesRun(call.operands[0]!) ? null : await namedRun(call.operands[0]!, out);
  if (named && isOfTrl(named.facts)) return resumeTrl(call, named);
  refuseForeign(call);
  const { trainInFolder } = await import("../training/trainInFolder.ts");
  const { hostOf } = await import("../training/runHost.ts");
  const { folder, plan, settings, additions, notices, facts, ...found } = await findResumed(call.operands[0]!, out, await settingsOf(call));
  const { contentsIn } = await import("../custom/contents.ts");
  const server = await serverOf(plan, call.options.url, facts);
  const host = await hostOf(plan, { ...opening(server), contents: contentsIn([folder.path]), additions });
  const forms = await formsOf(call.options.log ?? found.log);
  const most = trajectories ?? found.trajectories ?? TRAJECTORIES;
  return reportOf(await trainInFolder({ ...call, folder, from: { settings, plan }, host, trajectories: most, forms, notices }));
}

async function resumeTrl(call: TrainCall, named: NamedRun): Promise<Report> {
  const { resumedTrl } = await import("../training/trl/resumedTrl.ts");
  const { trainWithTrl } = await import("../training/trl/trainWithTrl.ts");
  const { planFile } = await import("../training/configFile.ts");
  const { hostOf } = await import("../training/runHost.ts");
  const { interrupt, progress, options } = call;
  const { file, begun } = await resumedTrl(named, await settingsOf(call));
  const host = await hostOf(planFile(file).config, { contents: file.contents, additions: file.loaded?.additions });
  return trainWithTrl({
    ...{ file, host, interrupt, progress, resumed: named.folder, out: undefined, dryRun: false },
    ...{ python: options.python ?? begun.python, launch: options.launch ?? begun.launch, log: options.log ?? begun.log },
    trajectories: options.trajectories ?? begun.trajectories ?? TRAJECTORIES,
  });
}

async function reportOf(result: Awaited<ReturnType<typeof import("../training/trainInFolder.ts").trainInFolder>>): Promise<Report> {
  const { summaryText } = await import("../training/summary.ts");
  const { summary, recorder, isInterrupted } = result;
  const run = operandWord(summary.run);
  const again = `rollout-lab train ${run} --resume`;
  const next = isInterrupted ? `interrupted: ${again} goes on from here` : `next: rollout-lab sample ${run}`;
  return {
    facts: { ...summary, interrupted: isInterrupted, ...(isInterrupted ? { resume: again } : {}) },
    text: `${summaryText(summary, recorder.recorded)}\n${next}`,
    exitCode: isInterrupted ? EXIT.interrupted : EXIT.ok,
  };
}
