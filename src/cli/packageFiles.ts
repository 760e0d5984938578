// The files of this package, where they lie and how they are read. By themselves, so that verbs that ask for no more
// than these do not load the engine.
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Path of a file of this package. The sources and the built program are both two folders below its root. */
export function packagePath(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

/** A script of this package, outside the bundle. */
export const packageScript = <T>(name: string): Promise<T> => import(/* @vite-ignore */ pathToFileURL(packagePath(name)).href);

/** A file of public/, as the engine asks for it. Throws where it is missing. */
export async function readAsset(path: string): Promise<Uint8Array> {
  const bytes = await readFile(packagePath(`public/${path}`)).catch(() => null);
  if (!bytes) throw new Error(`asset "${path}" is missing`);
  return new Uint8Array(bytes);
}

/** What the package says of itself. */
interface PackageFacts {
  readonly name: string;
  readonly version: string;
}

/** Its name and its version. */
export async function readPackageFacts(): Promise<PackageFacts> {
  const { name, version } = JSON.parse(await readFile(packagePath("package.json"), "utf8")) as PackageFacts;
  return { name, version };
}
