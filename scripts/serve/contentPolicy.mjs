// The page's Content-Security-Policy: nothing but its own files and, to read models, the hub's hosts; no script from text. The build
// writes it into the page, for hosts whose headers nobody sets; the server reads it there and sends it
// as a header, too.
import { createHash } from "node:crypto";

/** The Hugging Face hub and the hosts that its files lie on, or the one host that a build is told to ask in its place. */
const HUB_HOSTS = process.env.VITE_HUB_ENDPOINT
  ? [new URL(process.env.VITE_HUB_ENDPOINT).origin]
  : ["https://huggingface.co", "https://*.huggingface.co", "https://*.hf.co"];

const META = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/;

/** Style elements that React Aria adds to the page: for what can be pressed, and for open popovers on iPhones. */
const LIBRARY_STYLES = [
  "@layer {\n  [data-react-aria-pressable] {\n    touch-action: pan-x pan-y pinch-zoom;\n  }\n}",
  "@layer {\n  * {\n    overscroll-behavior: contain;\n  }\n}",
];

/** The sources that allow elements by the hash of their text. @param {readonly string[]} texts */
function hashes(texts) {
  return texts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
}

/**
 * Texts of the elements standing in the page itself.
 * @param {string} html
 * @param {"script" | "style"} element
 */
function textsOf(html, element) {
  return Array.from(html.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, "g")), (match) => match[1] ?? "");
}

/**
 * The page with its policy in it, before anything that the policy is about.
 * @param {string} html
 * @returns {string}
 */
export function withPolicy(html) {
  const policy = [
    ["default-src", "'none'"],
    // The kernels are WebAssembly, which counts as made from text.
    ["script-src", "'self'", "'wasm-unsafe-eval'", ...hashes(textsOf(html, "script"))],
    ["style-src", "'self'", ...hashes([...textsOf(html, "style"), ...LIBRARY_STYLES])],
    ["font-src", "'self'"],
    ["img-src", "'self'"],
    // Models are brought from the hub, which sends files on to hosts of its own.
    ["connect-src", "'self'", ...HUB_HOSTS],
    ["manifest-src", "'self'"],
    ["worker-src", "'self'"],
    ["base-uri", "'none'"],
    ["form-action", "'none'"],
  ];
  const content = policy.map((directive) => directive.join(" ")).join("; ");
  const charset = '<meta charset="utf-8" />';
  if (!html.includes(charset)) throw new Error(`index.html must contain ${charset}, behind which its policy goes`);
  const metas = [`<meta http-equiv="Content-Security-Policy" content="${content}" />`, '<meta name="referrer" content="no-referrer" />'];
  return html.replace(charset, [charset, ...metas].join("\n    "));
}

/**
 * The policy that a page carries, or null.
 * @param {string} html
 * @returns {string | null}
 */
export function policyOf(html) {
  return META.exec(html)?.[1] ?? null;
}
