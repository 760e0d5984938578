// What the hub promises of a file's content: its SHA-256 where the file lies in large storage, else the name that git
// gives it, the SHA-1 of a short header and the content. 64 and 40 digits tell the two apart.
import { Denied } from "./hub.ts";

export type HashOf = (name: "sha256" | "sha1") => { update(bytes: Uint8Array): unknown; hex(): string };

/** A file's content as it comes. */
export interface PromisedContent {
  update(bytes: Uint8Array): void;
  /** Its hash, by SHA-256 unless git's was promised. Throws Denied where it is not the promised one. */
  end(): string;
}

/** Hashes a file's content for what was promised of it; null where nothing was. */
export function promisedContent(
  file: { readonly name: string; readonly bytes: number },
  promised: string | null,
  hashOf: HashOf,
): PromisedContent {
  const isGit = promised?.length === 40;
  const hash = hashOf(isGit ? "sha1" : "sha256");
  if (isGit) hash.update(new TextEncoder().encode(`blob ${file.bytes}\0`));
  return {
    update: (bytes) => void hash.update(bytes),
    end() {
      const found = hash.hex();
      if (promised !== null && promised !== found)
        throw new Denied(`${file.name} came damaged: its ${isGit ? "SHA-1 in git" : "SHA-256"} must be ${promised}, got ${found}`);
      return found;
    },
  };
}
