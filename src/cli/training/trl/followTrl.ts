// TRL's program, started and followed: each record that it tells on stdout is written down as this engine's are.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { metricsLine } from "../../../export/writtenRun.ts";
import { isRecord } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { EvaluationRecord, StepRecord } from "../../../protocol/records.ts";
import { JsonLines } from "../../folder/jsonLines.ts";
import { pathOf, type RunFolder } from "../../folder/runFolder.ts";
import { CommandError, EXIT } from "../../lab/exit.ts";
import type { Interrupt } from "../../lab/interrupt.ts";
import type { Progress } from "../../lab/progress.ts";
import { shellWord } from "../../lab/texts.ts";
import type { RunLogs } from "../runLogs.ts";

/** Where the program runs, by which command, and what it is told in its environment. */
export interface TrlCommand {
  /** The folder that it is called in. */
  readonly folder: string;
  readonly command: readonly string[];
  /** What starts the command elsewhere: a line of the shell in which {} is the whole command as one word; null where nothing does. */
  readonly launch: string | null;
}

/** The command as a line of the shell. */
export function commandLine({ folder, command }: Pick<TrlCommand, "folder" | "command">): string {
  return `cd ${shellWord(folder)} && ${command.map(shellWord).join(" ")}`;
}

/** The line that starts it. Throws a CommandError where the command has no place in what is to launch it. */
export function launchLine(trl: TrlCommand): string {
  const line = commandLine(trl);
  if (trl.launch === null) return line;
  if (!trl.launch.includes("{}"))
    throw new CommandError(`--launch must have {} where the command stands, such as "ssh machine {}", got ${JSON.stringify(trl.launch)}`);
  return trl.launch.replaceAll("{}", () => shellWord(line));
}

/** What a line of train.py tells. */
type Told =
  | { readonly kind: "step"; readonly record: StepRecord }
  | { readonly kind: "evaluation"; readonly record: EvaluationRecord }
  | { readonly kind: "rollouts"; readonly told: unknown };

/** What a line tells; null for lines for people. */
function toldBy(line: string): Told | null {
  if (!line.startsWith("{")) return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  // The lab itself has made it, and train.py has passed it on.
  if (isRecord(value.evaluation)) return { kind: "evaluation", record: value.evaluation as unknown as EvaluationRecord };
  if (value.rollouts !== undefined) return { kind: "rollouts", told: value.rollouts };
  if (typeof value.step !== "number" || !isRecord(value.metrics)) return null;
  return { kind: "step", record: { step: value.step, metrics: value.metrics as StepRecord["metrics"] } };
}

export interface Following {
  readonly trl: TrlCommand;
  readonly folder: RunFolder;
  readonly logs: RunLogs;
  readonly interrupt: Interrupt;
  readonly progress: Progress;
  /** Steps that will be told. */
  readonly of: number;
  /** Makes lines of told conversations; null for what has another form. */
  linesOf(told: unknown): readonly unknown[] | null;
  onEvaluation(record: EvaluationRecord): void;
}

/** Runs the program to its end; resolves to the records of its steps. */
export async function followTrl({ trl, folder, logs, interrupt, progress, ...told }: Following): Promise<readonly StepRecord[]> {
  const begunMs = performance.now();
  // A group of its own: whatever launches the program ends with it.
  const child = spawn(launchLine(trl), {
    shell: true,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ROLLOUT_LAB_FOLDER: trl.folder },
  });
  const end = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  };
  interrupt.onAsked(end);
  const metrics = new JsonLines(pathOf(folder, "metrics.jsonl"), end);
  const conversations = new JsonLines(pathOf(folder, "trajectories.jsonl"), end);
  const steps: StepRecord[] = [];
  const onStep = (record: StepRecord) => {
    metrics.add([metricsLine(record)]);
    logs.steps([record]);
    steps.push(record);
    progress.tell({ type: "step", ...record });
    const rewards = () => steps.map((each) => each.metrics.reward ?? Number.NaN);
    progress.at({ step: record.step, of: told.of, rewards, from: 0, seconds: (performance.now() - begunMs) / 1000 });
  };
  let last = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.trim() !== "") last = line.trim();
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = toldBy(line);
    if (said?.kind === "evaluation") told.onEvaluation(said.record);
    else if (said?.kind === "rollouts") conversations.add(told.linesOf(said.told) ?? []);
    else if (said) onStep(said.record);
  });
  const code = await new Promise<number>((done) => {
    child.on("error", () => done(127));
    child.on("close", (status) => done(status ?? 1));
  });
  if (interrupt.isAsked)
    throw new CommandError(`interrupted after ${counted(steps.length, "step")}, which TRL cannot go on from`, EXIT.interrupted);
  if (code !== 0) throw new CommandError(`TRL ended with exit code ${code}: ${last}`);
  return steps;
}
