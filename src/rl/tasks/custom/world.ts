// What a task finds around it as it is prepared: whatever lies elsewhere is fetched there, and code that came with a
// configuration runs only where somebody has read it.
import { type Consent, codeIn } from "../../../protocol/config/customRewards.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import { InputError } from "../../../protocol/problems.ts";
import type { Sandbox } from "../../sandbox/jobs.ts";

/** Where content lies by its SHA-256. */
export interface ContentReader {
  /** Null where there is none of that name. */
  read(sha256: string): Promise<Uint8Array | null>;
  /** Keeps bytes under that name, where things are kept at all. */
  keep?(sha256: string, bytes: Uint8Array): Promise<unknown>;
}

/** What a task finds around it as it is prepared. */
export interface TaskWorld {
  readonly sandbox?: Sandbox;
  readonly contents?: ContentReader;
}

interface Prepared {
  prepare?(world: TaskWorld): Promise<void>;
}

/** Refuses code that nobody here has read. */
export function checkRead(config: Parameters<typeof codeIn>[0], { consent }: { readonly consent?: Consent }): void {
  const unread = consent ? codeIn(config).filter(({ source }) => !consent.allows(source)) : [];
  const message = (field: string) => `${field}: its code must be read and allowed before it runs`;
  if (unread.length > 0) throw new InputError(unread.map(({ field }) => ({ field: `${field}.source`, message: message(field) })));
}

/** Makes a task ready; nothing to do for most. */
export async function prepareTask(
  { config, instance }: { readonly config: RunConfig; readonly instance: Prepared },
  host: TaskWorld & { readonly consent?: Consent },
): Promise<void> {
  if (!instance.prepare) return;
  checkRead(config, host);
  await instance.prepare(host);
}
