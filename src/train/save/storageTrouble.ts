// What can go wrong with storage, as sentences for people, and limits on how long it may take: a store
// that throws or never answers must not stop a run.
import type { Host } from "../host.ts";

/** Nothing can be stored, for a reason that is a sentence. */
export class StorageTrouble extends Error {
  override readonly name = "StorageTrouble";
}

const SENTENCES: Readonly<Record<string, string>> = {
  QuotaExceededError: "The browser's storage for this site is full. Delete saved runs to make room.",
  VersionError: "A newer version of the lab has used this browser's storage, which this version cannot read. Reload the page.",
  SecurityError: "The browser refuses to store anything for this site, as it does in some private windows.",
};

/** Why storage failed, as a sentence. */
export function storageReason(error: unknown): string {
  if (error instanceof StorageTrouble) return error.message;
  const named = error instanceof Error ? SENTENCES[error.name] : undefined;
  return named ?? `The storage of saved runs failed: ${error instanceof Error ? error.message : String(error)}.`;
}

/** Waits so long for storage and no longer; what comes of it later is let go. */
export async function within<T>(limitMs: number, { sleep }: Pick<Host, "sleep">, work: Promise<T>): Promise<T> {
  const late = sleep(limitMs).then(() => {
    throw new StorageTrouble(`The storage of saved runs has not answered for ${Math.round(limitMs / 1000)} seconds.`);
  });
  return Promise.race([work, late]);
}
