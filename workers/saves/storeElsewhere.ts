// The engine's side of the store on another thread (serveStore.ts): calls leave as messages, and answers settle them.
import type { RunStore } from "../../src/train/host.ts";
import type { Call, Calls, Reply, StorePort } from "./serveStore.ts";

type Result<C extends keyof Calls> = Awaited<ReturnType<Calls[C]>>;

/**
 * The store at the other end of a way.
 * @param start begins it, when something is first asked; `onLost` hears that it cannot be reached, and why.
 */
export function storeElsewhere(start: (onLost: (reason: string) => void) => StorePort): RunStore {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let port: StorePort | null = null;
  let count = 0;
  const begin = () => {
    const begun = start((reason) => {
      port = null;
      for (const { reject } of waiting.values()) reject(new Error(reason));
      waiting.clear();
    });
    begun.onmessage = ({ data }: MessageEvent<Reply>) => {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if ("result" in data) asked?.resolve(data.result);
      else asked?.reject(Object.assign(new Error(data.message), { name: data.failed }));
    };
    return begun;
  };
  const ask = <C extends keyof Calls>(call: C, ...given: Parameters<Calls[C]>) =>
    new Promise<Result<C>>((resolve, reject) => {
      port ??= begin();
      count += 1;
      waiting.set(count, { resolve: resolve as (result: unknown) => void, reject });
      port.postMessage({ id: count, call, given } satisfies Call);
    });
  return {
    list: () => ask("list"),
    async read(runId, isWanted = () => true) {
      for (let wanted: readonly string[] = []; ; ) {
        const { names, files } = await ask("read", runId, wanted);
        const missing = names.filter((name) => isWanted(name) && !files.has(name) && !wanted.includes(name));
        if (missing.length === 0) return new Map([...files].filter(([name]) => isWanted(name)));
        wanted = [...wanted, ...missing];
      }
    },
    async open(runId) {
      const number = ++count;
      if (!(await ask("open", runId, number))) return null;
      return {
        write: (change) => ask("write", number, change),
        remove: () => ask("remove", number),
        close: () => void ask("close", number).catch(() => {}),
      };
    },
    label: (runId, file) => ask("label", runId, file),
  };
}
