// Prompts as they are typed or pasted: one a line, with what is expected behind "=>" where there is something, and words
// in braces that many problems fill. Plain text, so that a form, a link and a configuration file hold them alike.
import { filled, fillingsOf, type Prompt } from "./fillings.ts";

/** What is wanted of prompts that have to say the right answer, and of what kind that is. */
export const NEEDED = { named: "answer", alone: "answer", number: "number" } as const;

/** Whether prompts were written down with their right answers, and a good answer is one that says them: that is then meant, paid or not. */
export function statesAnswers({ task, taskOptions }: { readonly task?: string; readonly taskOptions?: Readonly<Record<string, unknown>> }) {
  return task === "prompts" && Object.hasOwn(NEEDED, String(taskOptions?.wanted));
}

/** So many problems are drawn up at most. */
const MOST_PROBLEMS = 50_000;
const ARROW = "=>";

function readLine(line: string): Prompt {
  const at = line.lastIndexOf(ARROW);
  if (at < 0) return { question: line.trim(), answer: "" };
  return { question: line.slice(0, at).trim(), answer: line.slice(at + ARROW.length).trim() };
}

/** What is wrong with the lines, to follow the field's name. */
interface WrongLines {
  readonly rule: string;
}

/** The problems of one line; what is wrong with it. */
function problemsOfLine(line: string, largest: number, most: number): readonly Prompt[] | string {
  const prompt = readLine(line);
  if (prompt.question === "") return `must have a prompt before "${ARROW}" on each line, LINE has none`;
  const fillings = fillingsOf(prompt, largest, most);
  if (fillings === null) return `must make at most ${MOST_PROBLEMS} problems, LINE makes more`;
  if (typeof fillings === "string") return `${fillings}, LINE has not`;
  return fillings.map((filling) => ({ question: filled(prompt.question, filling), answer: filled(prompt.answer, filling) }));
}

/** The problems of all lines, each question once, in the lines' order. */
export function readPrompts(text: string, largest: number): readonly Prompt[] | WrongLines {
  const problems = new Map<string, Prompt>();
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = problemsOfLine(line, largest, MOST_PROBLEMS - problems.size);
    if (typeof read === "string") return { rule: read.replace("LINE", `line ${i + 1}`) };
    for (const problem of read) if (!problems.has(problem.question)) problems.set(problem.question, problem);
  }
  return problems.size === 0 ? { rule: "must have a prompt on at least one line, got none" } : [...problems.values()];
}
