// The browser's own file system as the worker of models uses it: one folder in memory, whose files are made empty before anything is
// written, which may be full, and which may lack what some browsers lack.
export interface ModelFiles {
  readonly files: Map<string, Uint8Array<ArrayBuffer>>;
  /** Bytes that may still be written. */
  room: number;
  readonly folder: FileSystemDirectoryHandle;
}

const full = () => new DOMException("there is no room", "QuotaExceededError");

export function modelFiles({ hasWritable = true } = {}): ModelFiles {
  const files: ModelFiles["files"] = new Map();
  const held = { files, room: Number.POSITIVE_INFINITY };
  const put = (name: string, bytes: Uint8Array<ArrayBuffer>, fresh: number) => {
    held.room -= fresh;
    if (held.room < 0) throw full();
    files.set(name, bytes);
  };
  const handleOf = (name: string) => ({
    getFile: async () => new File([files.get(name)!], name),
    move: async (_: unknown, next: string) => {
      files.set(next, files.get(name)!);
      files.delete(name);
    },
    createSyncAccessHandle: async () => ({
      getSize: () => files.get(name)!.length,
      truncate: (size: number) => files.set(name, files.get(name)!.slice(0, size)),
      read: (into: Uint8Array, { at }: { at: number }) => {
        const part = files.get(name)!.subarray(at, at + into.length);
        into.set(part);
        return part.length;
      },
      write: (bytes: Uint8Array, { at = 0 } = {}) => {
        const whole = new Uint8Array(Math.max(files.get(name)!.length, at + bytes.length));
        whole.set(files.get(name)!);
        whole.set(bytes, at);
        put(name, whole, bytes.length);
        return bytes.length;
      },
      flush() {},
      close() {},
    }),
    ...(hasWritable
      ? {
          async createWritable() {
            const parts: Blob[] = [];
            return {
              write: async (content: BlobPart) => void parts.push(new Blob([content])),
              close: async () => {
                const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
                put(name, bytes, bytes.length);
              },
            };
          },
        }
      : {}),
  });
  const folder = {
    async getFileHandle(name: string, { create = false } = {}) {
      if (!files.has(name) && !create) throw new DOMException("there is none", "NotFoundError");
      if (!files.has(name)) files.set(name, new Uint8Array(0));
      return handleOf(name);
    },
    removeEntry: async (name: string) => void files.delete(name),
    async *keys() {
      yield* [...files.keys()];
    },
  };
  return Object.assign(held, { folder: folder as unknown as FileSystemDirectoryHandle });
}
