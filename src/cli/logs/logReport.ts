// What is said of a log: the same facts for programs and, as text, for people.
import { counted } from "../../protocol/quantities.ts";
import { judgeLog, type LogReading } from "../../rl/logs/judgeLog.ts";
import { type LogFile, readLogFiles } from "../../rl/logs/readLog.ts";
import { CommandError } from "../lab/exit.ts";
import { columns } from "../lab/texts.ts";
import type { Report } from "../lab/verb.ts";

function textOf({ evidence: { log }, verdict, named, undecided }: LogReading): string {
  const { rows, program, mark, forms, lines, settings, names, hasSteps } = log;
  const read = `${counted(rows.length, "step")}${hasSteps ? ` (${rows[0]?.step} to ${rows.at(-1)?.step})` : ", numbered here"} in ${forms.join(" and ")}; names of ${program.title}${mark ? `, told by ${mark}` : ", which nothing tells for sure"}; ${lines.ignored} of ${counted(lines.of, "line")} ignored.`;
  const causes = named.flatMap(({ kind, title, evidence, tries }, i) => [
    `${i + 1}. ${title}. ${evidence}`,
    ...(kind === "normal" ? [] : tries.map((each) => `   - ${each}`)),
  ]);
  const open = undecided.map(({ title, missing }) => [title, `needs ${missing.join(", ")}`]);
  const used = names.filter(({ to }) => to !== null).map(({ from, to, says = "" }) => [from, from === to ? "the same" : (to ?? ""), says]);
  return [
    read,
    verdict ? `Verdict: ${verdict.verdict}. ${verdict.sentence}` : "Neither a reward nor a loss: there is nothing to judge.",
    ...(causes.length > 0 ? ["", ...causes] : ["", "No cause is named."]),
    ...(settings.length > 0 ? ["", `Settings read: ${settings.map(({ from, value }) => `${from} ${value}`).join(", ")}.`] : []),
    ...(open.length > 0 ? ["", "The log cannot decide:", columns(open)] : []),
    "",
    "Names:",
    columns(used),
  ].join("\n");
}

/** The report on a log; a log without one number is no log. */
export function logReport(path: string, files: readonly LogFile[]): Report {
  const log = readLogFiles(files);
  if (log.rows.length === 0)
    throw new CommandError(
      `${path} has no line that a log of a training is known by (of ${counted(log.lines.of, "line")}): Python or JSON dictionaries, key:value, a table, CSV, trainer_state.json, TensorBoard's or MLflow's files`,
    );
  const reading = judgeLog(log);
  const { verdict, named, undecided } = reading;
  return {
    facts: {
      log: path,
      program: log.program.id,
      toldBy: log.mark,
      forms: log.forms,
      steps: log.rows.length,
      hasSteps: log.hasSteps,
      lines: log.lines,
      verdict: verdict?.verdict ?? null,
      why: verdict?.sentence ?? null,
      named: named.map(({ id, kind, title, evidence, tries, remedy, lesson }) => ({ id, kind, title, evidence, tries, remedy, lesson })),
      undecided,
      settings: log.settings,
      names: log.names,
    },
    text: textOf(reading),
  };
}
