// Files that gzip has packed, as the files that they were. What is packed can only be gone through from its beginning, and steps are read
// again later, so it is held unpacked: up to a size.

import { errorText } from "../../protocol/problems.ts";
import { transformed } from "../../protocol/run/deflate.ts";
import { TraceError } from "../containers/container.ts";
import type { TraceFile } from "../traceSet.ts";

const CHUNK = 2 ** 22;
const MOST_BYTES = 2 ** 28;

const isGzip = (path: string): boolean => /\.gz$/i.test(path) && !/\.tar\.gz$/i.test(path);

async function* piecesOf(file: TraceFile): AsyncIterable<Uint8Array> {
  for (let from = 0; from < file.size; from += CHUNK) yield await file.read(from, Math.min(from + CHUNK, file.size));
}

/** The file that was packed, without the ending. Rejects with a sentence where it is damaged or too large. */
async function unpackedFile(file: TraceFile): Promise<TraceFile> {
  const bytes = await transformed(new DecompressionStream("gzip"), piecesOf(file), MOST_BYTES).catch(() => {
    throw new TraceError("is packed and damaged: it cannot be unpacked");
  });
  if (!bytes) throw new TraceError(`is packed and has more than ${MOST_BYTES / 2 ** 20} MB: unpack it first`);
  return { path: file.path.replace(/\.gz$/i, ""), size: bytes.length, read: async (begin, end) => bytes.slice(begin, end) };
}

/** Files as they are read, those that gzip has packed unpacked. */
export async function unpackedFiles(files: readonly TraceFile[]) {
  const whole: TraceFile[] = [];
  const damaged: { path: string; why: string }[] = [];
  for (const file of files)
    if (!isGzip(file.path) || file.size === 0) whole.push(file);
    else
      await unpackedFile(file).then(
        (each) => whole.push(each),
        (error: unknown) => damaged.push({ path: file.path, why: errorText(error) }),
      );
  return { whole, damaged };
}
