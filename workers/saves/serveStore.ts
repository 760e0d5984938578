// Saved runs in the hands of another thread. An engine that computes lets hardly a moment pass to its own tasks, and a transaction
// needs several: it would wait for steps, or end for want of anybody who goes on with it. So the store answers calls
// where nobody computes, and the engine asks it by messages, which leave at once.
import { isArray, type OpenSave, type RunStore, type SaveChange } from "../../src/train/host.ts";

/** One side of the way between the two. */
export interface StorePort {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** What can be asked of the store; a run that was opened is called by a number that the engine gave it. */
function callsOf(store: RunStore) {
  const opened = new Map<number, OpenSave>();
  return {
    list: () => store.list(),
    /** The names of a run's files, and of those that are wanted what is in them, of all but arrays in any case. */
    async read(runId: string, wanted: readonly string[]) {
      const names = new Set<string>();
      const files = await store.read(runId, (name) => {
        names.add(name);
        return !isArray(name) || wanted.includes(name);
      });
      return { names: [...names], files };
    },
    async open(runId: string, number: number) {
      const save = await store.open(runId);
      if (save) opened.set(number, save);
      return save !== null;
    },
    label: (runId: string, file: Uint8Array | null) => store.label(runId, file),
    write: (number: number, change: SaveChange) => opened.get(number)!.write(change),
    remove: (number: number) => opened.get(number)!.remove(),
    async close(number: number) {
      opened.get(number)?.close();
      opened.delete(number);
    },
  };
}
export type Calls = ReturnType<typeof callsOf>;

export interface Call {
  readonly id: number;
  readonly call: keyof Calls;
  readonly given: readonly unknown[];
}
/** Errors keep their names, by which the engine knows a full disk. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failed: string; readonly message: string };

/** Answers the calls that come to a port. */
export function serveStore(store: RunStore, port: StorePort): void {
  const calls = callsOf(store) as Record<keyof Calls, (...given: readonly unknown[]) => Promise<unknown>>;
  port.onmessage = async ({ data: { id, call, given } }: MessageEvent<Call>) => {
    try {
      port.postMessage({ id, result: await calls[call](...given) } satisfies Reply);
    } catch (error) {
      const { name: failed, message } = error instanceof Error ? error : new Error(String(error));
      port.postMessage({ id, failed, message } satisfies Reply);
    }
  };
}
