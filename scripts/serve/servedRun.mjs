// A run beside the page: its files below /run/, and in the page a script that opens them (openRun.js). The build
// itself knows nothing of it and stays as it is.
import { readFileSync } from "node:fs";
import { representation } from "./site.mjs";

/**
 * @typedef {import("./site.mjs").Site} Site
 * @typedef {readonly (readonly [path: string, bytes: Uint8Array])[]} RunFiles each with its place, "digit-sum/save/save.json" for instance
 */

const FOLDER = "/run/";

/**
 * A site with a run beside its page.
 * @param {Site} site
 * @param {RunFiles} run
 * @returns {Site}
 */
export function withRun(site, run) {
  const page = site.files.get("/index.html");
  if (!page) return site;
  const html = page.plain.bytes.toString().replace("</body>", `  <script src="${FOLDER}open.js"></script>\n  </body>`);
  const script = readFileSync(new URL("openRun.js", import.meta.url));
  /** @param {string} type @param {Uint8Array | string} contents */
  const file = (type, contents) => ({ type, plain: representation(Buffer.from(contents)) });
  const added = /** @type {const} */ ([
    ["/index.html", file(page.type, html)],
    [`${FOLDER}open.js`, file("text/javascript;charset=utf-8", script)],
    [`${FOLDER}files.json`, file("application/json", JSON.stringify(run.map(([path]) => path)))],
    ...run.map(([path, bytes]) => /** @type {const} */ ([`${FOLDER}${path}`, file("application/octet-stream", bytes)])),
  ]);
  return { ...site, files: new Map([...site.files, ...added]) };
}
