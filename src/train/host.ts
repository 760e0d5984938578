// What the engine needs from the world around it. The engine has no DOM, clock, network or disk of
// its own; the browser worker, Node and tests each give it one of these.
import type { KernelHost } from "../kernels/wasm/kernelHost.ts";
import type { TfjsHost } from "../model/tfjs.ts";
import type { RunConfig } from "../protocol/config.ts";

/** A saved run: what is needed to go on with it as if nothing had happened. */
export interface SavedRun {
  readonly runId: string;
  readonly step: number;
  readonly config: RunConfig;
  readonly savedAt: number;
  readonly bytes: Uint8Array;
}

export interface Host extends KernelHost, TfjsHost {
  /** Wall-clock time in milliseconds since 1970, for labels only. */
  wallTime(): number;
  /** Waits without blocking. */
  sleep(ms: number): Promise<void>;
  readonly cores: number;
  /** Memory of the machine; null where it is not known, or only that it is large. */
  readonly memoryBytes: number | null;
  /** Saved runs; null where nothing can be stored. */
  readonly store: RunStore | null;
}

export interface RunStore {
  list(): Promise<readonly Omit<SavedRun, "bytes">[]>;
  save(run: SavedRun): Promise<void>;
  load(runId: string): Promise<SavedRun | null>;
  remove(runId: string): Promise<void>;
}
