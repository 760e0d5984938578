// The tokenizer of a model of the hub, brought when a run on a server first asks for it: a few small files and no
// weights, beside the models that were brought whole.
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelFolder } from "../../model/folder/modelFolder.ts";
import { answerOf, type HubAccess } from "../../model/hub/hub.ts";
import { fetchedFile } from "../../protocol/models/fetched.ts";
import { type HubName, tokenizerAddresses } from "../../protocol/models/servedServer.ts";
import { errorText } from "../../protocol/problems.ts";
import { CommandError, foundAt } from "../lab/exit.ts";
import { diskFolder } from "./modelPlaces.ts";

/** The folder of them in the folder of models; its name is none that a model can have. */
const TOKENIZERS = ".tokenizers";

/**
 * The hub, or another server that speaks as it does, with the key of whoever calls. A key is sent to no other host that
 * an answer sends on to.
 */
export function hubOf(): HubAccess {
  const { HF_ENDPOINT, HF_TOKEN } = process.env;
  return {
    fetch: (url, init) => fetch(url, init),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    base: (HF_ENDPOINT || "https://huggingface.co").replace(/\/$/, ""),
    ...(HF_TOKEN ? { headers: { authorization: `Bearer ${HF_TOKEN}` } } : {}),
  };
}

/** Makes a folder that is there as a whole or not at all. Where another run has made it meanwhile, its folder is as good. */
export async function makeWhole(folder: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  const unfinished = `${folder}.${process.pid}.part`;
  try {
    await mkdir(unfinished, { recursive: true });
    await fill(unfinished);
    await rename(unfinished, folder).catch(async (error: unknown) => {
      if (!(await foundAt(folder))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Whether the hub says that it has no such file. */
async function lacks({ fetch: ask, headers }: HubAccess, url: string): Promise<boolean> {
  const answer = await ask(url, { method: "HEAD", ...(headers ? { headers } : {}) }).catch(() => null);
  return answer?.status === 404;
}

/**
 * The folder of a tokenizer, which is brought where it is not there yet. Throws a CommandError where it cannot be.
 * @param models folder of models
 */
export async function openTokenizer(name: HubName, models: string): Promise<ModelFolder> {
  const access = hubOf();
  const folder = join(models, TOKENIZERS, `${name.repository.replace("/", "--")}@${encodeURIComponent(name.revision ?? "main")}`);
  if (await foundAt(folder)) return diskFolder(folder);
  try {
    await makeWhole(folder, async (unfinished) => {
      for (const { name: file, url, mayLack } of tokenizerAddresses(name, access.base)) {
        if (mayLack && (await lacks(access, url))) continue;
        const answer = await answerOf(access, url, `${file} of ${name.repository}`);
        await writeFile(join(unfinished, file), await fetchedFile(file, answer));
      }
    });
  } catch (error) {
    const files = tokenizerAddresses(name, access.base).filter(({ mayLack }) => !mayLack);
    const other = `--model ./FOLDER/${name.repository.split("/").at(-1)} takes a folder with ${files.map(({ name: file }) => file).join(", ")}`;
    throw new CommandError(
      `the tokenizer of ${name.repository} is not here, and ${errorText(error)}: HF_ENDPOINT names another hub, and ${other}`,
    );
  }
  return diskFolder(folder);
}
