// How a step is told: the one source of sentences about what rewards are compared with and what the update
// does. Each follows from the settings in force, so that no run is told as another algorithm.
import type { AlgorithmEntry } from "../../../protocol/catalog.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { Phase } from "../../../protocol/messages.ts";
import { shareText } from "../../../protocol/quantities.ts";
import { creditsTurns } from "../../../rl/advantage/types.ts";
import { batchMean } from "../../../rl/baselines/batchMean.ts";
import { baselineOf, usesCritic } from "../../../rl/baselines/index.ts";
import { klEstimatorOf } from "../../../rl/kl/index.ts";
import { isOnPolicy } from "../../../rl/objective/ratio.ts";
import { surrogateOf } from "../../../rl/surrogates/index.ts";
import { formatExact } from "../charts/format.ts";

/** Whether parts of the reward are made comparable on their own before they are summed; a critic learns the sum. */
export function normalizesParts(config: RunConfig): boolean {
  return config.rewardAggregation === "normalize-then-sum" && !usesCritic(config);
}

/** What a reward is compared with, or null where nothing is subtracted. */
export function comparedWith(config: RunConfig): { readonly one: string; readonly many: string } | null {
  if (normalizesParts(config)) return { one: "the mean of its group, part by part", many: "the mean of their group, part by part" };
  const baseline = baselineOf(config);
  // Whitening alone compares with the mean of all.
  if (baseline.from === "nothing") return config.whitenAdvantages ? batchMean.words : null;
  const { one, many } = baseline.words;
  const isByTurn = baseline.from !== "critic" && creditsTurns(config);
  return isByTurn ? { one: `${one}, turn by turn`, many: `${many}, turn by turn` } : { one, many };
}

/** What the difference is divided by, or "". */
function unitOf(config: RunConfig): string {
  if (config.whitenAdvantages) return "in units of the step's standard deviation";
  if (usesCritic(config)) return "";
  if (normalizesParts(config) || config.advantageScale === "batch-std") return "in units of the step's standard deviation";
  return config.advantageScale === "group-std" ? "in units of the group's standard deviation" : "";
}

function advantageDoes(config: RunConfig): string {
  if (usesCritic(config))
    return `At each token, the reward that came is compared with what the critic predicted${config.whitenAdvantages ? ", in units of the step's standard deviation" : ""}: more is positive, less negative.`;
  const than = comparedWith(config);
  const unit = unitOf(config);
  if (!than) return `The reward itself${unit ? `, ${unit},` : ""} is the advantage: nothing is subtracted.`;
  const what = config.credit === "turn" ? "What each turn and those after it earned" : "Each reward";
  return `${what} is compared with ${than.one}${unit ? `, ${unit}` : ""}: above is positive, below negative.`;
}

function brakeText(config: RunConfig): string {
  const { brake } = surrogateOf(config);
  if (brake === null) return "";
  return isOnPolicy(config)
    ? "With one optimizer step for each batch, no probability has changed before its token is pushed: the ratio is 1, and nothing limits the push."
    : brake(config);
}

function updateDoes(config: RunConfig): string {
  const { klCoef, klPlacement, entropyCoef } = config;
  return [
    "Tokens of positive advantage are pushed up, of negative down.",
    brakeText(config),
    klCoef > 0 && klPlacement === "loss"
      ? `A KL of weight ${formatExact("number", klCoef)} pulls towards the reference, an earlier copy of the model.`
      : "",
    klCoef > 0 && klPlacement === "loss" ? (klEstimatorOf(config).inLoss ?? "") : "",
    entropyCoef > 0
      ? "An entropy bonus keeps it exploring."
      : entropyCoef < 0
        ? "The entropy bonus is negative: it is pushed to decide."
        : "",
    usesCritic(config) ? "The critic learns from the rewards that came." : "",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function scoreDoes(config: RunConfig): string {
  const { klCoef, klPlacement } = config;
  return [
    "Reward rules judge each completion; parts are weighted and summed.",
    ...(klCoef > 0 && klPlacement === "reward" ? [`A KL to the reference of weight ${formatExact("number", klCoef)} is taken off.`] : []),
    ...(usesCritic(config) ? ["The critic says what it predicted."] : []),
  ].join(" ");
}

const EVALUATES = "Held-out problems, answered greedily and by sampling. Nothing is learned from them.";

/** What each phase of a step does, under these settings. */
export function phaseDoes(phase: Phase, config: RunConfig): string {
  if (phase === "evaluate") return EVALUATES;
  if (config.kind === "supervised") {
    const wrong = config.demonstrationNoise > 0 ? ` About ${shareText(config.demonstrationNoise)} are wrong on purpose.` : "";
    return phase === "update"
      ? "Every token of the answers becomes more likely; the loss says how surprising they still are."
      : `The step draws prompts together with worked answers.${wrong}`;
  }
  if (phase === "sample")
    return "The policy, which is the model, writes several completions, its answers, to each prompt; every token's log-prob is kept.";
  if (phase === "score") return scoreDoes(config);
  return phase === "advantage" ? advantageDoes(config) : updateDoes(config);
}

/** What a run of these settings is about, for somebody who has seen none. */
export function methodLead(config: RunConfig): string {
  if (config.kind === "supervised")
    return "It sees questions whose answers are worked out, and learns to write such answers. Sampling and rewards come later.";
  const than = comparedWith(config);
  const moves = usesCritic(config)
    ? "Tokens that lead to more reward than the critic predicted become more likely, the others less."
    : than
      ? `Answers that score above ${than.many} become more likely, those below less.`
      : "The higher an answer scores, the more likely it becomes.";
  return `It answers each prompt several times. ${moves} It never sees right answers, only scores.`;
}

/** What an algorithm is told by; the other switches are matters of degree. */
const SHAPE = ["advantageBaseline", "advantageScale", "surrogate", "aggregation"] as const;

/** What that way to learn is called, spelled out; null where no letters stand for it or the settings make something else of it. */
export function methodName(config: RunConfig, algorithm: AlgorithmEntry | undefined): string | null {
  if (config.kind === "supervised" || !algorithm?.fullName) return null;
  const isOther = SHAPE.some((key) => algorithm.config[key] !== undefined && algorithm.config[key] !== config[key]);
  return isOther ? null : `This is ${algorithm.title}, short for ${algorithm.fullName}.`;
}
