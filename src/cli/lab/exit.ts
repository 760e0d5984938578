// How the command line ends: exit codes that scripts may rely on, the error that carries one, and errors of
// files in words that say what to do.

import { stat } from "node:fs/promises";
import { errorText } from "../../protocol/problems.ts";

export const EXIT = { ok: 0, input: 1, missing: 2, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An end that is not success; the message is one line that says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;
  /** What programs are told besides. */
  readonly facts: Facts;
  constructor(message: string, exitCode: ExitCode = EXIT.input, facts: Facts = {}) {
    super(message);
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

/** The one JSON object that a verb prints. */
export type Facts = Readonly<Record<string, unknown>>;

/** How the process ends: its code, and what it says last. */
export interface End {
  readonly exitCode: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** The end with the line on stderr and, for programs, the object on stdout that say what went wrong. */
export function endOfError({ message, exitCode, facts }: CommandError, isJson: boolean): End {
  const stderr = `rollout-lab: ${message.replaceAll(/(?<!\s)\s*\n\s*/g, " ")}\n`;
  return { exitCode, stdout: isJson ? `${JSON.stringify({ ok: false, error: message, exitCode, ...facts })}\n` : "", stderr };
}

// Controls but line ends and tabs, and what turns the direction of text that is not its own.
const UNSEEN = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text as a terminal may have it, whoever it came from: what would move its cursor, set its title or hide something is
 * written out, as JSON writes it.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

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

/** What lies at a path, in types that need neither Node's nor the DOM's: programs compile against them without either. */
interface FoundAt {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** What lies at a path; null where nothing is seen there. */
export const foundAt = (path: string): Promise<FoundAt | null> => stat(path).catch(() => null);

/** Why a file could not be read or written, as half a sentence. */
export function fileReason(error: unknown): string {
  const code = codeOf(error);
  return (code && SENTENCES[code]) ?? errorText(error);
}

/** The error to end with where a path could not be read or written. */
export function fileError(what: string, path: string, error: unknown): CommandError {
  const isNoPlace = what !== "read" && codeOf(error) === "ENOENT";
  return new CommandError(
    `${path} cannot be ${what}: ${isNoPlace ? "nothing can be made there; choose another place with --out" : fileReason(error)}`,
  );
}

/** What is done with an error of a path: it ends with that sentence. */
export const failedFile =
  (what: string, path: string) =>
  (error: unknown): never => {
    throw fileError(what, path, error);
  };
