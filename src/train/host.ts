// What the engine needs from the world around it. The engine has no DOM, clock, network or disk of
// its own; the browser worker, Node and tests each give it one of these.
import type { KernelHost } from "../kernels/wasm/kernelModule.ts";
import type { TfjsHost } from "../model/composed/tfjs.ts";
import type { ModelFolder } from "../model/folder/modelFolder.ts";
import type { ModelServer } from "../model/remote/server.ts";
import type { Consent } from "../protocol/config/customRewards.ts";
import type { RunDigest } from "../protocol/run/runSummary.ts";
import type { GroupTransform } from "../rl/rewards/groupTransform.ts";
import type { LibraryRule } from "../rl/rewards/library/libraryRule.ts";
import type { Sandbox } from "../rl/sandbox/jobs.ts";
import type { ContentReader } from "../rl/tasks/custom/world.ts";
import type { Task } from "../rl/tasks/task.ts";

/** Rewards and tasks from outside the registries, which a configuration names as it names the registries'. */
export interface Additions {
  readonly rewardRules?: readonly LibraryRule[];
  readonly tasks?: readonly Task[];
  /** Gives each conversation its reward from all parts' values of its group; a configuration's own comes before it. */
  readonly rewardTransform?: GroupTransform;
}

/** Time as the engine has it. */
export interface Clock extends Pick<KernelHost, "now">, Pick<TfjsHost, "yield"> {
  /** Wall-clock time in milliseconds since 1970, for labels only. */
  wallTime(): number;
  /** Waits without blocking. */
  sleep(ms: number): Promise<void>;
}

/** What computes: kernels and their threads, a GPU, and the files they are read from. */
export interface Hardware extends KernelHost, TfjsHost {
  readonly cores: number;
  /** Memory of the machine; null where it is not known, or only that it is large. */
  readonly memoryBytes: number | null;
  /** Why there is no GPU, where that is known. */
  readonly gpuObstacle?: string;
}

/** Where models come from. */
export interface Models extends Pick<KernelHost, "readAsset"> {
  /**
   * Opens a model that lies elsewhere than among the lab's own, by the name that a configuration's `checkpoint` has; null for
   * one of the lab's own. Throws a sentence where there is none of that name. Left out, there are only the lab's own.
   * @param withWeights whether they are wanted too; of a model on a server the tokenizer is enough
   */
  openModel?(name: string, withWeights: boolean): Promise<ModelFolder | null>;
  /** The server of the model of a run whose backend is "tinker". Throws a sentence that says how to name one where there is none. */
  openServer?(): Promise<ModelServer>;
}

/** What somebody brings of their own, and what it needs. */
export interface OwnWork {
  readonly additions?: Additions | undefined;
  /** Whether code that came with a configuration may run here; where left out all may, since whoever starts a run has brought it. */
  readonly consent?: Consent;
  /** Where data of custom tasks lies, by its content. */
  readonly contents?: ContentReader;
  /** Where custom code runs, and what may never end; without one the first has no verdict, the second runs in place. */
  readonly sandbox?: Sandbox;
}

/** What opens a model and computes with it. */
export interface Computing extends Clock, Hardware, Models {}

/** What the process takes at the moment: its memory, and the processor time it has taken since it began. */
export type UsageReader = () => { readonly memoryBytes: number; readonly cpuSeconds: number };

/** Where runs are kept. */
export interface Kept {
  /** Saved runs; null where nothing is to be stored. */
  readonly store: RunStore | null;
}

/** All that the engine needs from outside. What needs a part of it takes that part. */
export interface Host extends Computing, OwnWork, Kept {
  /** Left out where nobody can say. */
  readonly usage?: UsageReader;
  /** How old what is known of the held-out problems may become before some are looked at by the clock; left out, none ever are. */
  readonly quickEvaluationEveryMs?: number;
}

/** The file of a save that holds what somebody has written on the run. */
export const LABEL = "label";

/** Where a save has the arrays of its checkpoints: they are what is large in it. */
export const ARRAYS = "checkpoint/";
export const isArray = (file: string): boolean => file.startsWith(ARRAYS);

/** A saved run as the store lists it: what it was given, unchecked. */
export interface StoredSave {
  readonly runId: string;
  /** What was last written as its summary. */
  readonly summary: unknown;
  /** The file "run" of the save; null where it has none. */
  readonly manifest: Uint8Array | null;
  /** Its file "label"; left out where nobody has written any. */
  readonly label?: Uint8Array;
}

/** What can be said of a save without reading it. */
export interface StoredSummary {
  readonly runId: string;
  readonly step: number;
  readonly savedAt: number;
  readonly bytes: number;
  readonly digest?: RunDigest;
}

/** One write, done as a whole or not at all. */
export interface SaveChange {
  readonly summary: StoredSummary;
  readonly put: ReadonlyMap<string, Uint8Array>;
  /** Files that go; all that are not put, where the save is written anew, but for what somebody has written on it. */
  readonly removed: readonly string[] | "all others";
  /** Files of before that stay as they are where the save is written anew, as far as they are there. */
  readonly stays?: readonly string[];
}

/** A run's save in the hands of this engine: no other can write it. */
export interface OpenSave {
  /** Rejects, besides where storage fails, where the save is not as the last write left it, unless it is written anew. */
  write(change: SaveChange): Promise<void>;
  /** Deletes the save; it stays open. */
  remove(): Promise<void>;
  /** Gives the run up for others to take. */
  close(): void;
}

/** Where runs are saved: each a handful of named files. Any call may fail or never be answered. */
export interface RunStore {
  list(): Promise<readonly StoredSave[]>;
  /**
   * The files of a run, at one moment; none where it has no save. Other engines may be writing it.
   * @param isWanted asked of each file's name, so that large ones can stay where they are; all are read where it is left out
   */
  read(runId: string, isWanted?: (name: string) => boolean): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Takes a run, whether it has a save or not, until it is closed or this engine ends; null where another has it. */
  open(runId: string): Promise<OpenSave | null>;
  /** Puts a file "label" beside a run's others, or takes it away, whoever has the run; false where there is no such run. */
  label(runId: string, file: Uint8Array | null): Promise<boolean>;
}
