// Errors of files in words that say what to do.
import { CommandError } from "../lab/exit.ts";

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  ENOTDIR: "a part of its path is a file",
  ELOOP: "it is a link, which is not followed",
  EISDIR: "it is a folder",
  EEXIST: "a file of that name is there; choose another place with --out",
  EACCES: "this user has no permission; choose another place with --out",
  EPERM: "this user has no permission; choose another place with --out",
  EROFS: "its disk is read-only; choose another place with --out",
  ENOSPC: "no space is left on its disk; free some, or choose another place with --out",
  EDQUOT: "the disk quota is used up; free some, or choose another place with --out",
  EFBIG: "the file would be larger than this process may write",
  EMFILE: "this process has too many files open",
};

/** The code of an error of Node's file system, or null. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** Why a file could not be read or written, as half a sentence. */
export function fileReason(error: unknown): string {
  const code = codeOf(error);
  return (code && SENTENCES[code]) ?? (error instanceof Error ? error.message : String(error));
}

/** The error to end with where a path could not be read or written. */
export function fileError(what: string, path: string, error: unknown): CommandError {
  return new CommandError(`${path} cannot be ${what}: ${fileReason(error)}`);
}
