// Short runs that fail, each with the cause that must be named first, and sound ones, on which none may be: read, trained and judged.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { trainRun } from "../../library/trainRun.ts";
import type { RunConfigInput } from "../../protocol/config.ts";
import { type Diagnosed, diagnose } from "../../rl/diagnosis/index.ts";
import { historyOf, type RunRecords } from "../../rl/verdict/history.ts";
import { judgeRun } from "../../rl/verdict.ts";
import type { Host } from "../../train/host.ts";
import { planRun } from "../../train/start/plan.ts";
import type { Loaded } from "../custom/additions.ts";
import { withRewards } from "../folder/recordedRun.ts";
import { givenSettings, merged, readConfigFile } from "../training/configFile.ts";

export interface CauseCase {
  readonly id: string;
  /** Id of the diagnosis that must come first; null where none may be named. */
  readonly cause: string | null;
  readonly input: RunConfigInput;
  readonly loaded: Loaded | null;
}

/** What is named of a run after some step: its diagnoses in their order. */
export interface Named {
  readonly step: number;
  readonly verdict: string;
  readonly found: readonly Diagnosed[];
}

type Given = Readonly<Record<string, unknown>> & { readonly cause?: string; readonly file?: string };

/** The runs of a table, in its order: settings as in a configuration file, with "file" for one that they lie on top of, and "cause". */
export async function readCases(path: string): Promise<readonly CauseCase[]> {
  const table = parse(await readFile(path, "utf8")) as Readonly<Record<string, Given>>;
  const cases: CauseCase[] = [];
  for (const [id, { cause = null, file, ...own }] of Object.entries(table)) {
    const under = file === undefined ? {} : (await readConfigFile(join(dirname(path), file))).input;
    const given = file === undefined ? own : merged(under, own);
    cases.push({ id, cause, ...(await givenSettings(given, path, `${id}: `)) });
  }
  return cases;
}

/** Trains a case and says what is named of it: after each step where none may be, else at its end. */
export async function namedOf({ cause, input, loaded }: CauseCase, newHost: (overrides: Partial<Host>) => Host): Promise<readonly Named[]> {
  const additions = loaded?.additions;
  const run = await trainRun(input, newHost({ additions }));
  await run.close();
  const { config } = planRun({ config: input }, additions);
  const { steps, evaluations, baselines } = run;
  const ends = cause === null ? steps.map((_, i) => i + 1) : [steps.length];
  return ends.map((end) => {
    const step = steps[end - 1]?.step ?? 0;
    return namedBy({ config, steps: steps.slice(0, end), evaluations: evaluations.filter((each) => each.step <= step), baselines });
  });
}

function namedBy(recorded: RunRecords): Named {
  const history = historyOf(withRewards(recorded));
  const { verdict } = judgeRun(history);
  return { step: recorded.steps.at(-1)?.step ?? 0, verdict, found: diagnose(history, verdict) };
}

/** The first finding that is told of a run, as the table writes it down; null where none is. */
export function firstOf(named: readonly Named[]): { readonly step: number; readonly found: Diagnosed } | null {
  for (const { step, found } of named) if (found[0]) return { step, found: found[0] };
  return null;
}
