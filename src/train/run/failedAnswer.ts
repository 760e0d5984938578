// What is answered to a command that could not be carried out.
import type { Failed } from "../../protocol/messages.ts";
import { InputError, Overtaken } from "../../protocol/problems.ts";
import { TakenError } from "../save/savedRuns.ts";

/** The id of a command that may have nothing else right. */
function idOf(data: unknown): number | null {
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : null;
  return typeof id === "number" ? id : null;
}

/** @param data the command as it came. */
export function failedAnswer(data: unknown, error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error);
  const field = error instanceof InputError ? error.problems[0]?.field : undefined;
  return {
    outcome: "failed",
    id: idOf(data),
    message,
    ...(field ? { field } : {}),
    ...(error instanceof Overtaken ? { overtaken: true } : {}),
    ...(error instanceof TakenError ? { inOtherTab: true } : {}),
  };
}
