// Saved runs in memory, shared by as many tabs as a test wants. A run belongs to one tab until that ends.
import { LABEL, type OpenSave, type RunStore, type StoredSummary } from "../../src/train/host.ts";

export interface MemorySave {
  readonly summary: StoredSummary;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export interface MemoryStore extends RunStore {
  readonly saves: Map<string, MemorySave>;
  /** Bytes of every write so far. */
  readonly written: { bytes: number };
  /** Another tab on the same saves. */
  otherTab(): MemoryStore;
  /** Ends this tab as a crash does: what it still writes is lost, and its runs are free. */
  crash(): void;
}

function tabOf(saves: Map<string, MemorySave>, owners: Map<string, object>, written: { bytes: number }): MemoryStore {
  const tab = {};
  let isOver = false;
  const whileHere = async <T>(act: () => T): Promise<T> => {
    await null;
    if (isOver) return new Promise(() => {});
    return act();
  };
  const openSave = (runId: string): OpenSave => {
    let last: MemorySave | null = null;
    return {
      write: ({ summary, put, removed, stays = [] }) =>
        whileHere(() => {
          if (removed !== "all others" && (!last || saves.get(runId) !== last))
            throw new Error("the save is gone or was changed by somebody else");
          const before = [...(saves.get(runId)?.files ?? [])];
          const files = new Map(removed === "all others" ? before.filter(([name]) => name === LABEL || stays.includes(name)) : last!.files);
          if (removed !== "all others") for (const name of removed) files.delete(name);
          for (const [name, bytes] of put) {
            files.set(name, bytes.slice());
            written.bytes += bytes.length;
          }
          last = { summary, files };
          saves.set(runId, last);
        }),
      remove: () => whileHere(() => void saves.delete(runId)),
      close: () => void owners.delete(runId),
    };
  };
  return {
    saves,
    written,
    otherTab: () => tabOf(saves, owners, written),
    crash: () => {
      isOver = true;
      for (const [runId, owner] of owners) if (owner === tab) owners.delete(runId);
    },
    list: () =>
      whileHere(() =>
        [...saves].map(([runId, { summary, files }]) => {
          const label = files.get(LABEL);
          return { runId, summary, manifest: files.get("run") ?? null, ...(label ? { label } : {}) };
        }),
      ),
    label: (runId, file) =>
      whileHere(() => {
        const files = saves.get(runId)?.files as Map<string, Uint8Array> | undefined;
        if (file) files?.set(LABEL, file);
        else files?.delete(LABEL);
        return files !== undefined;
      }),
    read: (runId, isWanted = () => true) =>
      whileHere(() => new Map([...(saves.get(runId)?.files ?? [])].filter(([name]) => isWanted(name)))),
    open: (runId) =>
      whileHere(() => {
        if (owners.has(runId)) return null;
        owners.set(runId, tab);
        return openSave(runId);
      }),
  };
}

/** An empty store and its first tab. */
export function memoryStore(): MemoryStore {
  return tabOf(new Map(), new Map(), { bytes: 0 });
}
