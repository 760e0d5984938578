// What the session drives: something that takes one training step at a time, phase by phase, and can
// be saved between steps. Reinforcement and supervised training are its two forms.
import type { OptimizerStep } from "../../model/backend.ts";
import type { AnyModel, Model } from "../../model/model.ts";
import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { JudgeCost } from "../../protocol/custom/judges.ts";
import type { Phase } from "../../protocol/messages.ts";
import { Recoverable } from "../../protocol/problems.ts";
import type { StepRecord } from "../../protocol/records.ts";
import type { Random } from "../../rl/random.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { DataLoader, Renderer, RewardModel } from "../../rl/types.ts";
import type { UsageReader } from "../host.ts";
import type { SampledStep } from "./sampledStep.ts";

/** What a trainer is made from. */
export interface TrainerParts {
  readonly config: RunConfig;
  readonly model: AnyModel;
  /** A critic with its own trunk; null without one, or when the critic is a head on the policy. */
  readonly critic: Model | null;
  readonly task: TaskInstance;
  /** They follow the settings in force. */
  readonly rewards: RewardModel & { readonly follow?: (config: RunConfig) => void; readonly judged?: () => JudgeCost };
  readonly renderer: Renderer;
  readonly loader: DataLoader;
  readonly random: Random;
  readonly now: () => number;
  readonly usage?: UsageReader | undefined;
  /** Lets commands in, now and then. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Told of a problem that is too long for the model and left out. */
  readonly onTooLong?: ((why: string) => void) | undefined;
}

/** Reported while a phase is going on: `done` of `total` tokens, sequences or problems. */
export type OnProgress = (phase: Phase, done: number, total: number) => void;

/** A phase that has just ended, and what is known of the step so far. */
export interface PhaseEnd {
  readonly phase: Phase;
  readonly sampled: SampledStep | null;
  /** The phase goes on: it was stopped within, after so many of its optimizer steps. */
  readonly within?: { readonly done: number; readonly total: number };
}

/** Asked whenever an update comes to one of its parts: whether it is to stop there. */
export type IsOpened = () => boolean;

/** Where training stands, beside the model. */
export interface TrainerState {
  readonly step: number;
  readonly random: readonly [number, number, number, number];
  readonly loader: number;
  /** Adaptive coefficients, by name. */
  readonly controllers: Readonly<Record<string, number>>;
}

export interface Trainer {
  /** Steps finished so far; the next one is step + 1. */
  readonly step: number;
  /** The configuration in force, live changes included. */
  readonly config: RunConfig;
  /** Step after which the run ends, 0 for none; changes that are due before the next step count already. */
  readonly stepLimit: number;
  /** Whether a step has begun and is not over. */
  readonly isInStep: boolean;
  set(settings: LiveSettings): void;
  /** Takes up the changes that come after the steps so far, as the next step would. */
  applyChanges(): void;
  /**
   * Runs one step, yielding after each phase and where its update is opened; returns its record. What throws leaves
   * everything as it was before the step: models, generator, problems; StepRefused where the run can go on from there.
   */
  takeStep(onProgress: OnProgress, isOpened?: IsOpened): AsyncGenerator<PhaseEnd, StepRecord>;
  save(): TrainerState;
  restore(state: TrainerState): void;
}

/** A step of which a loss or gradient is not a number, or which nothing could score: the weights are those before it. */
export class StepRefused extends Recoverable {
  override readonly name = "StepRefused";
}

/** The error for a step of which something is not a number. */
export function refused(what: string): StepRefused {
  return new StepRefused(`${what}: the update was refused and the weights before it are kept`);
}

/** The optimizer's settings for one step. */
export function optimizerStep(config: RunConfig, learningRate: number): OptimizerStep {
  return {
    kind: config.optimizer,
    learningRate,
    beta1: config.beta1,
    beta2: config.beta2,
    eps: config.adamEps,
    weightDecay: config.weightDecay,
    maxGradNorm: config.maxGradNorm,
  };
}
