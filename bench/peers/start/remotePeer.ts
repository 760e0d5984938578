// A running peer at the other end of a channel that answers one request at a time.

import type { Workload } from "../../measure/workload.ts";
import type {
  GpuCounts,
  GpuRecording,
  PeerFacts,
  PeerMemory,
  PeerReply,
  PeerRequest,
  PeerSpec,
  ProductRate,
  RunningPeer,
} from "../../peer.ts";

/** A request that takes longer counts as lost. */
const LIMIT_MS = 600_000;

/** Rejects when `reply` does not come in time. */
async function inTime<T>(reply: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${LIMIT_MS / 60_000} minutes`)), LIMIT_MS);
  });
  return Promise.race([reply, late]).finally(() => clearTimeout(timer));
}

/** Starts the peer through `ask`; closes the channel where it cannot start. */
export async function remotePeer(
  ask: (request: PeerRequest) => Promise<PeerReply>,
  close: () => Promise<void>,
  spec: PeerSpec,
  workload: Workload,
): Promise<RunningPeer> {
  const value = async <T>(request: PeerRequest): Promise<T> => {
    const reply = await inTime(ask(request));
    if (!reply.ok) throw new Error(reply.error);
    return reply.value as T;
  };
  try {
    const facts = await value<PeerFacts>({ do: "start", spec, workload, gpu: spec.engine.includes("webgpu") });
    return {
      facts,
      time: (phase, repeats) => value<readonly number[]>({ do: "time", phase, repeats }),
      memory: () => value<PeerMemory>({ do: "memory" }),
      products: () => value<readonly ProductRate[] | null>({ do: "products" }),
      gpuRecording: () => value<GpuRecording | null>({ do: "gpuRecording" }),
      gpuCounts: (phase) => value<GpuCounts | null>({ do: "gpuCounts", phase }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
