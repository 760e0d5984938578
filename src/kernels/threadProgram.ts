// The whole program of a kernel thread, for browser workers and Node alike: wait for the module and
// the shared memory, instantiate, say "up", then serve jobs until the engine stops the thread.

/** The end of a message channel that a thread holds: a worker's global scope or Node's parentPort. */
export interface ThreadPort {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
}

/** What the starter posts to the thread. */
export interface ThreadStart {
  /** A compiled WebAssembly.Module. */
  readonly module: unknown;
  /** The shared WebAssembly.Memory it imports. */
  readonly memory: unknown;
  /** 1 for the first thread beside the calling one. */
  readonly index: number;
}

/** Posted back once the thread can take jobs, or with what went wrong. */
export type ThreadReply = { readonly type: "up" } | { readonly type: "failed"; readonly message: string };

/**
 * Serves the port. Refers to nothing outside itself, because Node receives it as source text:
 * a worker thread cannot import TypeScript.
 */
export function serveKernelThread(port: ThreadPort): void {
  port.onmessage = async (event) => {
    const { module, memory, index } = event.data as ThreadStart;
    try {
      const instance = await WebAssembly.instantiate(module as WebAssembly.Module, { env: { memory: memory as WebAssembly.Memory } });
      port.postMessage({ type: "up" });
      const { serve, breakDown } = instance.exports as Record<string, (index: number) => void>;
      try {
        serve!(index);
      } catch (error) {
        // The calling thread blocks until all are done and hears no message.
        breakDown!(index);
        throw error;
      }
    } catch (error) {
      port.postMessage({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  };
}

/** Source text for `new Worker(source, { eval: true })` of node:worker_threads. */
export const nodeThreadSource = `(${serveKernelThread.toString()})(require("node:worker_threads").parentPort)`;
