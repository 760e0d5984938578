// What a log cannot decide: the diagnoses that lack one of the numbers they need, and which. A cause that is not named because its
// numbers are missing is no cause that was ruled out.
import { counted } from "../../protocol/quantities.ts";
import { diagnoses } from "../diagnosis/index.ts";
import type { LogEvidence } from "./logEvidence.ts";
import { settingName, settingTitle } from "./settings.ts";

export interface Undecided {
  readonly id: string;
  readonly title: string;
  /** What would decide, under the program's own names. */
  readonly missing: readonly string[];
}

/** How the program calls a metric: the same where its table says so, else the name that it is read from. */
function metricName({ log }: LogEvidence, key: string): string {
  if (log.program.names.some(({ from, to }) => to === "$&" && from instanceof RegExp && from.test(key))) return key;
  const rule = log.program.names.find(({ from, to }) => to === key && typeof from === "string");
  return typeof rule?.from === "string" ? rule.from : key;
}

const settingText = (name: string, title: string): string => (name === title ? name : `${name} (${title})`);

/** The numbers that a diagnosis lacks; empty where it could decide. */
function missingOf(run: LogEvidence, { needs }: (typeof diagnoses)[number]): readonly string[] {
  const metrics = needs.metrics.filter((key) =>
    key.includes("NAME")
      ? !run.log.names.some(({ to }) => to?.startsWith("rewards/") && to.endsWith("/std"))
      : run.metric(key).values.length === 0,
  );
  const settings = (needs.settings ?? []).filter((key) => run.config[key] === undefined);
  const rows = Math.max(0, ...needs.metrics.map((key) => run.metric(key).values.length));
  const fewest = needs.steps ?? 2;
  return [
    ...metrics.map((key) => metricName(run, key)),
    ...settings.map((key) => settingText(run.log.program.settings?.[key] ?? settingName(key), settingTitle(key))),
    ...(needs.evaluations && run.evaluations.length === 0 ? ["evaluations on held-out problems, and of how many"] : []),
    ...(needs.baselines && run.baselines.length === 0 ? ["what an untrained policy earns"] : []),
    ...(metrics.length === 0 && rows < fewest ? [`${counted(fewest, "step")}, the log has ${rows}`] : []),
  ];
}

/** The diagnoses of learning from rewards that the log cannot decide; those in `named` are. */
export function undecidedOf(run: LogEvidence, named: ReadonlySet<string>): readonly Undecided[] {
  return diagnoses
    .filter(({ isSupervised, id }) => !isSupervised && !named.has(id))
    .map((diagnosis) => ({ id: diagnosis.id, title: diagnosis.title, missing: missingOf(run, diagnosis) }))
    .filter(({ missing }) => missing.length > 0);
}
