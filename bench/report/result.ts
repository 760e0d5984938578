// What a run of the benchmark leaves behind: one JSON object, from which tables are drawn.
import type { Measured } from "../../src/rl/accuracy.ts";
import type { SizeId, Workload } from "../measure/workload.ts";
import type { GpuCounts, GpuRecording, PeerMemory, PeerSpec, ProductRate } from "../peer.ts";
import type { Timing } from "./statistics.ts";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly nodeFlags: readonly string[];
  readonly browser: string | null;
  readonly browserFlags: readonly string[];
  /** GPU adapter of Node's WebGPU; null without one. */
  readonly gpu: string | null;
  /** Tasks that were running or waiting when the run began, one-minute mean: above a few tenths, others were at work too. */
  readonly loadBefore: number;
}

/** A peer's figures on one workload. */
export interface PeerResult {
  readonly peer: string;
  readonly title: string;
  readonly spec: PeerSpec;
  readonly version: string;
  readonly note: string;
  readonly train: Timing;
  /** A whole rollout of `length` steps. */
  readonly decode: Timing;
  /** One rollout and one update. */
  readonly iteration: Timing;
  readonly trainGflops: number;
  readonly decodeGflops: number;
  readonly tokensPerSecond: number;
  /** Own WASM kernels: fastest plain product on one thread in the same rounds, and each phase's speed per thread as a share of it. */
  readonly peak: {
    readonly gflops: number;
    readonly products: readonly ProductRate[];
    readonly trainShare: number;
    readonly decodeShare: number;
  } | null;
  readonly memory: PeerMemory;
}

export interface Missing {
  readonly peer: string;
  readonly reason: string;
}

export interface SizeResult {
  readonly size: string;
  readonly workload: Workload;
  readonly trainFlops: number;
  readonly decodeFlops: number;
  readonly rounds: number;
  readonly peers: readonly PeerResult[];
  readonly missing: readonly Missing[];
}

/** What each phase puts on the GPU, and the JavaScript it takes. */
export interface GpuResult {
  readonly size: SizeId;
  readonly peer: string;
  readonly title: string;
  readonly layers: number;
  readonly steps: number;
  readonly train: GpuCounts;
  readonly decode: GpuCounts;
  readonly trainUsPerDispatch: number;
  readonly decodeUsPerDispatch: number;
  readonly recording: GpuRecording | null;
}

/** The phases of a step and what the report calls them. */
export const TABULAR_PHASES = [
  ["sample", "- of it draws: conversations opened, sampled and read"],
  ["score", "- rewards"],
  ["advantage", "- advantages"],
  ["update", "- loss, gradient and update"],
] as const;

export type TabularPhase = (typeof TABULAR_PHASES)[number][0];

/** Whole runs of the logits table in one process, after a warm-up. */
export interface TabularResult {
  readonly preset: string;
  readonly steps: number;
  /** All training steps, every metric included, without evaluations. */
  readonly train: Timing;
  /** The same with the preset's evaluations on the way. */
  readonly trainAndEvaluate: Timing;
  /** What comes before the first step: preparing, baselines and the first evaluation. */
  readonly before: Timing;
  /** Of the training steps, what each phase took, and what was left for metrics, records and events; left out in older results. */
  readonly phases?: Readonly<Record<TabularPhase, Timing>>;
  readonly records?: Timing;
  /** A vectorised numpy loop of as many steps, with four numbers recorded at each; null where numpy was not found. */
  readonly numpy: { readonly version: string; readonly train: Timing; readonly success: number } | null;
}

/** One update and one rollout of the shipped preset, as trained and as it would be without packing and sharing. */
export interface PresetResult {
  readonly preset: string;
  /** Where the weights came from. */
  readonly start: string;
  readonly threads: number;
  readonly prompts: number;
  readonly copies: number;
  readonly rows: { readonly packed: number; readonly padded: number };
  readonly sample: { readonly shared: Timing; readonly unshared: Timing };
  readonly update: { readonly packed: Timing; readonly padded: Timing };
  /** (unshared + padded) / (shared + packed), medians over rounds. */
  readonly speedUp: number;
}

/** Of one step. */
export interface StepSeconds {
  readonly sampling: number;
  readonly update: number;
}

/** Tokens a second of one sequence, ours and others' in turns; or why one is left out. */
export interface DecodeResult {
  readonly tokens: number;
  readonly own: number;
  readonly wllama: { readonly version: string; readonly perSecond: number } | { readonly missing: string };
}

/** Steps of one size on a graphics card: ours on WebGPU, PyTorch's on CUDA. */
export interface GpuStep {
  readonly work: { readonly prompts: number; readonly promptTokens: number; readonly copies: number; readonly newTokens: number };
  readonly own: StepSeconds;
  readonly torch: (StepSeconds & { readonly version: string }) | { readonly missing: string };
}

export interface GpuSteps {
  readonly adapter: string;
  /** Nats by which sampler and scorer differ at most. */
  readonly apart: number;
  readonly steps: readonly GpuStep[];
}

/** A step of a pretrained model with adapters, ours and PyTorch's in turns. */
export interface PretrainedResult {
  readonly threads: number;
  /** Where our base is from. */
  readonly from: string;
  readonly rounds: number;
  readonly own: StepSeconds;
  readonly torch: (StepSeconds & { readonly version: string }) | { readonly missing: string };
  /** Of the plain product on all threads. */
  readonly peakGflops: number;
  /** Missing in what was measured before there was one. */
  readonly decode?: DecodeResult;
  /** Thousand million operations of our products with the base. */
  readonly operations: StepSeconds;
  /** Missing where there is no graphics card. */
  readonly gpu?: GpuSteps;
}

/** A step's conversations judged as the step does it and by a bare loop over the same rules. */
export interface ScoringResult {
  readonly presets: readonly {
    readonly preset: string;
    readonly conversations: number;
    /** Of the step's sampling, on one thread. */
    readonly sampleMs: number;
    /** Processor time a conversation, medians over rounds. */
    readonly plainUs: number;
    readonly batchedUs: number;
    /** Of the time that sampling takes: what batches cost beyond the loop. */
    readonly shareOfStep: number;
  }[];
}

/** Sampled tokens per second of processor time, in conversations of one turn and of several. */
export interface TurnsResult {
  readonly threads: number;
  readonly conversations: number;
  /** Tokens of each conversation, in all its turns. */
  readonly sampled: number;
  /** Tokens between two turns. */
  readonly inserted: number;
  readonly turns: number;
  readonly oneTurn: number;
  readonly severalTurns: number;
  /** Of the second to the first, the median over rounds. */
  readonly share: number;
}

/** Mean rewards of some steps over the seeds, with 95 % intervals. */
export interface RewardWindow {
  readonly first: number;
  readonly last: number;
  readonly own: Measured;
  readonly trl: Measured;
  /** TRL's less ours. */
  readonly difference: Measured;
}

/** Training steps of TRL's GRPOTrainer beside ours. */
export interface TrlResult {
  readonly seeds: readonly number[];
  readonly steps: number;
  /** Of a step. */
  readonly completions: number;
  readonly threads: number;
  /** Medians over the steps of all seeds. */
  readonly ownSeconds: number;
  /** With our pass over the tokens after the update, which TRL does not make. */
  readonly ownMeasuredSeconds: number;
  readonly trlSeconds: number;
  /** TRL's median to ours without that pass, one a seed. */
  readonly ratios: readonly number[];
  readonly windows: readonly RewardWindow[];
}

export interface PresetRun {
  readonly steps: number;
  readonly seconds: number;
  readonly backend: string;
  readonly threads: number;
}

export interface SweepPoint {
  readonly axis: string;
  readonly value: number;
  readonly result: SizeResult;
}

export interface BenchResult {
  readonly version: 1;
  readonly measuredAt: string;
  readonly machine: Machine;
  readonly workload: string;
  /** Fewer rounds and sizes than a full run. */
  readonly quick: boolean;
  readonly sizes: readonly SizeResult[];
  readonly gpu: readonly GpuResult[];
  readonly gpuNote: string;
  readonly preset: PresetResult | null;
  readonly presetRun: PresetRun | null;
  /** Left out of results measured before there was this section. */
  readonly tabular?: TabularResult | null;
  readonly turns?: TurnsResult | null;
  readonly scoring?: ScoringResult | null;
  readonly pretrained?: PretrainedResult | null;
  readonly trl?: (TrlResult & { readonly version: string }) | null;
  readonly sweep: readonly SweepPoint[];
}
