// Where this package lies. The sources and the built program are both two folders below its root.
import { fileURLToPath } from "node:url";

/** Path of a file of the package. */
export function packagePath(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}
