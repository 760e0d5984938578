// Files that gzip has packed, as the files that they were. What is packed can only be gone through from its beginning, and steps are read
// again later, so it is held unpacked: up to a size.
import { TraceError } from "../containers/container.ts";
import type { TraceFile } from "../traceSet.ts";

const CHUNK = 2 ** 22;
const MOST_BYTES = 2 ** 28;

export const isGzip = (path: string): boolean => /\.gz$/i.test(path) && !/\.tar\.gz$/i.test(path);

async function unpack(file: TraceFile): Promise<readonly Uint8Array[]> {
  const { readable, writable } = new DecompressionStream("gzip");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const write = async () => {
    for (let from = 0; from < file.size; from += CHUNK)
      await writer.write((await file.read(from, Math.min(from + CHUNK, file.size))) as Uint8Array<ArrayBuffer>);
    await writer.close();
  };
  // What goes wrong on the way in comes out on the other side.
  const written = write().catch(() => {});
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) break;
    length += value.length;
    if (length > MOST_BYTES) {
      await reader.cancel();
      throw new TraceError(`is packed and has more than ${MOST_BYTES / 2 ** 20} MB: unpack it first`);
    }
    parts.push(value);
  }
  await written;
  return parts;
}

/** The file that was packed, without the ending. Rejects with a sentence where it is damaged or too large. */
export async function unpackedFile(file: TraceFile): Promise<TraceFile> {
  const parts = await unpack(file).catch((error: unknown) => {
    throw error instanceof TraceError ? error : new TraceError("is packed and damaged: it cannot be unpacked");
  });
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { path: file.path.replace(/\.gz$/i, ""), size: bytes.length, read: async (begin, end) => bytes.slice(begin, end) };
}
