// Runs from elsewhere: folders of the command line and files that a page downloaded, dropped or chosen. The engine reads and keeps
// them; here it is found out which files belong to one run.

import type { OpenedRun } from "../../../protocol/messages.ts";
import { errorText } from "../../../protocol/problems.ts";
import { LABEL_FILE } from "../../../protocol/run/runLabel.ts";
import { engine } from "../../engine/client.ts";
import { goTo } from "../../engine/route.ts";
import { importedRecords, MOST_BYTES, openSaved, RECORDED } from "../../engine/saves/saveActions.ts";
import { endTour } from "../../kit/dialog/dialogStore.ts";
import { folderOf, nameOf } from "../../kit/files.ts";
import { useRuns } from "../list/runsStore.ts";
import { goToPlace, readPlace } from "../replay/replayLink.ts";

/** A file with its place below what was dropped or chosen, such as "runs/digit-sum/save/save.json". */
export interface PlacedFile {
  readonly path: string;
  /** @param last so many bytes of its end, all where left out. */
  read(last?: number): Promise<Uint8Array>;
}

/** The files of one run, and what the reader calls it. */
export interface ImportedRun {
  readonly name: string;
  readonly files: readonly PlacedFile[];
  /** The conversations that lie in its folder. */
  readonly records?: PlacedFile;
}

const LIST = "save.json";
const ENDINGS = [".rollout", ".rollout-lab"] as const;

/** Whether a file is the list of a save or a saved run by its name. */
export const isOfSavedRun = (path: string): boolean => nameOf(path) === LIST || ENDINGS.some((ending) => path.endsWith(ending));

/** The runs among files: each folder with a list of a save; else each saved file, and whatever lies in no folder. */
export function runsAmong(files: readonly PlacedFile[]): readonly ImportedRun[] {
  const lists = files.filter(({ path }) => nameOf(path) === LIST);
  const inFolders = lists.map(({ path }) => {
    const folder = folderOf(path);
    const run = nameOf(folder) === "save" ? folderOf(folder) : folder;
    return {
      name: run || folder || path,
      files: files.filter(
        (file) => folderOf(file.path) === folder || file.path === `${run}/${LABEL_FILE}` || folderOf(file.path) === `${run}/data`,
      ),
      ...(run === folder ? {} : { records: files.find((file) => file.path === `${run}/${RECORDED}`) ?? null }),
    };
  });
  // The checkpoints of a run's folder are the same run.
  const isLoose = ({ path }: PlacedFile) => !path.includes("/") && path !== LIST;
  const single = files.filter((file) => isLoose(file) || (lists.length === 0 && ENDINGS.some((ending) => file.path.endsWith(ending))));
  return [...inFolders, ...single.map((file) => ({ name: file.path, files: [file] }))];
}

async function add({ files, records }: ImportedRun): Promise<OpenedRun> {
  const read = await Promise.all(files.map(async (file) => ({ name: nameOf(file.path), bytes: await file.read() })));
  const added = await engine.request({ type: "add-save", files: read });
  if (records !== undefined) importedRecords.set(added.runId, async () => (await records?.read(MOST_BYTES)) ?? null);
  return added;
}

/**
 * Keeps what was brought as saved runs. The only one opens at once as a recording, where no run trains here; else the
 * screen Runs shows what came of it.
 */
export async function bring(what: string, files: readonly PlacedFile[]): Promise<void> {
  endTour();
  useRuns.setState({ isBringing: true, brought: null });
  const [added, problems]: [string[], string[]] = [[], []];
  const here: OpenedRun[] = [];
  const runs = runsAmong(files);
  if (runs.length === 0)
    problems.push(
      `${what} holds no run and no model: a run's folder has ${LIST} in its folder save, a saved file ends in ${ENDINGS[0]}, a model is a GGUF file or a folder with config.json and weights`,
    );
  for (const run of runs) {
    try {
      here.push(await add(run));
      added.push(run.name);
    } catch (error) {
      problems.push(`${run.name}: ${errorText(error)}`);
    }
  }
  useRuns.setState({ isBringing: false, brought: { added, problems } });
  const [only] = here;
  const { state } = engine.view.facts.getState();
  if (only !== undefined && here.length === 1 && problems.length === 0 && state !== "running" && state !== "preparing") {
    await openSaved(only.runId);
    if (only.place !== undefined) goToPlace(readPlace(only.place));
  } else goTo("runs", { bring: true });
}

/** Files that a form has. */
export function importChosen(list: readonly File[]): Promise<void> {
  const files = list.map((file) => placed(file.webkitRelativePath || file.name, async () => file));
  return bring(list[0]?.webkitRelativePath.split("/")[0] || "what was chosen", files);
}

/** One that is a file of the browser's. */
export interface OpenedFile extends PlacedFile {
  open(): Promise<File>;
}

export function placed(path: string, open: () => Promise<File>): OpenedFile {
  return {
    path,
    open,
    async read(last) {
      const file = await open();
      return new Uint8Array(await (last === undefined ? file : file.slice(-last)).arrayBuffer());
    },
  };
}
