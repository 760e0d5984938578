// The page that the benchmark drives: it starts one worker for each peer and passes requests on.
import type { PeerReply, PeerRequest } from "../peer.ts";

const workers = new Map<number, Worker>();
let started = 0;

/** What the benchmark calls from outside. */
const bench = {
  open(): number {
    started += 1;
    workers.set(started, new Worker(new URL("./peerWorker.ts", import.meta.url), { type: "module" }));
    return started;
  },
  ask(id: number, request: PeerRequest): Promise<PeerReply> {
    const worker = workers.get(id);
    if (!worker) return Promise.resolve({ ok: false, error: `internal: no worker ${id}` });
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<PeerReply>) => resolve(data);
      worker.onerror = ({ message }) => resolve({ ok: false, error: message || "the worker did not load" });
      worker.postMessage(request);
    });
  },
  close(id: number): void {
    workers.get(id)?.terminate();
    workers.delete(id);
  },
};

export type BenchPage = typeof bench;

Object.assign(globalThis, { bench });
