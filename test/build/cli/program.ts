// Runs the built command line as a user runs it, in a folder of its own: each command in a process, or where a test asks for it
// in a thread that its file keeps.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Ended, PROGRAM, runInThread } from "./keptProgram.ts";

export { type Ended, PROGRAM };

interface RunOptions {
  readonly cwd: string;
  /** Runs in the thread that a file's tests share, where the process itself is not what is looked at. */
  readonly isKept?: boolean;
  /** Runs as this user, where the tests run as the one who may do everything. */
  readonly uid?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Another copy of the program. */
  readonly program?: string;
}

export function run(args: readonly string[], { program = PROGRAM, isKept = false, ...options }: RunOptions): Promise<Ended> {
  if (isKept) return runInThread(args, options.cwd);
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { ...options, encoding: "utf8" }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** A process that is still going, with what it has said. */
export function start(args: readonly string[], { cwd }: RunOptions) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd });
  let [stdout, stderr] = ["", ""];
  const waiting: (() => void)[] = [];
  child.stdout.on("data", (data) => {
    stdout += data;
    for (const look of waiting) look();
  });
  child.stderr.on("data", (data) => {
    stderr += data;
    for (const look of waiting) look();
  });
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr })));
  return {
    signal: (name: NodeJS.Signals) => child.kill(name),
    ended,
    /** What is on stdout so far. */
    said: () => stdout,
    /** Resolves once it has said so. */
    says: (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => (stdout + stderr).includes(text) && resolve();
        waiting.push(look);
        look();
      }),
  };
}

/** The one JSON object on stdout. */
function objectOf({ stdout }: Ended): unknown {
  expect(stdout.trim().split("\n")).toHaveLength(1);
  return JSON.parse(stdout);
}

/** What the command says with --json, where it goes well; the caller knows its shape. */
export async function facts<T = unknown>(args: readonly string[], options: RunOptions): Promise<T> {
  const ended = await run([...args, "--json"], options);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const object = objectOf(ended);
  expect(object).toMatchObject({ ok: true });
  return object as T;
}

/** Expects an end with one line on stderr that matches, the same sentence in the object with --json, and this exit code. */
export async function fails(args: readonly string[], options: RunOptions, code: number, sentence: RegExp): Promise<void> {
  const ended = await run([...args, "--json"], options);
  expect(ended.stderr).toMatch(/^rollout-lab: [^\n]+\n$/);
  expect(ended.stderr).toMatch(sentence);
  expect(ended.code).toBe(code);
  expect(objectOf(ended)).toMatchObject({ ok: false, exitCode: code, error: expect.stringMatching(sentence) });
}

interface TemporaryFolder {
  readonly path: string;
  /** Commands run here one after another in the thread that a file's tests share. */
  readonly at: RunOptions;
  /** Each command runs here in a process of its own. */
  readonly alone: RunOptions;
  remove(): void;
}

/** A folder that is gone when the tests are over. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "rollout-lab-cli-"));
  return { path, at: { cwd: path, isKept: true }, alone: { cwd: path }, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The values of a file of JSON lines. */
export function linesOf(path: string) {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Trains in a blink. */
export const TABLE = "# Forty logits.\ntask: digit-sum\nlearningRate: 2\nsteps: 40\nevalEvery: 20\nevalSamples: 2\n";
/** The smallest transformer. */
export const TRANSFORMER = `task: digit-sum
model: transformer
backend: wasm
threads: 1
algorithm: grpo
hiddenSize: 16
layers: 1
heads: 2
kvHeads: 2
intermediateSize: 16
groupSize: 4
steps: 3
evalEvery: 0
`;

/** What train reports, as far as a test looks at it. */
export interface Summary {
  readonly run: string;
  readonly steps: number;
  readonly accuracy: number;
  readonly lift: number;
  readonly liftInterval: readonly [number, number];
  readonly greedy: { readonly lift: number };
  readonly kl: number;
  readonly seconds: number;
  readonly tokensPerSecond: number;
  readonly baselines: { readonly start: { readonly accuracy: number } };
  readonly reward: { readonly first: number; readonly final: number };
}

/** What the other verbs find, as far as a test looks at it. */
export interface Found {
  readonly evaluation: unknown;
  readonly samples: readonly unknown[];
  readonly runs: readonly { readonly run: string; readonly value: number; readonly seed: number }[];
  readonly files: readonly { readonly path: string }[];
  readonly ready: boolean;
  readonly checks: readonly { readonly needed: boolean; readonly ok: boolean }[];
  readonly results: readonly { readonly preset: string; readonly secondsPerStep: number }[];
  readonly comparison: unknown;
  readonly out: string;
  readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
  readonly [list: string]: unknown;
}
