// What this browser keeps of somebody's data: problems under the SHA-256 of their lines, in a database of its own, so that
// runs, links and forks that name a content find it.
import type { DBSchema } from "idb";
import { databaseOf } from "../../src/browser/database.ts";
import type { ContentReader } from "../../src/rl/tasks/custom/world.ts";
import { hashOf } from "../../src/train/save/parts.ts";

interface ContentSchema extends DBSchema {
  readonly contents: { readonly key: string; readonly value: Uint8Array };
}

interface ContentStore extends ContentReader {
  keep(sha256: string, bytes: Uint8Array): Promise<unknown>;
}

/** Opens the database when it is first needed. */
export function createContentStore(): ContentStore {
  const database = databaseOf<ContentSchema>("rollout-lab-data", 1, (fresh) => void fresh.createObjectStore("contents"));
  return {
    async read(name) {
      const bytes = await (await database.begin(["contents"], "readonly")).objectStore("contents").get(name);
      // What has another hash by now is not what was kept.
      return bytes && hashOf(bytes) === name ? bytes : null;
    },
    async keep(name, bytes) {
      const transaction = await database.begin(["contents"], "readwrite");
      await transaction.objectStore("contents").put(bytes, name);
      await transaction.done;
    },
  };
}
