// Several files as one ZIP archive, the form in which all that is more than one file leaves the lab, and the way back. Equal files in one
// order give equal archives. Whoever hands over an archive may have made it by hand: how it ends, its names and its sizes are looked at
// before anything of it is unfolded.
import { unzipSync, zipSync } from "fflate";

/** The first moment that the form knows, in whatever zone: files have no time of day. */
const MTIME = "1980-01-01T00:00:00";

/** What may be unfolded: so much in all, and no more than this many times what lies in the archive. */
const MOST_BYTES = 2 ** 29;
const MOST_RATIO = 100;
const SPARE_BYTES = 2 ** 16;

const END = 0x06054b50;
const END_BYTES = 22;

/**
 * The archive of these files.
 * @param isPacked whether a file is compressed; one that is compressed already, or noise, is stored as it is.
 */
export function zipOf(
  files: Iterable<readonly [name: string, bytes: Uint8Array]>,
  isPacked: (name: string) => boolean = () => true,
): Uint8Array {
  const entries = [...files].map(([name, bytes]) => [name, [bytes, { level: isPacked(name) ? 6 : 0, mtime: MTIME }]] as const);
  return zipSync(Object.fromEntries(entries) as Parameters<typeof zipSync>[0]);
}

/** Whether bytes end as an archive does, whose directory lies right before its end. */
function endsAsArchive(archive: Uint8Array): boolean {
  if (archive.length < END_BYTES) return false;
  const end = new DataView(archive.buffer, archive.byteOffset + archive.length - END_BYTES, END_BYTES);
  const [mark, size, start] = [0, 12, 16].map((at) => end.getUint32(at, true)) as [number, number, number];
  // Of more than 4 GiB the places lie elsewhere.
  const isPlaced = start === 0xffffffff || start + size + END_BYTES === archive.length;
  return mark === END && isPlaced && end.getUint16(20, true) === 0;
}

/**
 * The files of an archive by name. Throws a sentence where it is none, was cut short, names a file twice or one that `isName` refuses, or
 * claims to unfold to more than it may.
 * @param kind what the archive should be, for its sentences: "saved run"
 */
export function unzipped(archive: Uint8Array, kind: string, isName: (name: string) => boolean): ReadonlyMap<string, Uint8Array> {
  if (!endsAsArchive(archive)) throw new Error(`it is no ${kind}, or was cut short or added to: it does not end as one does`);
  const sizes = new Map<string, number>();
  let problem: string | null = null;
  let unfolded = 0;
  const filter = ({ name, originalSize, compression }: { name: string; originalSize: number; compression: number }) => {
    if (compression !== 0) unfolded += originalSize;
    if (!isName(name)) problem ??= `the ${kind} has a part ${JSON.stringify(name.slice(0, 60))}, which no save has`;
    else if (sizes.has(name)) problem ??= `the ${kind} has the part ${name} twice`;
    else if (
      unfolded > MOST_BYTES ||
      unfolded > MOST_RATIO * archive.length + SPARE_BYTES ||
      originalSize > MOST_RATIO * archive.length + SPARE_BYTES
    )
      problem ??= `the ${kind} says that it unfolds to ${Math.max(unfolded, originalSize)} bytes, more than ${archive.length} bytes of an archive hold`;
    sizes.set(name, originalSize);
    return problem === null;
  };
  let files: Readonly<Record<string, Uint8Array>> = {};
  try {
    files = unzipSync(archive, { filter });
  } catch (error) {
    problem ??= `the ${kind} is damaged: it cannot be unfolded`;
    throw new Error(problem, { cause: error });
  }
  if (problem !== null) throw new Error(problem);
  const found = new Map(Object.entries(files));
  for (const [name, size] of sizes)
    if (found.get(name)?.length !== size)
      throw new Error(`the ${kind} must unfold ${name} to ${size} bytes, got ${found.get(name)?.length ?? 0}`);
  return found;
}
