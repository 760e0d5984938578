// TRL's program, started and followed: each record that it tells on stdout is written down as this engine's are.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isRecord, orElse } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { EvaluationRecord, StepRecord } from "../../../protocol/records.ts";
import { CommandError, EXIT } from "../../lab/exit.ts";
import type { Interrupt } from "../../lab/interrupt.ts";
import type { Progress } from "../../lab/progress.ts";
import { operandWord, shellWord } from "../../lab/texts.ts";
import type { TrlRecords } from "./trlRecords.ts";

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
type Line =
  | { readonly kind: "from"; readonly step: number; readonly held: readonly StepRecord[] }
  | { readonly kind: "step"; readonly record: StepRecord }
  | { readonly kind: "evaluation"; readonly record: EvaluationRecord }
  | { readonly kind: "rollouts"; readonly rollouts: unknown };

function stepIn(value: unknown): StepRecord | null {
  if (!isRecord(value) || typeof value.step !== "number" || !isRecord(value.metrics)) return null;
  return { step: value.step, metrics: value.metrics as StepRecord["metrics"] };
}

/** What a line tells; null for lines for people. */
function lineOf(line: string): Line | null {
  if (!line.startsWith("{")) return null;
  const value: unknown = orElse(() => JSON.parse(line), null);
  if (!isRecord(value)) return null;
  // The lab itself has made it, and train.py has passed it on.
  if (isRecord(value.evaluation)) return { kind: "evaluation", record: value.evaluation as unknown as EvaluationRecord };
  if (value.rollouts !== undefined) return { kind: "rollouts", rollouts: value.rollouts };
  if (typeof value.from === "number" && Array.isArray(value.steps))
    return { kind: "from", step: value.from, held: value.steps.flatMap((each) => stepIn(each) ?? []) };
  const record = stepIn(value);
  return record && { kind: "step", record };
}

interface Following {
  readonly trl: TrlCommand;
  /** Where the run lies. */
  readonly run: string;
  readonly records: TrlRecords;
  readonly interrupt: Interrupt;
  readonly progress: Progress;
  /** Steps that will be told. */
  readonly of: number;
  /** Makes lines of logged conversations; null for what has another form. */
  linesOf(rollouts: unknown): readonly unknown[] | null;
}

/** Runs the program to its end. */
export async function followTrl({ trl, run, records, interrupt, progress, of, linesOf }: Following): Promise<void> {
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
  const hear = async (said: Line) => {
    if (said.kind === "from") await records.goOn(said.step, said.held);
    else if (said.kind === "evaluation") records.evaluation(said.record);
    else if (said.kind === "rollouts") records.conversations(linesOf(said.rollouts) ?? []);
    else {
      records.step(said.record);
      progress.tell({ type: "step", ...said.record });
      const rewards = () => records.steps.map((each) => each.metrics.reward ?? Number.NaN);
      progress.at({ step: said.record.step, of, rewards, from: records.from, seconds: (performance.now() - begunMs) / 1000 });
    }
    if (records.failure) throw records.failure;
  };
  let last = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.trim() !== "") last = line.trim();
  });
  const closed = new Promise<number>((done) => {
    child.on("error", () => done(127));
    child.on("close", (status) => done(status ?? 1));
  });
  const heard = async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const said = lineOf(line);
      if (said) await hear(said);
    }
  };
  const [code] = await Promise.all([closed, heard()]).finally(end);
  const again = records.steps.length > 0 ? `rollout-lab train ${operandWord(run)} --resume goes on from TRL's last checkpoint` : null;
  if (interrupt.isAsked)
    throw new CommandError(`interrupted after ${counted(records.steps.length, "step")}${again ? `: ${again}` : ""}`, EXIT.interrupted);
  if (code !== 0) throw new CommandError(`TRL ended with exit code ${code}: ${last}${again ? ` (${again})` : ""}`);
}
