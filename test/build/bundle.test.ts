// What the built page loads before anything is pressed. The engine belongs to the worker: the first
// screen must neither carry a tensor library nor grow past what a slow line brings in a second or two.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openSite } from "../../scripts/serve/site.mjs";
import { importsOf } from "../support/sourceRules.ts";

const dist = join(import.meta.dirname, "..", "..", "dist");
const FIRST_SCREEN_BYTES = 192_500;
/** Text that only the tensor libraries and the tokenizer contain, also after minification. */
const ENGINE_MARKS = ["tfjs-core", "KernelBackend", "wasmModuleThreadedSimd", "WebGPUBackend", "PreTrainedTokenizer", "onnxruntime"];

function read(path: string): string {
  return readFileSync(join(dist, path), "utf8");
}

/** Static imports only: what `import(...)` and workers load comes later, on demand. */
function staticImports(path: string): readonly string[] {
  const code = read(path)
    .replace(/\bimport\s*\(/g, "later(")
    .replace(/\bnew URL\(/g, "later(");
  return importsOf(code)
    .filter((name) => name.startsWith("."))
    .map((name) => posix.join(posix.dirname(path), name));
}

/** Scripts reachable from index.html without anything being pressed. */
function firstScreenScripts(): readonly string[] {
  const html = read("index.html");
  const waiting = Array.from(html.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g), (match) => match[1] ?? "");
  const found = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    waiting.push(...staticImports(path));
  }
  return [...found];
}

const allFiles = existsSync(dist) ? readdirSync(dist, { recursive: true }).map(String) : [];

describe("the build", () => {
  it("is there", () => {
    expect(existsSync(join(dist, ".stamp")), "dist/ is missing: run `npm run build`").toBe(true);
  });

  it("loads no tensor library and no tokenizer before the worker starts", () => {
    const scripts = firstScreenScripts();
    expect(scripts.length).toBeGreaterThan(0);
    const found = scripts.flatMap((path) => ENGINE_MARKS.filter((mark) => read(path).includes(mark)).map((mark) => `${path}: ${mark}`));
    expect(found).toEqual([]);
  });

  it("carries the engine somewhere else, so that the marks above mean something", () => {
    const first = new Set(firstScreenScripts());
    const later = allFiles.filter((path) => path.endsWith(".js") && !first.has(path)).map(read);
    expect(later.some((code) => ENGINE_MARKS.some((mark) => code.includes(mark)))).toBe(true);
  });

  it(`brings less than ${FIRST_SCREEN_BYTES / 1000} kB of script to the first screen`, () => {
    const bytes = firstScreenScripts().reduce((sum, path) => sum + brotliCompressSync(readFileSync(join(dist, path))).length, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(FIRST_SCREEN_BYTES);
  });

  it("ships the tfjs kernels under their own names and nothing of another inference runtime", () => {
    expect(statSync(join(dist, "tfjs", "tfjs-backend-wasm-simd.wasm")).size).toBeGreaterThan(100_000);
    expect(allFiles.filter((path) => /ort-|onnx/.test(path))).toEqual([]);
  });

  it("carries a policy, before anything it is about, that allows its own inline elements", () => {
    const html = read("index.html");
    const [meta = "", policy = ""] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-/);
    // Models are read from the hub; everything else is the page's own.
    const hub = "connect-src 'self' https://huggingface.co https://*.huggingface.co https://*.hf.co;";
    expect(policy).toContain(hub);
    expect(policy.replace(hub, "")).not.toMatch(/unsafe-inline|'unsafe-eval'|\*|https?:|data:|blob:/);
    expect(html.indexOf(meta)).toBeLessThan(html.search(/<(script|style|link)/));
    const inline = Array.from(html.matchAll(/<(?:script|style)>([\s\S]*?)<\/(?:script|style)>/g), (match) => match[1] ?? "");
    const hashes = inline.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    expect(hashes.length).toBeGreaterThan(0);
    expect(policy.match(/'sha256-[^']+'/g)).toEqual(expect.arrayContaining(hashes));
  });

  it("names its files relatively, and carries none inside another", () => {
    const addresses = Array.from(read("index.html").matchAll(/(?:src|href)="([^"]*)"/g), (match) => match[1] ?? "");
    expect(addresses.filter((address) => !address.startsWith("./"))).toEqual([]);
    const styles = allFiles.filter((path) => path.endsWith(".css")).map(read);
    expect(styles.filter((css) => /url\(["']?(data:|\/)/.test(css))).toEqual([]);
  });

  it("asks for the recording that moves on the landing page beside its own script, with all it consists of", () => {
    const [, list = "[]"] = /const landing = (\[.*\]);/.exec(read("index.html")) ?? [];
    const files = (JSON.parse(list) as readonly (readonly [string, string, string])[]).map(([, , address]) => address.replace(/^\.\//, ""));
    expect(files.filter((path) => !allFiles.includes(path))).toEqual([]);
    const scripts = files.filter((path) => path.endsWith(".js"));
    expect(scripts.some((path) => path.includes("LandingRecording"))).toBe(true);
    expect(files).toContain("examples/arithmetic.json");
    const first = firstScreenScripts();
    expect(scripts.flatMap(staticImports).filter((path) => !first.includes(path) && !files.includes(path))).toEqual([]);
  });

  it("has files of known types only", async () => {
    const { site } = await openSite(dist);
    const unknown = [...site.files].filter(([, { type }]) => type === "application/octet-stream").map(([path]) => path);
    expect(unknown.filter((path) => !/\.(safetensors|rollout)$/.test(path))).toEqual([]);
  });
});
