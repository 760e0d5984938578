// What a log says: how the run does, what is wrong with it or only looks so, and what it cannot decide.
import { type Diagnosed, diagnose } from "../diagnosis/index.ts";
import { historyOf, type RunRecords } from "../verdict/history.ts";
import { judgeRun, type VerdictResult } from "../verdict.ts";
import { type LogEvidence, logEvidence } from "./logEvidence.ts";
import { type ReadLog, readLogText } from "./readLog.ts";
import { signatures } from "./signatures/index.ts";
import { type Undecided, undecidedOf } from "./undecided.ts";

/** Something that is named of a log: a cause, a known pattern that is a fault, or one that is none. */
export interface Named {
  readonly id: string;
  readonly kind: "fault" | "normal";
  readonly title: string;
  /** The sentence with the log's numbers. */
  readonly evidence: string;
  readonly explains: string;
  readonly tries: readonly string[];
  readonly remedy: Diagnosed["remedy"];
  /** The lesson that shows it; null where none does. */
  readonly lesson: string | null;
}

export interface LogReading {
  readonly evidence: LogEvidence;
  /** Null where the log has no reward and no loss: nothing of it can be judged. */
  readonly verdict: VerdictResult | null;
  /** Faults first, the likeliest before what may follow from it, then what is no fault. */
  readonly named: readonly Named[];
  readonly undecided: readonly Undecided[];
}

const ofDiagnosis = ({ diagnosis, evidence, tries, remedy }: Diagnosed): Named => ({
  id: diagnosis.id,
  kind: "fault",
  title: diagnosis.title,
  evidence,
  explains: diagnosis.explains,
  tries,
  remedy,
  lesson: signatures.find(({ cause }) => cause === diagnosis.id)?.lesson ?? null,
});

/** What is named, in order: causes that the settings themselves name, known faults, other causes, and what is no fault. */
function namedOf(evidence: LogEvidence, verdict: VerdictResult["verdict"]): readonly Named[] {
  const causes = diagnose(evidence, verdict);
  const isFine = verdict === "improving" || verdict === "solved";
  const found = signatures.flatMap((signature) => {
    if (signature.kind === "fault" && isFine && !signature.hidesInProgress) return [];
    if (causes.some(({ diagnosis }) => diagnosis.id === signature.cause)) return [];
    const sentence = signature.find(evidence);
    return sentence === null ? [] : [{ ...signature, sentence }];
  });
  const following = new Set([
    ...found.flatMap(({ leadsTo = [] }) => leadsTo),
    ...causes.flatMap(({ diagnosis }) => diagnosis.leadsTo ?? []),
  ]);
  // A pattern that says itself to be a consequence cannot take its own cause away.
  const told = found
    .filter(({ id, cause = id }) => !following.has(id) && !causes.some(({ diagnosis }) => diagnosis.leadsTo?.includes(cause)))
    .map(
      ({ id, kind, title, sentence, explains, tries, lesson }): Named => ({
        id,
        kind,
        title,
        evidence: sentence,
        explains,
        tries,
        remedy: null,
        lesson,
      }),
    );
  const ofCauses = (isCause: boolean) =>
    causes.filter((each) => (each.isCause ?? false) === isCause && !following.has(each.diagnosis.id)).map(ofDiagnosis);
  const faults = told.filter(({ kind, id }) => kind === "fault" && id !== "reward-flat");
  const normal = told.filter(({ kind }) => kind === "normal");
  // That a reward does not rise is no cause: it is told where nothing else is wrong, behind what is no fault.
  const isElse = faults.length + causes.length > 0;
  return [...ofCauses(true), ...faults, ...ofCauses(false), ...normal, ...(isElse ? [] : told.filter(({ id }) => id === "reward-flat"))];
}

/** Whether two that are named say the same: a pattern, and the cause that it stands for where more is known. */
export function saysTheSame(a: string, b: string): boolean {
  const causeOf = (id: string) => signatures.find((each) => each.id === id)?.cause ?? id;
  return causeOf(a) === causeOf(b);
}

/** Judges a log that was read. */
export const judgeLog = (log: ReadLog): LogReading => judgeEvidence(logEvidence(log));

/** Judges a run of this lab in the same way. */
export function judgeRecords(records: RunRecords): LogReading {
  const log = readLogText(records.steps.map(({ step, metrics }) => JSON.stringify({ step, ...metrics })).join("\n"));
  return judgeEvidence({ ...logEvidence(log), ...historyOf(records) });
}

function judgeEvidence(evidence: LogEvidence): LogReading {
  const isMeasured = ["reward", "loss"].some((key) => evidence.metric(key).values.length > 0);
  const verdict = isMeasured ? judgeRun(evidence) : null;
  const named = namedOf(evidence, verdict?.verdict ?? "no evidence yet");
  const known = new Set([
    ...named.map(({ id }) => id),
    ...signatures.filter(({ id }) => named.some((each) => each.id === id)).flatMap(({ cause }) => cause ?? []),
  ]);
  return { evidence, verdict, named, undecided: undecidedOf(evidence, known) };
}
