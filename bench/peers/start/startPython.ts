// Starts the PyTorch peer (pytorch_peer.py) where Python with torch is found, and speaks its protocol:
// one JSON request and one JSON reply a line.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../../../scripts/environment.mjs";
import type { Workload } from "../../measure/workload.ts";
import type { PeerFacts, PeerMemory, PeerSpec, RunningPeer } from "../../peer.ts";

export interface FoundPython {
  readonly command: string;
  readonly torch: string;
}

/** The Python of PYTHON, or python3, if it can import torch; otherwise why not. */
export function findTorch(): FoundPython | string {
  const command = process.env.PYTHON ?? "python3";
  const script = "import sys, torch; print(torch.__version__)";
  try {
    const torch = execFileSync(command, ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return { command, torch };
  } catch {
    return `${command} with torch was not found (set PYTHON to one that has it)`;
  }
}

type Json = Readonly<Record<string, unknown>>;

/** Sends one request and resolves to its reply; rejects with the peer's error or its last words. */
export function speak(child: ChildProcess): (request: Json) => Promise<Json> {
  if (!child.stdin || !child.stdout) throw new Error("internal: the Python peer has no pipes");
  const { stdin } = child;
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-500);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (request) => {
    stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`Python ended: ${errors.trim()}`);
    const reply = JSON.parse(value) as Json;
    if (typeof reply.error === "string") throw new Error(reply.error);
    return reply;
  };
}

/** The request that names a workload to pytorch_peer.py. */
export function pythonRequest(phase: "train" | "decode", repeats: number, spec: PeerSpec, workload: Workload): Json {
  const { batch, length, conversations, ...size } = workload;
  const talk = conversations ? { conversations } : {};
  return { do: phase, repeats, threads: spec.threads, compiled: spec.compiled ?? false, size, batch, length, ...talk };
}

/** Starts the peer on a workload and runs both phases once. */
export async function startPythonPeer(spec: PeerSpec, workload: Workload): Promise<RunningPeer> {
  const found = findTorch();
  if (typeof found === "string") throw new Error(found);
  const child = spawn(found.command, [join(projectRoot, "bench/peers/pytorch_peer.py")], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, OMP_NUM_THREADS: String(spec.threads) },
  });
  const ask = speak(child);
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill();
    await ended;
  };
  try {
    const { gemmGflops } = await ask({ do: "describe", threads: spec.threads });
    for (const phase of ["train", "decode"] as const) await ask(pythonRequest(phase, 1, spec, workload));
    const note = `1024³ product ${Math.round(Number(gemmGflops))} GFLOP/s`;
    const facts: PeerFacts = { version: found.torch, threads: spec.threads, note };
    return {
      facts,
      time: async (phase, repeats) => (await ask(pythonRequest(phase, repeats, spec, workload))).ms as readonly number[],
      memory: async () => ({ ...((await ask({ do: "memory" })) as Pick<PeerMemory, "peakMiB" | "baseMiB">), engineMiB: null }),
      products: async () => null,
      gpuCounts: async () => null,
      gpuRecording: async () => null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
