// Supervised training on worked examples: the loss is the mean negative log-prob of the tokens of the
// assistant's answers. It makes the warm start that reinforcement learning begins from.
import type { Objective } from "../../model/backend.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { LiveSettings } from "../../protocol/configFacts.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { learningRateAt } from "../../rl/schedule.ts";
import type { TrainerState } from "../run/savedRun.ts";
import { Settings } from "../run/settings.ts";
import { packGroups } from "./batch.ts";
import { optimizerStep } from "./optimizerStep.ts";
import { NonFiniteError, type OnProgress, type PhaseEnd, type Trainer, type TrainerParts } from "./trainer.ts";

/** Trains on fresh demonstrations, a batch a step; owned state. */
export class SupervisedTrainer implements Trainer {
  readonly #parts: TrainerParts;
  readonly #settings: Settings;
  #step = 0;
  #inFlight = false;
  #tokensSeen = 0;

  constructor(parts: TrainerParts) {
    this.#parts = parts;
    this.#settings = new Settings(parts.config);
  }

  get step(): number {
    return this.#step;
  }

  get config(): RunConfig {
    return this.#settings.config;
  }

  get stepLimit(): number {
    return this.#settings.stepLimit(this.#step);
  }

  set(settings: LiveSettings): void {
    this.#settings.set(settings, this.#inFlight ? this.#step + 1 : this.#step);
  }

  async *takeStep(onProgress: OnProgress): AsyncGenerator<PhaseEnd, StepRecord> {
    this.#inFlight = true;
    try {
      return yield* this.#phases(onProgress);
    } finally {
      this.#inFlight = false;
    }
  }

  async *#phases(onProgress: OnProgress): AsyncGenerator<PhaseEnd, StepRecord> {
    const { model, renderer, loader, random, task, now } = this.#parts;
    this.#settings.applyChanges(this.#step);
    const config = this.#settings.config;
    const begun = now();
    onProgress("sample", 0, config.demonstrationsPerStep);
    const groups = loader.next(config.demonstrationsPerStep).map((example) => ({
      promptTokens: renderer.renderPrompt({ messages: example.messages }),
      completions: [renderer.renderCompletion(task.demonstration(example, random, config.demonstrationNoise))],
    }));
    const batch = packGroups(groups, 1);
    yield { phase: "sample", sampled: null };
    const tokens = batch.scoreTarget_K.length;
    onProgress("update", 0, tokens);
    const objective: Objective = ({ logprobs_K }) => ({
      logprobs_K: new Float32Array(logprobs_K.length).fill(-1 / tokens),
      entropies_K: null,
      values_K: null,
    });
    const learningRate = learningRateAt(this.#step, config);
    const { scores, gradNorm } = await model.update({
      batch,
      objective,
      exactKlCoef: 0,
      optimizer: optimizerStep(config, learningRate),
      microBatchTokens: config.microBatchTokens,
    });
    let loss = 0;
    let entropy = 0;
    for (let k = 0; k < tokens; k++) {
      loss -= scores.logprobs_K[k]! / tokens;
      entropy += scores.entropies_K[k]! / tokens;
    }
    if (!Number.isFinite(loss) || !Number.isFinite(gradNorm))
      throw new NonFiniteError(`the loss of step ${this.#step + 1} is not a number; the step was not taken`);
    yield { phase: "update", sampled: null };
    this.#step += 1;
    this.#tokensSeen += batch.tokens_N.length;
    const seconds = Math.max(1e-9, (now() - begun) / 1000);
    return {
      step: this.#step,
      metrics: {
        loss,
        entropy,
        perplexity: Math.exp(loss),
        grad_norm: gradNorm,
        learning_rate: learningRate,
        num_tokens: this.#tokensSeen,
        step_time: seconds,
        "perf/train_tokens_per_second": batch.tokens_N.length / seconds,
      },
    };
  }

  save(): TrainerState {
    return {
      step: this.#step,
      random: this.#parts.random.save(),
      loader: this.#parts.loader.state(),
      controllers: { tokensSeen: this.#tokensSeen },
    };
  }

  restore(state: TrainerState): void {
    this.#step = state.step;
    this.#parts.random.restore(state.random);
    this.#parts.loader.restore(state.loader);
    this.#tokensSeen = state.controllers.tokensSeen ?? 0;
  }
}
