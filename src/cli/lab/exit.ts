// How the command line ends: exit codes that scripts may rely on, and the error that carries one.

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
