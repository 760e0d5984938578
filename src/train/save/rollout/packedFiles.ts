// A saved run as one file: a ZIP archive of the parts of its save, the manifest among them, which has the SHA-256 of the others. A page
// downloads it, a folder keeps its checkpoints so, and a recording to hand on is one without weights.
import { unzipped, zipOf } from "../../../protocol/run/zip.ts";
import { ARRAYS, isArray, LABEL } from "../../host.ts";
import { KEPT_FOLDER } from "../kept/groupFile.ts";
import { LOG_FOLDER } from "../log/logFile.ts";
import { MANIFEST } from "../manifest.ts";
import type { SaveFiles } from "../readSave.ts";

/** How the names of such files end, and how those with weights once did. */
export const ROLLOUT_ENDING = ".rollout";
export const ROLLOUT_ENDINGS = [ROLLOUT_ENDING, ".rollout-lab"] as const;

/** The place that a file opens on, in what was handed on from a screen. */
export const PLACE = "place";

/** Before the SHA-256 of data that a run trains on. */
export const DATA_FOLDER = "data/";

/** Names of the parts of a save, as the lab writes them: nothing else is taken from elsewhere. */
export const PART_NAME = new RegExp(
  `^(?:${MANIFEST}|${LABEL}|${PLACE}|${LOG_FOLDER}\\d+|${ARRAYS}\\d+/[a-z]+\\.[a-z]+|${KEPT_FOLDER}\\d+|${DATA_FOLDER}[0-9a-f]{64})$`,
);

/** Weights are noise to a compressor. */
export const packFiles = (files: SaveFiles): Uint8Array => zipOf(files, (name) => !isArray(name));

/** How the forms before this one began. */
const OLDER = /^(?:rollout-file \d|.{8}\[\{"name":)/s;

/** The parts of a save in one file. Throws a sentence where it is none, or was cut short. */
export function unpackFiles(file: Uint8Array): SaveFiles {
  if (OLDER.test(new TextDecoder("latin1").decode(file.subarray(0, 20))))
    throw new Error("the saved run has version 7 or an older one, and this lab reads version 8");
  return unzipped(file, "saved run", (name) => PART_NAME.test(name));
}

/** The place that a file opens on; null where it names none. */
export function placeIn(files: SaveFiles): string | null {
  const place = files.get(PLACE);
  return place ? new TextDecoder().decode(place) : null;
}
