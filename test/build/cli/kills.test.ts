// Runs of the command line that are ended at random moments, again and again, and go on by the command that the
// program itself advises: each comes to what one comes to that nothing disturbed, to the bit and to the line. A few
// here; npm run test:kill makes more. What was tried is KILLED_RUNS (test/support/killedRuns.ts) times SIGNALS, at the
// moments of `momentOf`, begun with --set, --seed and changes on the way.
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { asTable, dice, KILLED_MODEL, KILLED_RUNS } from "../../support/killedRuns.ts";
import { tries } from "../../support/long.ts";
import { type Ended, facts, linesOf, start, temporaryFolder } from "./program.ts";

/** How often a run is to go on, over all trials. */
const RESUMES = Number(process.env.KILL_RESUMES ?? tries(3, 6));
const SEED = Number(process.env.KILL_SEED ?? 1);
const FIRST = Number(process.env.KILL_FIRST ?? 0);
const SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT"] as const;
type Signal = (typeof SIGNALS)[number];

const folder = temporaryFolder();
const at = { cwd: folder.path };
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
afterAll(folder.remove);
if (KILLED_MODEL) symlinkSync(resolve("models"), file("models"));

/** What a policy is: its weights, or its adapters beside a base that stands still, and of a table, which has no such files, what it says. */
async function policyOf(path: string, { model, loraRank }: { readonly model: string; readonly loraRank: number }): Promise<unknown> {
  if (model === "tabular") return (await facts<{ readonly samples: unknown }>(["sample", path, "--n", "32", "--seed", "1"], at)).samples;
  const out = `${path}-model`;
  await facts(["export", path, "--to", loraRank > 0 ? "peft" : "hf", "--out", out], at);
  const weights = readdirSync(file(out)).filter((name) => name.endsWith(".safetensors"));
  return weights.map((name) => [name, readFileSync(file(out, name)).toString("base64")]);
}

/** What a run has left, without what measures time. */
async function left(path: string) {
  const config = JSON.parse(readFileSync(file(path, "config.json"), "utf8"));
  return {
    metrics: linesOf(file(path, "metrics.jsonl")).map((line) => Object.entries(line).filter(([key]) => !isTimedMetric(key))),
    evaluations: linesOf(file(path, "evaluations.jsonl")),
    trajectories: linesOf(file(path, "trajectories.jsonl")),
    config,
    policy: await policyOf(path, config),
  };
}

/** Where two runs are not the same, in words. */
function differences(cut: unknown, whole: unknown, where = ""): readonly string[] {
  if (isDeepStrictEqual(cut, whole)) return [];
  const isInner = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;
  if (!isInner(cut) || !isInner(whole)) return [`${where} is ${short(cut)} instead of ${short(whole)}`];
  const keys = [...new Set([...Object.keys(whole), ...Object.keys(cut)])];
  return keys.flatMap((key) => differences(cut[key], whole[key], where === "" ? key : `${where}.${key}`)).slice(0, 4);
}

const short = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 80);

/** A run as it is asked for: a file, and what the command line sets over it. */
function begunBy(name: string, config: RunConfigInput, roll: (limit: number) => number) {
  const path = `${name.replaceAll(/\W+/g, "-")}.json`;
  const { steps = 8, changes = [] } = config;
  // The file says less than the run: what is lost on the way would show.
  const isSet = roll(2) === 1;
  const written = isSet ? { ...config, steps: 1, temperature: 2 } : config;
  const added = roll(2) === 1 && changes.length === 0 ? [{ afterStep: 1 + roll(steps - 1), settings: { learningRate: 2e-4 } }] : changes;
  return {
    path,
    file: { ...written, changes: added },
    words: [
      ...(isSet ? ["--set", `steps=${steps}`, "--set", "temperature=1"] : []),
      ...(roll(2) === 1 ? ["--seed", String(roll(1000))] : []),
    ],
    steps,
  };
}

/**
 * When a process is ended: so long after its beginning, after its first evaluation or after it has told a step.
 * @param taken steps of those before it.
 */
function momentOf(roll: (limit: number) => number, taken: number, steps: number) {
  const way = taken >= steps ? 0 : roll(3);
  if (way === 0) return { after: "", waitMs: roll(KILLED_MODEL ? 4000 : 900) };
  if (way === 1) return { after: taken > 0 ? '"type":"preparing"' : '"type":"evaluation"', waitMs: roll(KILLED_MODEL ? 3000 : 150) };
  const step = taken + 1 + roll(Math.min(steps - taken, 1 + steps / 2));
  return { after: `"type":"step","step":${step},`, waitMs: roll(KILLED_MODEL ? 2000 : 40) };
}

/** The last step that a process has told. */
const lastTold = ({ stderr }: Ended) => Math.max(0, ...[...stderr.matchAll(/"type":"step","step":(\d+)/g)].map(([, step]) => Number(step)));

/** What the program says is to be done now; the command that began the run where no run is there yet. */
async function advised({ stdout }: Ended, path: string, begun: readonly string[]): Promise<readonly string[]> {
  const said = stdout.trim() === "" ? {} : (JSON.parse(stdout) as { readonly resume?: string });
  if (said.resume) return said.resume.split(" ").slice(1);
  return existsSync(file(path, "run.json")) ? ["train", path, "--resume"] : begun;
}

/** The command that a refusal names for a folder that was cut off before its first save. */
const BEGINS_AGAIN = /before its start was saved: rollout-lab (train [^:]*) begins it again/;

interface Course {
  readonly resumes: number;
  readonly ends: readonly string[];
}

/** Begins a run, ends it and lets it go on, until it is over. */
async function withInterruptions(begun: readonly string[], path: string, steps: number, trial: number): Promise<Course> {
  const roll = dice(SEED * 1000 + trial);
  const most = 2 + roll(2);
  const ends: string[] = [];
  let [resumes, taken] = [0, 0];
  let words = begun;
  for (let times = 0; times <= most + 2; times++) {
    const isLast = resumes >= most || times > most;
    const training = start([...words, "--json", "--progress", "json"], at);
    const signal: Signal = SIGNALS[(trial + times) % SIGNALS.length]!;
    const { after, waitMs } = momentOf(roll, taken, steps);
    if (!isLast) {
      await Promise.race([training.says(after), training.ended]);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, waitMs)), training.ended]);
      training.signal(signal);
    }
    const ended = await training.ended;
    taken = Math.max(taken, lastTold(ended));
    if (words.includes("--resume")) resumes++;
    if (ended.code === 0) return { resumes, ends };
    const cut = BEGINS_AGAIN.exec(ended.stderr);
    if (cut) {
      words = cut[1]!.split(" ");
      ends.push("cut");
      continue;
    }
    expect([-1, 130], `${words.join(" ")}: ${ended.stderr}`).toContain(ended.code);
    if (isLast) throw new Error(`it did not come to its end: ${ended.stderr}`);
    ends.push(`${signal}@${after.replaceAll(/"type":|"step":|[",]/g, "") || "start"}+${waitMs}`);
    words = await advised(ended, path, begun);
  }
  throw new Error(`it did not come to its end: ${ends.join(" ")}`);
}

const table: (readonly (string | number)[])[] = [];

describe("runs that are ended at random moments", { retry: 0 }, () => {
  it(`go on ${RESUMES} times to the bit, conversations included`, async () => {
    let [resumes, trial] = [0, FIRST];
    const failures: string[] = [];
    for (; resumes < RESUMES && trial < FIRST + RESUMES; trial++) {
      const [name, config] = KILLED_RUNS[(trial * 5 + 1) % KILLED_RUNS.length]!;
      const roll = dice(SEED * 7919 + trial);
      const begun = begunBy(name, config, roll);
      writeFileSync(file(begun.path), JSON.stringify(begun.file));
      const [whole, cut] = [`runs/${trial}-whole`, `runs/${trial}-cut`];
      await facts(["train", begun.path, ...begun.words, "--out", whole], at);
      let [course, outcome]: [Course, string] = [{ resumes: 0, ends: [] }, "equal"];
      try {
        course = await withInterruptions(["train", begun.path, ...begun.words, "--out", cut], cut, begun.steps, trial);
        const different = differences(await left(cut), await left(whole));
        if (different.length > 0) throw new Error(different.join("; "));
      } catch (error) {
        outcome = "NOT EQUAL";
        failures.push(`trial ${trial} (${name}, ${begun.words.join(" ")}): ${error instanceof Error ? error.message : error}`);
      }
      resumes += course.resumes;
      table.push([trial, name, begun.words.join(" ") || "-", begun.file.changes.length, course.ends.join(" "), course.resumes, outcome]);
    }
    console.log(asTable([["trial", "run", "set", "changes", "ended by @moment+ms", "resumes", "outcome"], ...table]));
    console.log(`${trial - FIRST} trials, ${resumes} resumes, ${failures.length} not equal`);
    expect(failures).toEqual([]);
  }, 3_600_000);
});
