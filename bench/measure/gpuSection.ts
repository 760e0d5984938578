// Dispatches, submits and JavaScript time of each phase under WebGPU. Counts are the same on a software
// adapter as on hardware; its times are not a GPU's.

import { type PeerSpec, peerId, peerTitle, type StartPeer } from "../peer.ts";
import type { GpuResult } from "../report/result.ts";
import { type SizeId, workloadOf } from "./workload.ts";

/** Runs after the first, whose bind groups and pipelines are new, that are counted; the one with the least JavaScript is kept. */
const RUNS = 3;

/** On a software adapter the full workload takes minutes; its counts do not depend on batch and length. */
const SOFTWARE_WORK = { batch: 2, length: 16 };

/** Counts every GPU peer on every size; a peer that cannot run is reported and left out. */
export async function countGpuWork(
  sizes: readonly SizeId[],
  peers: readonly PeerSpec[],
  start: StartPeer,
  software: boolean,
  report: (line: string) => void,
): Promise<readonly GpuResult[]> {
  const results: GpuResult[] = [];
  for (const size of sizes) {
    const workload = { ...workloadOf(size), ...(software ? SOFTWARE_WORK : {}) };
    for (const spec of peers) {
      report(`${size}: counting ${peerId(spec)}`);
      try {
        const running = await start(spec, workload);
        const least = async (phase: "train" | "decode") => {
          const runs = [];
          for (let run = 0; run < RUNS; run++) runs.push(await running.gpuCounts(phase));
          const best = runs.flatMap((counts) => counts ?? []).toSorted((a, b) => a.recordMs - b.recordMs)[0];
          if (!best) throw new Error("nothing was counted");
          return best;
        };
        const train = await least("train");
        const decode = await least("decode");
        const recording = await running.gpuRecording();
        await running.close();
        results.push({
          size,
          peer: peerId(spec),
          title: peerTitle(spec),
          layers: workload.layers,
          steps: workload.length,
          train,
          decode,
          trainUsPerDispatch: (train.recordMs * 1000) / train.dispatches,
          decodeUsPerDispatch: (decode.recordMs * 1000) / decode.dispatches,
          recording,
        });
      } catch (error) {
        report(`${size}: ${peerId(spec)} is left out: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return results;
}
