// Prompts as they are typed: one a line, what is expected behind "=>" where there is something, an answer in GSM8K's form
// ("... #### 18") read as 18.
import type { CustomTaskInput, OwnProblem } from "../../../../protocol/custom/customTasks.ts";

const ARROW = "=>";

function problemOfLine(line: string): OwnProblem {
  const at = line.lastIndexOf(ARROW);
  const question = (at < 0 ? line : line.slice(0, at)).trim();
  const said = at < 0 ? "" : line.slice(at + ARROW.length).trim();
  const mark = said.lastIndexOf("####");
  return mark < 0 ? { question, answer: said } : { question, answer: said.slice(mark + 4).trim(), solution: said };
}

/** The problems of all lines, each question once, or what is wrong with one. */
export function typedProblems(text: string): readonly OwnProblem[] | string {
  const problems = new Map<string, OwnProblem>();
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const problem = problemOfLine(line);
    if (problem.question === "") return `Line ${i + 1} must have a prompt before "${ARROW}"`;
    if (problem.question.length > 20_000) return `Line ${i + 1} must have at most 20,000 characters`;
    if (!problems.has(problem.question)) problems.set(problem.question, problem);
  }
  return [...problems.values()];
}

/** A problem as a draft holds it. */
type Given = NonNullable<CustomTaskInput["problems"]>[number];

/** Problems as lines; null where one has a form that lines cannot say. */
export function linesOf(problems: readonly Given[]): string | null {
  const lines = problems.map(({ question, answer = "", solution, messages, heldOut }) => {
    const line = answer === "" ? question : `${question} ${ARROW} ${solution ?? answer}`;
    const isSame = messages === undefined && heldOut === undefined && !line.includes("\n");
    const [again] = isSame ? [problemOfLine(line)] : [];
    return again && again.question === question && again.answer === answer ? line : null;
  });
  return lines.includes(null) ? null : lines.join("\n");
}
