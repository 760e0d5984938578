// A peer in a browser worker: the same engines and the same responder as in Node's processes.
import { createBrowserHost } from "../../workers/browserHost.ts";
import type { Workload } from "../measure/workload.ts";
import type { PeerRequest, PeerSpec } from "../peer.ts";
import { createResponder, type PeerEngine } from "../peers/engine.ts";

/** jax-js takes as many threads as there are cores. */
function pretendCores(spec: PeerSpec): void {
  if (spec.engine === "jax-js") Object.defineProperty(navigator, "hardwareConcurrency", { value: spec.threads });
}

/** TensorFlow.js's threads start from source text of the bundle and do not come up here, so it computes on one. */
async function withoutTfjsThreads(): Promise<void> {
  const tf = await import("@tensorflow/tfjs");
  // The flag is there once the backend is loaded.
  await import("@tensorflow/tfjs-backend-wasm");
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
}

async function create(spec: PeerSpec, workload: Workload): Promise<PeerEngine> {
  pretendCores(spec);
  if (spec.engine === "jax-js") {
    const { createJaxEngine } = await import("../peers/engines/jaxEngine.ts");
    return createJaxEngine(workload, spec.threads);
  }
  if (spec.engine.startsWith("tfjs-")) await withoutTfjsThreads();
  const host = await createBrowserHost();
  if (spec.engine === "tfjs-plain") {
    const { createPlainTfjsEngine } = await import("../peers/engines/plainTfjsEngine.ts");
    return createPlainTfjsEngine(workload, host);
  }
  const { createBackendEngine } = await import("../peers/backendEngine.ts");
  return createBackendEngine(spec, workload, host);
}

const respond = createResponder({ create, resident: () => null });

self.onmessage = async ({ data }: MessageEvent<PeerRequest>) => self.postMessage(await respond(data));
