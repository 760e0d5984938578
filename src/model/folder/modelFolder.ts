// A model's folder wherever it lies: on a disk, on a server, in the browser's storage, in a file that somebody dropped.
// Its files are read in parts, so that no more of a large one is held than is wanted.
import { errorText, orThrow } from "../../protocol/problems.ts";

/** A file that is read in parts. */
export interface FileParts {
  readonly size: number;
  /** The bytes from `begin` to before `end`, which lie within the file. */
  read(begin: number, end: number): Promise<Uint8Array>;
}

/** A folder whose files are read in parts. */
export interface ModelFolder {
  /** Throws a sentence where the folder has no file of that name, or it cannot be read. */
  open(name: string): Promise<FileParts>;
}

export async function wholeFile(folder: ModelFolder, name: string): Promise<Uint8Array> {
  const file = await folder.open(name);
  return file.read(0, file.size);
}

export async function textFile(folder: ModelFolder, name: string): Promise<string> {
  return new TextDecoder().decode(await wholeFile(folder, name));
}

/** What is wrong in a file, naming it. */
export function namedError(file: string, error: unknown): Error {
  return new Error(`${file}: ${error instanceof SyntaxError ? "not JSON, " : ""}${errorText(error)}`);
}

/** What reads a file's text or bytes; its error names the file. */
export const named = <T>(file: string, read: () => T): T => orThrow(read, (error) => namedError(file, error));

/** Bytes that are there already, as a file. */
export function fileOf(bytes: Uint8Array): FileParts {
  return { size: bytes.length, read: async (begin, end) => bytes.subarray(begin, end) };
}

/** What is read of a Blob, whose own type is the DOM's or Node's. */
interface BlobParts {
  readonly size: number;
  slice(begin: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** A browser's file, or any Blob, read where it lies. */
export function partsOfBlob(blob: BlobParts): FileParts {
  return { size: blob.size, read: async (begin, end) => new Uint8Array(await blob.slice(begin, end).arrayBuffer()) };
}

/** A folder whose files are read whole; each is asked for once while somebody reads from it. */
export function folderOf(read: (name: string) => Promise<Uint8Array>): ModelFolder {
  return { open: async (name) => fileOf(await read(name)) };
}
