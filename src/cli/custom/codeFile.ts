// What a custom JavaScript or TypeScript file exports, named by the file's path, a colon and a name.
import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { errorText, showValue } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { CommandError, EXIT, failedFile } from "../lab/exit.ts";

/** A file and the name of what it exports. */
export const codeReferenceSchema = z.object({
  /** Absolute. */
  path: z.string(),
  name: z.string(),
});
export type CodeReference = z.output<typeof codeReferenceSchema>;

const FORM = /^(.+\.[cm]?[jt]s):([A-Za-z_$][\w$]*)$/;

/** Whether a text names code, and no id of a registry. */
export function namesCode(text: unknown): text is string {
  return typeof text === "string" && FORM.test(text);
}

/** Reads a path, a colon and a name; paths are relative to the file that names them. @param what the key of the configuration. */
export function codeReference(what: "reward" | "task", text: unknown, from: string): CodeReference {
  const match = typeof text === "string" ? FORM.exec(text) : null;
  if (!match) throw new CommandError(`${what} must be FILE.ts:NAME, such as ./${what}s/mine.ts:${what}, got ${showValue(text)}`);
  const [, file = "", name = ""] = match;
  return { path: resolve(dirname(from), file), name };
}

/**
 * What the engine computes and writes with. Of maps and sets some programs replace a single one's functions, which a
 * frozen class forbids.
 */
const SHARED =
  "Math JSON Reflect Object Number BigInt String Array ArrayBuffer SharedArrayBuffer DataView TextEncoder TextDecoder Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array parseFloat parseInt isFinite isNaN".split(
    " ",
  );

/**
 * Custom code shares this thread with what trains and with what writes output and saves, and puts nothing else in the place of what
 * these need: a run whose reward replaced Math.exp would train on other numbers and look like any other.
 */
function freezeShared(): void {
  const shared = SHARED.map((name) => (globalThis as Readonly<Record<string, unknown>>)[name] as { readonly prototype?: object });
  for (const owner of [...shared, Object.getPrototypeOf(Float32Array) as { readonly prototype: object }]) {
    Object.freeze(owner);
    // Whatever inherits from Object.prototype could no longer have a toString of its own.
    if (owner.prototype !== Object.prototype) Object.freeze(owner.prototype);
  }
  for (const name of SHARED) Object.defineProperty(globalThis, name, { writable: false, configurable: false });
}

async function loadModule(path: string): Promise<unknown> {
  if (!path.endsWith("ts")) return import(/* @vite-ignore */ pathToFileURL(path).href);
  // Node 20 cannot read types; the bundler can, which is here wherever the sources are.
  const vite = await import("vite").catch(() => {
    throw new CommandError(`${path} needs the package vite, which reads TypeScript: npm install vite, or write it as .mjs`, EXIT.missing);
  });
  const { module } = await vite.runnerImport<unknown>(path, { configFile: false, logLevel: "silent" });
  return module;
}

/** What is exported under that name, where it is of the wanted kind. Throws a CommandError that names what there is. */
export async function loadExport({ path, name }: CodeReference, kind: "function" | "object"): Promise<unknown> {
  let loaded: unknown;
  await access(path).catch(failedFile("read", path));
  freezeShared();
  try {
    loaded = await loadModule(path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // A syntax error's own line, and what is wrong there, follow the loader's first words.
    const lines = errorText(error)
      .split("\n")
      .map((line) => line.trim());
    const reason = lines
      .filter((line) => line !== "")
      .slice(0, 3)
      .join(" ");
    throw new CommandError(`${path} cannot be loaded: ${reason}`);
  }
  const exported = loaded as Readonly<Record<string, unknown>>;
  const found = exported[name];
  if (typeof found === kind && found !== null) return found;
  const others = Object.keys(exported).filter((key) => typeof exported[key] === kind);
  throw new CommandError(`${path} exports no ${kind} ${name}${others.length > 0 ? `; it exports ${others.join(", ")}` : ""}`);
}
