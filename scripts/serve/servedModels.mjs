// Models that somebody brought into a folder models/, beside those of the build: their files are read from the disk, in
// the parts that are asked for, since they may be larger than the memory. Only plain files of plain folders count; links
// may lead elsewhere.
import { createReadStream } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathOf, readRange } from "./answer.mjs";

/**
 * @typedef {{ name: string, bytes: number }} ServedFile
 * @typedef {{ name: string, source: unknown, files: ServedFile[] }} ServedModel source: what its source.json says, or null
 */

const NAME = "[A-Za-z0-9_][\\w.-]*";
const FILE = new RegExp(`^/models/(${NAME})/(${NAME})$`);
/** Where the page finds which models there are. */
export const MODEL_LIST = "/models/served.json";

/** @param {string} path @returns {Promise<number | null>} bytes of a plain file; null where there is none */
async function sizeOf(path) {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}

/** @param {string} models @param {string} name @returns {Promise<ServedModel | null>} null where it has no config.json, as while it is brought */
async function modelIn(models, name) {
  const folder = join(models, name);
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map((file) => sizeOf(join(folder, file))));
  const files = names.flatMap((file, i) => (sizes[i] == null ? [] : [{ name: file, bytes: sizes[i] }]));
  if (!files.some((file) => file.name === "config.json")) return null;
  const text = await readFile(join(folder, "source.json"), "utf8").catch(() => "null");
  return { name, source: JSON.parse(text), files };
}

/**
 * The models of a folder, in the order of their names; none where there is no such folder.
 * @param {string} models
 * @returns {Promise<ServedModel[]>}
 */
export async function listModels(models) {
  const entries = await readdir(models, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && FILE.test(`/models/${entry.name}/x`) && !entry.name.endsWith(".part"));
  // A folder that cannot be read is none that could be offered.
  const found = await Promise.all(names.map(({ name }) => modelIn(models, name).catch(() => null)));
  return found.flatMap((model) => model ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The answer to a request for one of these models, or for their list; null where the address is of neither. A part is
 * read as it is sent.
 * @param {string} models
 * @param {import("./answer.mjs").Request} request
 * @returns {Promise<{ status: number, headers: Record<string, string>, body: Buffer | import("node:fs").ReadStream } | null>}
 */
export async function answerWithModel(models, { url = "", headers: { range: asked } }) {
  const path = pathOf(url) ?? "";
  const headers = { "Cache-Control": "no-cache" };
  if (path === MODEL_LIST) {
    const body = Buffer.from(JSON.stringify(await listModels(models)));
    return { status: 200, headers: { ...headers, "Content-Type": "application/json", "Content-Length": String(body.length) }, body };
  }
  const [, folder, name] = FILE.exec(path) ?? [];
  if (folder === undefined || name === undefined) return null;
  if (!(await lstat(join(models, folder)).catch(() => null))?.isDirectory()) return null;
  const file = join(models, folder, name);
  const bytes = await sizeOf(file);
  if (bytes === null) return null;
  const range = readRange(asked, bytes);
  if (range === null) return { status: 416, headers: { ...headers, "Content-Range": `bytes */${bytes}` }, body: Buffer.alloc(0) };
  const { first, last } = range === "all" ? { first: 0, last: bytes - 1 } : range;
  const of = { "Content-Type": "application/octet-stream", "Accept-Ranges": "bytes", "Content-Length": String(last + 1 - first) };
  const part = range === "all" ? {} : { "Content-Range": `bytes ${first}-${last}/${bytes}` };
  const body = bytes === 0 ? Buffer.alloc(0) : createReadStream(file, { start: first, end: last });
  return { status: range === "all" ? 200 : 206, headers: { ...headers, ...of, ...part }, body };
}
