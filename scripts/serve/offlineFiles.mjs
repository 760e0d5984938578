// Which files of a build the service worker keeps, and the build's name: written in front of its script, so that another build is another
// script, by which browsers notice it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const WORKER = "offline.js";
const START = "self.offlineFiles=";
/** Kept once they were used. */
const SELDOM = ["models/", "examples/", "tfjs/", "run/"];
/** Compressed copies, marks of the build and the worker itself. */
const isFile = (/** @type {string} */ path) => !/(^|\/)\.|\.(br|gz|map)$/.test(path) && path !== WORKER;

/** @param {string} folder @param {string} [below] @returns {string[]} paths below it */
function filesIn(folder, below = "") {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = below + entry.name;
      return entry.isDirectory() ? filesIn(folder, `${path}/`) : entry.isFile() && isFile(path) ? [path] : [];
    });
}

/**
 * Writes the list of a folder's files into its service worker; again where the folder has changed.
 * @param {string} folder with the build
 */
export function writeOfflineFiles(folder) {
  const script = readFileSync(join(folder, WORKER), "utf8");
  const code = script.startsWith(START) ? script.slice(script.indexOf("\n") + 1) : script;
  const hashOf = (/** @type {string} */ path) =>
    createHash("sha256")
      .update(readFileSync(join(folder, path)))
      .digest("hex")
      .slice(0, 16);
  const revised = filesIn(folder).map((url) => ({ url, revision: hashOf(url) }));
  const build = createHash("sha256").update(JSON.stringify(revised)).digest("hex").slice(0, 16);
  const isSeldom = (/** @type {{ url: string }} */ { url }) => SELDOM.some((start) => url.startsWith(start));
  const list = { build, first: revised.filter((file) => !isSeldom(file)), used: revised.filter(isSeldom).map(({ url }) => url) };
  writeFileSync(join(folder, WORKER), `${START}${JSON.stringify(list)};\n${code}`);
}
