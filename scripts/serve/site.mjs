// The files of a build, held in memory: no request opens a file, so none can fail on the way, leave the
// folder or see half of a build that is just being made. What the server answers from is one whole
// build until the next is whole, too.
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { policyOf } from "./contentPolicy.mjs";

/**
 * @typedef {{ bytes: Buffer, etag: string }} Representation as it is, or compressed
 * @typedef {{ type: string, plain: Representation, br?: Representation, gzip?: Representation }} SiteFile
 * @typedef {{ files: ReadonlyMap<string, SiteFile>, policy: string | null, stamp: number | null }} Site files by their path,
 *   "/assets/app.js" for instance; the page's Content-Security-Policy; when the build was finished
 */

const UNKNOWN_TYPE = "application/octet-stream";
const TYPES = new Map([
  [".html", "text/html;charset=utf-8"],
  [".js", "text/javascript;charset=utf-8"],
  [".css", "text/css;charset=utf-8"],
  [".json", "application/json"],
  [".webmanifest", "application/manifest+json"],
  [".jsonl", "application/jsonl;charset=utf-8"],
  [".txt", "text/plain;charset=utf-8"],
  [".jinja", "text/plain;charset=utf-8"],
  [".csv", "text/csv;charset=utf-8"],
  [".md", "text/markdown;charset=utf-8"],
  [".wasm", "application/wasm"],
  [".safetensors", UNKNOWN_TYPE],
  [".rollout", UNKNOWN_TYPE],
  [".woff2", "font/woff2"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".webp", "image/webp"],
  [".ico", "image/x-icon"],
]);
/** Copies that the build lays beside a file, best first. */
export const ENCODINGS = /** @type {const} */ ([
  ["br", ".br"],
  ["gzip", ".gz"],
]);
/** Names below carry a hash of their content. */
export const HASHED = "/assets/";

/** @param {Buffer} bytes @returns {Representation} */
export function representation(bytes) {
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}

/**
 * Plain files at and below a folder. Links are left out, since they may lead elsewhere, and so are hidden names.
 * @param {string} folder
 * @param {string} [path] below the folder
 * @returns {Promise<string[]>} each with a slash before it
 */
async function listFiles(folder, path = "") {
  const entries = (await readdir(join(folder, path), { withFileTypes: true })).filter(({ name }) => !name.startsWith("."));
  const lists = entries.map((entry) => {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(folder, below);
    return entry.isFile() ? [below] : [];
  });
  return (await Promise.all(lists)).flat();
}

/** When the build in a folder was finished, or null while it is not. @param {string} folder @returns {Promise<number | null>} */
async function stampOf(folder) {
  const found = await stat(join(folder, ".stamp")).catch(() => null);
  return found?.mtimeMs ?? null;
}

/**
 * What the page needs as it is. The package holds it once, in public/ beside the build, where the command line reads it.
 * @param {string} folder of the build @param {readonly string[]} built its files
 */
async function takenFiles(folder, built) {
  const taken = join(folder, "..", "public");
  const lists = await Promise.all(
    ["/kernels", "/sandbox", "/models", "/tokenizers", "/examples"].map((path) => listFiles(taken, path).catch(() => [])),
  );
  const known = new Set(built);
  return lists.flat().flatMap((path) => (known.has(path) ? [] : [{ path, from: join(taken, path) }]));
}

/** @param {string} folder @returns {Promise<Site>} rejects where a file goes away meanwhile */
async function readSite(folder) {
  const stamp = await stampOf(folder);
  const built = await listFiles(folder);
  const sources = [...built.map((path) => ({ path, from: join(folder, path) })), ...(await takenFiles(folder, built))];
  const paths = sources.map(({ path }) => path);
  const contents = await Promise.all(sources.map(({ from }) => readFile(from)));
  const found = new Map(paths.map((path, i) => [path, representation(/** @type {Buffer} */ (contents[i]))]));
  /** @type {Map<string, SiteFile>} */
  const files = new Map();
  for (const [path, plain] of found) {
    if (ENCODINGS.some(([, ending]) => path.endsWith(ending) && found.has(path.slice(0, -ending.length)))) continue;
    const copies = ENCODINGS.flatMap(([encoding, ending]) => {
      const copy = found.get(path + ending);
      return copy ? [[encoding, copy]] : [];
    });
    files.set(path, { type: TYPES.get(extname(path)) ?? UNKNOWN_TYPE, plain, ...Object.fromEntries(copies) });
  }
  return { files, policy: policyOf(files.get("/index.html")?.plain.bytes.toString() ?? ""), stamp };
}

/**
 * Reads a build and keeps up with it. `latest` reads it again where another one has been finished since;
 * while one is being made, the one before goes on. Pages that were open by then find the hashed files of
 * the build they came from, too.
 * @param {string} folder
 * @returns {Promise<{ readonly site: Site, latest: () => Promise<Site> }>} rejects where the folder cannot be read
 */
export async function openSite(folder) {
  let newest = await readSite(folder).catch((error) => {
    throw new Error(`${folder} cannot be served: run \`npm run build\` first`, { cause: error });
  });
  let site = newest;
  /** @type {Promise<void> | null} */
  let reading = null;

  async function renew() {
    const stamp = await stampOf(folder);
    if (stamp === null || stamp === newest.stamp) return;
    const next = await readSite(folder);
    if (next.stamp !== stamp || (await stampOf(folder)) !== stamp) return;
    const open = [...newest.files].filter(([path]) => path.startsWith(HASHED));
    newest = next;
    site = { ...next, files: new Map([...open, ...next.files]) };
  }

  return {
    get site() {
      return site;
    },
    async latest() {
      // A build that is begun while it is read takes files away; the next page that is asked for tries again.
      reading ??= renew()
        .catch(() => {})
        .finally(() => {
          reading = null;
        });
      await reading;
      return site;
    },
  };
}
