// The rules of docs/architecture.md as functions of a file's path and text, so that the layer test can
// try them on made-up files too. Imports are read with a small scanner; comments do not count.
import { dirname, join } from "node:path/posix";

/** Engine layers; each may import itself and those before it. */
export const ENGINE_LAYERS = ["protocol", "rl", "kernels", "model", "traces", "train", "export"] as const;

/** What each other part of the sources may import from src/. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  browser: ["browser"],
  ui: ["ui", "protocol", "rl", "export", "browser"],
  library: ["library", ...ENGINE_LAYERS],
  cli: ["cli", "library", ...ENGINE_LAYERS],
  workers: ["workers", "browser", ...ENGINE_LAYERS],
};

/** The page's rooms, lowest first; each may import itself and those before it. What frames the page lies beside them and imports all. */
export const PAGE_ROOMS = ["kit", "engine", "step", "experiment", "runs", "open", "learn", "make", "shell", "train"] as const;

/** The trainer's rooms, in the same way. */
export const TRAIN_ROOMS = ["step", "save", "backend", "judge", "start", "queries", "memory", "tried", "run"] as const;

/** Declarations that the configuration is made of: the protocol reads them, and they import none of it that is made of them. */
const DECLARATIONS = /^src\/rl\/((surrogates|baselines|kl)\/|objective\/aggregation\.ts)/;

const TENSOR_LAYERS: readonly string[] = ["kernels", "model", "train"];
const TENSOR_PACKAGE = /^(@tensorflow\/|onnxruntime|webgpu$)/;
const IMPURE = /\bMath\.random\b|\bDate\b\s*[.(]|\bnew Date\b|\bperformance\.now\b|\bcrypto\.getRandomValues\b/;
/** What engines give in different last bits. */
const INEXACT = /\bMath\.(a?(?:cos|sin|tan)h?|atan2|exp|expm1|log|log1p|log2|log10|pow|cbrt)\b/;
/** Verdicts and races judge metrics and feed none; TensorFlow.js and graphics cards have functions of their own. */
const NOT_EXACT = /^src\/(rl\/(verdict|race)|model\/(composed|webgpu))\//;
// Spelled in halves, so that this file does not break its own rule.
const UNFINISHED = new RegExp(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "not " + "implemented", "coming " + "soon"].join("|"));
const EVASIONS = new RegExp(`\\bvi\\.(${["mock", "fn", "spyOn"].join("|")})\\(|\\b(it|test|describe)\\.(only|skip|todo|fails)\\(`);

export const LINE_CEILING = 300;
export const WORKER_CEILING = 80;

/** The part of the project a path belongs to: a layer of src/ or a folder beside it. */
export function partOf(path: string): string {
  const [top = "", second = "", third] = path.split("/");
  if (top !== "src") return top;
  return third === undefined ? "page" : second;
}

/** Strings (first group) and comments. A slash pair inside a string ("https://...") is none: the string is matched first. */
const STRING_OR_COMMENT = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** The text without comments; strings stay, since imports are strings. */
function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (_match, string: string | undefined) => string ?? "");
}

export function commentsOf(text: string): string {
  return Array.from(text.matchAll(STRING_OR_COMMENT), ([match, string]) => (string === undefined ? match : "")).join("\n");
}

/** Source files and folders of the project that prose names, as it writes them; patterns with * or { } are left out. */
export function pathsNamed(prose: string): readonly string[] {
  const file = /(?<![\w/.@-])(?:\.\.?\/)*((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|mjs|css|py|md))(?![\w{*])/g;
  const folder =
    /(?<![\w/.@-])((?:src|test|scripts|bench|workers|docs|protocol|rl|kernels|model|train|library|ui|cli)(?:\/[\w-]+)+)(?![\w/.{*-]*[\w/{*])/g;
  const text = prose.replace(/https?:\/\/\S+/g, "");
  return [file, folder].flatMap((pattern) => Array.from(text.matchAll(pattern), (match) => match[1] ?? ""));
}

/** Everything a file imports, re-exports, loads later or starts as a worker. */
export function importsOf(text: string): readonly string[] {
  const patterns = [
    /\b(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']/g,
    /\bimport\s*["']([^"']+)["']/g,
    /\bimport\s*\(\s*["']([^"']+)["']/g,
    /\bnew URL\(\s*["'](\.[^"']+)["']\s*,\s*import\.meta\.url/g,
  ];
  const code = withoutComments(text);
  return patterns.flatMap((pattern) => Array.from(code.matchAll(pattern), (match) => match[1] ?? ""));
}

/** The room of a folder that a path lies in; null for files beside the rooms and for other folders. */
function roomOf(folder: string, path: string): string | null {
  const [room, inside] = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split("/") : [];
  return room !== undefined && inside !== undefined ? room : null;
}

/** Imports that run up from one room of a folder to a later one, and rooms that are not in the list. */
function roomProblems(folder: string, rooms: readonly string[], path: string, text: string): readonly string[] {
  const own = roomOf(folder, path);
  if (own === null) return [];
  if (!rooms.includes(own)) return [`lies in ${folder}/${own}, which is not among the rooms`];
  return importsOf(text).flatMap((name) => {
    const target = name.startsWith(".") ? roomOf(folder, join(dirname(path), name)) : null;
    return target !== null && rooms.indexOf(target) > rooms.indexOf(own) ? [`imports the room ${target} above its own ("${name}")`] : [];
  });
}

function importProblems(path: string, text: string): readonly string[] {
  const part = partOf(path);
  const rank = ENGINE_LAYERS.indexOf(part as (typeof ENGINE_LAYERS)[number]);
  const allowed = rank >= 0 ? ENGINE_LAYERS.slice(0, rank + 1) : ALLOWED[part];
  if (!allowed) return [];
  const problems: string[] = [];
  for (const name of importsOf(text)) {
    const target = name.startsWith(".") ? partOf(join(dirname(path), name)) : null;
    if (part === "protocol" && DECLARATIONS.test(join(dirname(path), name))) continue;
    const startsWorker = path === "src/ui/engine/openWorkers.ts" && target === "workers";
    // A file of public/ is data found by its address, and one taken as text is data too.
    if (name.endsWith("?raw")) continue;
    if (target !== null && target !== "public" && !allowed.includes(target) && !startsWorker)
      problems.push(`imports ${target} ("${name}")`);
    if (target !== null) continue;
    if (rank >= 0 && name.startsWith("node:")) problems.push(`imports "${name}", but the engine runs in browsers too`);
    if (part !== "cli" && TENSOR_PACKAGE.test(name) && !TENSOR_LAYERS.includes(part)) problems.push(`imports tensors ("${name}")`);
    if (part === "ui" && name.startsWith("@xenova/")) problems.push(`imports the tokenizer ("${name}")`);
  }
  return problems;
}

/** Circles among files that import each other (types count), each as "a -> b -> a"; `texts` has the text of every path. */
export function importCircles(texts: ReadonlyMap<string, string>): readonly string[] {
  const circles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    if (finished.has(path)) return;
    const trail = [...above, path];
    for (const name of importsOf(texts.get(path) ?? "")) {
      // AssemblyScript names files without their ending.
      const named = name.startsWith(".") ? join(dirname(path), name) : "";
      const target = texts.has(named) ? named : `${named}.ts`;
      if (trail.includes(target)) circles.push([...trail.slice(trail.indexOf(target)), target].join(" -> "));
      else if (texts.has(target)) visit(target, trail);
    }
    finished.add(path);
  };
  for (const path of texts.keys()) visit(path, []);
  return circles;
}

/** Everything wrong with one source file; empty when it keeps the rules. */
export function sourceProblems(path: string, text: string): readonly string[] {
  const part = partOf(path);
  const lines = text.replace(/\n$/, "").split("\n").length;
  const code = withoutComments(text);
  const problems = [
    ...importProblems(path, text),
    ...roomProblems("src/ui", PAGE_ROOMS, path, text),
    ...roomProblems("src/train", TRAIN_ROOMS, path, text),
  ];
  if (lines > LINE_CEILING) problems.push(`has ${lines} lines, more than ${LINE_CEILING}`);
  if (part === "workers" && lines > WORKER_CEILING) problems.push(`has ${lines} lines, more than ${WORKER_CEILING} for a worker`);
  const isEngine = (ENGINE_LAYERS as readonly string[]).includes(part);
  const impure = isEngine ? IMPURE.exec(code) : null;
  if (impure) problems.push(`uses ${impure[0]}: the engine has one seeded generator and no clock`);
  const inexact = ["rl", "model", "train"].includes(part) && !NOT_EXACT.test(path) ? INEXACT.exec(code) : null;
  if (inexact) problems.push(`uses ${inexact[0]}, whose last bit differs between engines: take it from rl/exactMath`);
  if (part === "ui" && path !== "src/ui/engine/openWorkers.ts" && /\bnew Worker\(/.test(code))
    problems.push("starts a worker outside src/ui/engine/openWorkers.ts");
  const unfinished = UNFINISHED.exec(text);
  if (unfinished) problems.push(`says "${unfinished[0]}"`);
  const evasion = part === "test" && path.endsWith(".test.ts") ? EVASIONS.exec(code) : null;
  if (evasion) problems.push(`uses ${evasion[0]}...): tests use fakes, and none is left out`);
  return problems;
}
