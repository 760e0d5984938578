// The origin's private file system in Node, as far as the lab's saves use it: one folder of files in memory that a test can
// look into, fill or have refused.
export interface PrivateFiles {
  /** What lies in the folder of saves, by name. */
  readonly files: Map<string, Uint8Array>;
  /** How much may be written, and what is thrown where a file is to be made; a test sets them. */
  room: number;
  refusal: Error | null;
  /** Names of files that were read. */
  readonly read: string[];
}

class FakeFileHandle {
  readonly #name: string;
  readonly #held: PrivateFiles;
  constructor(name: string, held: PrivateFiles) {
    this.#name = name;
    this.#held = held;
  }
  async createSyncAccessHandle() {
    if (this.#held.refusal) throw this.#held.refusal;
    return {
      write: (bytes: Uint8Array) => {
        this.#held.room -= bytes.length;
        if (this.#held.room < 0) throw new DOMException("there is no room", "QuotaExceededError");
        this.#held.files.set(this.#name, bytes.slice());
        return bytes.length;
      },
      truncate() {},
      flush() {},
      close() {},
    };
  }
  async getFile() {
    this.#held.read.push(this.#name);
    return new Blob([this.#held.files.get(this.#name)! as Uint8Array<ArrayBuffer>]);
  }
}

/** Node has a navigator from version 21 on. */
function giveStorage(storage: unknown): void {
  Object.defineProperty(globalThis, "navigator", { value: { storage }, configurable: true, writable: true });
}

/** Gives this process such a file system, empty. */
export function givePrivateFiles(): PrivateFiles {
  const held: PrivateFiles = { files: new Map(), room: Number.POSITIVE_INFINITY, refusal: null, read: [] };
  const folder = {
    getFileHandle: async (name: string, { create = false } = {}) => {
      if (!held.files.has(name) && !create) throw new DOMException("there is none", "NotFoundError");
      if (create && !held.files.has(name)) held.files.set(name, new Uint8Array(0));
      return new FakeFileHandle(name, held);
    },
    removeEntry: async (name: string) => void held.files.delete(name),
    keys: () => held.files.keys(),
  };
  const root = { getDirectoryHandle: async () => folder };
  giveStorage({ getDirectory: async () => root });
  Object.defineProperty(globalThis, "FileSystemFileHandle", { value: FakeFileHandle, configurable: true });
  return held;
}

/** Takes it away: a browser that keeps no files for pages. */
export function takePrivateFiles(): void {
  giveStorage(undefined);
}
