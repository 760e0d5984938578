// Kernel threads that are counted, for tests of whether they are given back.
import type { KernelThreadHandle } from "../../src/kernels/wasm/kernelModule.ts";
import { startNodeKernelThread } from "./nodeHost.ts";

/** Threads of Node; the ones whose number is in `broken` do not start. */
export function countedThreads(broken: readonly number[] = []) {
  const open = new Set<number>();
  let opened = 0;
  /** Who waits until none is open. */
  let told = () => {};
  const startKernelThread = (): KernelThreadHandle => {
    const number = opened++;
    const thread = startNodeKernelThread();
    open.add(number);
    return {
      start: (module, memory, index) =>
        broken.includes(number) ? Promise.reject(new Error("no second thread")) : thread.start(module, memory, index),
      close: () => {
        open.delete(number);
        thread.close();
        if (open.size === 0) told();
      },
    };
  };
  const untilNone = () =>
    new Promise<void>((resolve) => {
      told = resolve;
      if (open.size === 0) resolve();
    });
  return { startKernelThread, open, opened: () => opened, untilNone };
}
