// Starts a peer in a process of its own, so that memory, compiled code and threads are its alone.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { nodeFlags, projectRoot } from "../../../scripts/environment.mjs";
import { softwareGpuVariables } from "../../../scripts/testing/browser.mjs";
import type { Workload } from "../../measure/workload.ts";
import type { PeerReply, PeerRequest, PeerSpec, RunningPeer } from "../../peer.ts";
import { remotePeer } from "./remotePeer.ts";

/** What jax-js, tfjs and the loader have to say is kept for when the process dies. */
function collectErrors(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-2000);
  });
  return () => text.trim().split("\n").slice(-3).join(" ");
}

/** Starts `scripts/run.mjs bench/peers/start/nodeProcess.ts` with a message channel. `software` finds a GPU driver in software. */
export async function startNodePeer(spec: PeerSpec, workload: Workload, software: boolean): Promise<RunningPeer> {
  const script = join(projectRoot, "scripts/run.mjs");
  const child = spawn(process.execPath, [...nodeFlags, script, "bench/peers/start/nodeProcess.ts"], {
    cwd: projectRoot,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, ROLLOUT_LAB_RUN: "1", ...(software ? softwareGpuVariables() : {}) },
  });
  const errors = collectErrors(child);
  const next = () =>
    new Promise<PeerReply>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`its process ended with code ${code}: ${errors()}`));
      if (child.exitCode !== null || child.signalCode !== null) return onExit(child.exitCode);
      child.once("exit", onExit);
      child.once("message", (reply) => {
        child.off("exit", onExit);
        resolve(reply as PeerReply);
      });
    });
  const ask = (request: PeerRequest) => {
    const reply = next();
    // A process that is gone is told of by its exit, not by the failed message.
    child.send(request, () => {});
    return reply;
  };
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill();
    await ended;
  };
  await next();
  return remotePeer(ask, close, spec, workload);
}
