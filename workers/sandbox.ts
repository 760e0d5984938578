// The thread in which custom code runs, in a browser or in Node. It is built to public/sandbox, so that both run
// the same file.
import { type SandboxPort, serveSandbox } from "../src/rl/sandbox/program.ts";

async function portOfThread(): Promise<SandboxPort> {
  const isBrowser = typeof WorkerGlobalScope !== "undefined";
  if (isBrowser) return self as unknown as SandboxPort;
  const { parentPort } = await import("node:worker_threads");
  if (!parentPort) throw new Error("internal: the sandbox must run in a thread");
  return parentPort as unknown as SandboxPort;
}

serveSandbox(await portOfThread(), () => performance.now());
