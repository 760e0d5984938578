// Problems as lines of JSON: what content that is kept elsewhere holds, and what an environment draws, checked as anything else
// from outside.
import type { OwnProblem } from "../../../protocol/custom/customTasks.ts";
import { isRecord, parsedJson, showValue } from "../../../protocol/problems.ts";
import { messagesRead } from "../../tools/chatMessages.ts";

const LONGEST_TEXT = 20_000;

/** The problems of a content's lines. Throws a sentence that names the line. */
export function readProblemLines(text: string, name: string): readonly OwnProblem[] {
  return text.split("\n").flatMap((line, i) => {
    if (line === "") return [];
    const where = `${name}, row ${i + 1}`;
    const found = parsedJson(line, () => new Error(`${where}: is not JSON`));
    return [readProblem(found, where)];
  });
}

/** A problem from outside. Throws a sentence. @param where what stands before it. */
export function readProblem(found: unknown, where: string): OwnProblem {
  if (!isRecord(found)) throw new Error(`${where}: must be an object, got ${showValue(found)}`);
  const { question, answer = "", solution, messages, documents, heldOut } = found;
  const text = (what: string, value: unknown): string => {
    if (typeof value !== "string" || value.length > LONGEST_TEXT)
      throw new Error(`${where}: ${what} must be a text of at most ${LONGEST_TEXT} characters, got ${showValue(value)}`);
    return value;
  };
  if (question === "") throw new Error(`${where}: question must not be empty`);
  if (documents !== undefined && !(Array.isArray(documents) && documents.every((each) => typeof each === "string")))
    throw new Error(`${where}: documents must be a list of texts, got ${showValue(documents)}`);
  return {
    question: text("question", question),
    answer: text("answer", answer),
    ...(solution === undefined ? {} : { solution: text("solution", solution) }),
    ...(Array.isArray(messages) ? { messages: messagesRead(messages, `${where}: messages`) as NonNullable<OwnProblem["messages"]> } : {}),
    ...(documents === undefined ? {} : { documents }),
    ...(heldOut === true ? { heldOut: true } : {}),
  };
}
