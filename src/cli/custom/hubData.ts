// A data set of the Hugging Face hub as the problems of a run: its rows as the hub keeps them in Parquet, brought once, into
// the folder where the program is called. Only the splits that are asked for come.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkParquet, datasetParts, PARQUET_FRAME, usualConfig } from "../../model/hub/dataset.ts";
import { answerOf } from "../../model/hub/hub.ts";
import { fetchedFile } from "../../protocol/models/fetched.ts";
import { readModelName } from "../../protocol/models/modelName.ts";
import { errorText, unknownName } from "../../protocol/problems.ts";
import { DATA_ENDINGS } from "../../rl/data/rows/readRows.ts";
import { CommandError, foundAt } from "../lab/exit.ts";
import { hubOf, makeWhole } from "../models/fetchTokenizer.ts";

/** The folder of data sets, where the program is called. */
const DATASETS = "datasets";

/** Which rows of which data set. */
interface HubRows {
  /** OWNER/NAME. */
  readonly dataset: string;
  /** One of its configurations; the only one, or "default" or "main", where left out. */
  readonly config?: string;
  readonly split: string;
}

/** Whether a text names a data set of the hub rather than a file. */
export function namesDataset(text: string): boolean {
  return readModelName(text)?.kind === "hub" && !DATA_ENDINGS.some((ending) => text.toLowerCase().endsWith(ending));
}

/** The configuration that is meant. */
function configOf(names: readonly string[], { dataset, config }: Omit<HubRows, "split">): string {
  if (config !== undefined) {
    if (names.includes(config)) return config;
    throw new CommandError(unknownName("data.config", config, names));
  }
  const found = usualConfig(names);
  if (found !== undefined) return found;
  throw new CommandError(`data.config must name a part of ${dataset}, which has ${names.join(", ") || "none"}`);
}

/** Files of a split that were brought, in order; nothing where none were. */
async function brought(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(".parquet"))
    .sort()
    .map((name) => join(folder, name));
}

/** Brings the files of a split into a folder. */
async function bring(urls: readonly string[], folder: string, what: string): Promise<void> {
  const access = hubOf();
  for (const [i, url] of urls.entries()) {
    const bytes = await fetchedFile(what, await answerOf(access, url, what));
    // So that half of one is kept under no name.
    checkParquet(what, url, bytes.length, [bytes.subarray(0, PARQUET_FRAME), bytes.subarray(-PARQUET_FRAME)]);
    await writeFile(join(folder, `${String(i).padStart(5, "0")}.parquet`), bytes);
  }
}

/**
 * The Parquet files of a data set's split, brought where they are not here yet. Throws a CommandError where there is none of that name.
 * @param optional gives null for a split that the set does not have
 */
export async function datasetFiles({ dataset, config, split }: HubRows, optional = false): Promise<readonly string[] | null> {
  const place = join(DATASETS, dataset.replace("/", "--"));
  const parts = config === undefined ? await readdir(place).catch(() => []) : [config];
  const [only] = parts;
  const here = parts.length === 1 && only !== undefined ? await brought(join(place, only, split)) : [];
  if (here.length > 0) return here;
  try {
    const all = await datasetParts(hubOf(), dataset);
    const part = configOf(Object.keys(all), { dataset, ...(config === undefined ? {} : { config }) });
    const splits = all[part] ?? {};
    const urls = splits[split];
    if (!urls) {
      if (optional) return null;
      throw new CommandError(unknownName("data.split", split, Object.keys(splits)));
    }
    const folder = join(place, part, split);
    if (!(await foundAt(folder))) {
      await mkdir(join(place, part), { recursive: true });
      await makeWhole(folder, (unfinished) => bring(urls, unfinished, `${dataset}, ${part}, ${split}`));
    }
    return brought(folder);
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(errorText(error));
  }
}
