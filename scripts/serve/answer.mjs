// What a request is answered with, as a pure function of the request and the files: methods, addresses,
// compressed copies, conditions and ranges as RFC 9110 has them.
import { ENCODINGS, HASHED } from "./site.mjs";

/**
 * @typedef {import("./site.mjs").Site} Site
 * @typedef {import("./site.mjs").SiteFile} SiteFile
 * @typedef {import("./site.mjs").Representation} Representation
 * @typedef {{ method?: string | undefined, url?: string | undefined, headers: import("node:http").IncomingHttpHeaders }} Request
 * @typedef {{ status: number, headers: Record<string, string>, body: Buffer }} Answer
 */

/** Shared memory, and with it threads, needs a page isolated from other origins. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};
const NOTHING = Buffer.alloc(0);
const PAGE = "/index.html";

/**
 * The path that a request line names, decoded; null where it is none.
 * @param {string} target "/assets/app.js?x", or with the host before it
 */
export function pathOf(target) {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  try {
    return path.startsWith("/") ? decodeURIComponent(path) : null;
  } catch {
    return null;
  }
}

/** Whether a path is that of the page, which is given for any name beside it as well. @param {string} path */
function namesPage(path) {
  return path === PAGE || /^\/[^/.]*$/.test(path);
}

/**
 * Whether a request may be answered with the page, so that it is worth looking for a newer build.
 * @param {Request} request
 */
export function asksForPage({ url = "" }) {
  return namesPage(pathOf(url) ?? "");
}

/**
 * The copy to send: the first that the client accepts.
 * @param {SiteFile} file
 * @param {string} accepted the Accept-Encoding header
 * @returns {{ encoding: string | null, chosen: Representation }}
 */
function choose(file, accepted) {
  const weights = new Map(
    accepted
      .toLowerCase()
      .split(",")
      .map((part) => {
        const [name = "", ...parameters] = part.split(";").map((word) => word.trim());
        const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
        return [name, Number(quality) || 0];
      }),
  );
  for (const [encoding] of ENCODINGS) {
    const chosen = file[encoding];
    if (chosen && (weights.get(encoding) ?? weights.get("*") ?? 0) > 0) return { encoding, chosen };
  }
  return { encoding: null, chosen: file.plain };
}

/**
 * Whether a list of tags names a tag. All tags here are strong.
 * @param {string} list an If-Match or If-None-Match header
 * @param {string} etag
 * @param {boolean} weakly whether W/"x" counts as "x"
 */
function lists(list, etag, weakly) {
  if (list.trim() === "*") return true;
  return list.split(",").some((tag) => (weakly ? tag.trim().replace(/^W\//, "") : tag.trim()) === etag);
}

/**
 * The bytes that a Range header asks for. "all" where it asks for none, for several pieces, or for
 * something that is no range, all of which a server may answer with the whole; null where none of them exist.
 * @param {string | undefined} range
 * @param {number} size
 * @returns {{ first: number, last: number } | "all" | null}
 */
export function readRange(range, size) {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/i.exec(range ?? "") ?? [];
  if (from === "" && to === "") return "all";
  if (from === "") {
    const length = Math.min(Number(to), size);
    if (Number(to) > 0 && size === 0) return "all";
    return length === 0 ? null : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== "" && Number(to) < first) return "all";
  if (first >= size) return null;
  return { first, last: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
}

/** @param {Request} request @param {string} path @param {SiteFile} file @returns {Answer} */
function answerWithFile({ method, headers: asked }, path, file) {
  const { encoding, chosen } = choose(file, String(asked["accept-encoding"] ?? ""));
  const { bytes, etag } = chosen;
  /** @type {Record<string, string>} */
  const headers = { ETag: etag, "Cache-Control": path.startsWith(HASHED) ? "public,max-age=31536000,immutable" : "no-cache" };
  if (file.br || file.gzip) headers.Vary = "Accept-Encoding";
  const [match, noneMatch, ifRange] = [asked["if-match"], asked["if-none-match"], asked["if-range"]];
  if (match !== undefined && !lists(match, etag, false)) return { status: 412, headers, body: NOTHING };
  if (noneMatch !== undefined && lists(noneMatch, etag, true)) return { status: 304, headers, body: NOTHING };
  headers["Content-Type"] = file.type;
  headers["Accept-Ranges"] = "bytes";
  if (encoding) headers["Content-Encoding"] = encoding;
  const isRanged = method === "GET" && (ifRange === undefined || ifRange === etag);
  const range = isRanged ? readRange(asked.range, bytes.length) : "all";
  if (range === "all") return { status: 200, headers, body: bytes };
  if (range === null) return plainText(416, "there is no such range", { "Content-Range": `bytes */${bytes.length}` });
  headers["Content-Range"] = `bytes ${range.first}-${range.last}/${bytes.length}`;
  return { status: 206, headers, body: bytes.subarray(range.first, range.last + 1) };
}

/** @param {number} status @param {string} text @param {Record<string, string>} [headers] @returns {Answer} */
function plainText(status, text, headers = {}) {
  return {
    status,
    headers: { "Content-Type": "text/plain;charset=utf-8", "Cache-Control": "no-cache", ...headers },
    body: Buffer.from(`${text}\n`),
  };
}

/** @param {Site} site @param {Request} request @returns {Answer} */
function answerBare({ files }, request) {
  if (request.method !== "GET" && request.method !== "HEAD") return plainText(405, "only GET and HEAD", { Allow: "GET, HEAD" });
  const path = pathOf(request.url ?? "");
  if (path === null) return plainText(400, "this is no address");
  // A file that is missing is said to be: a worker or an import that got the page would fail without a reason.
  const file = files.get(path) ?? (namesPage(path) ? files.get(PAGE) : undefined);
  return file ? answerWithFile(request, path, file) : plainText(404, "not found");
}

/** The script that fetches a recording from a host that somebody has agreed to reaches any; it can do nothing else. */
const FETCHER_POLICY = "default-src 'none'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*";

/** @param {string} url */
function isFetcher(url) {
  return /^\/assets\/fetchFile-[\w-]+\.js$/.test(pathOf(url) ?? "");
}

/** Whether an address asks for one figure ("/?embed=ratio"). @param {string} url */
function isFigure(url) {
  return new URLSearchParams(url.split("?")[1] ?? "").has("embed");
}

/**
 * The answer to a request; its body is not to be sent to HEAD.
 * @param {Site} site
 * @param {Request} request
 * @returns {Answer}
 */
export function answerTo(site, request) {
  const { status, headers, body } = answerBare(site, request);
  return { status, headers: { ...guards(site, request), ...headers }, body };
}

/**
 * What every answer says, whatever it brings: its isolation and the page's policy.
 * @param {Site} site
 * @param {Request} request
 */
export function guards(site, request) {
  // Workers take the policy from their own script's answer; the page's meta element cannot forbid framing.
  // A figure that is asked for by itself is meant for the frame of a slide; it has no buttons that could harm anybody.
  const framing = isFigure(request.url ?? "") ? null : "frame-ancestors 'none'";
  const own = isFetcher(request.url ?? "") ? FETCHER_POLICY : site.policy;
  const policy = [own, framing].filter((part) => part !== null).join("; ");
  return { ...ISOLATION, "Content-Security-Policy": policy };
}
