// What a run on a server would ask of it: requests and tokens of a step and of the whole run, and what they cost where
// prices are given. Completions count as long as they may get, so it is the most that it can be.
import type { RunConfig } from "../../protocol/config.ts";
import type { Models, OwnWork } from "../../train/host.ts";
import { mostSampled, problemSizes } from "../../train/memory/workloadOf.ts";
import { openPlan } from "../../train/start/openedPlan.ts";
import type { RunPlan } from "../../train/start/plan.ts";
import { CommandError } from "../lab/exit.ts";

/** Tokens that a server reads before it samples, samples, scores, and trains on. */
interface ServerTokens {
  readonly prefill: number;
  readonly sample: number;
  readonly forward: number;
  readonly train: number;
}
const KINDS = ["prefill", "sample", "forward", "train"] as const satisfies readonly (keyof ServerTokens)[];
export type Prices = Partial<ServerTokens>;

interface ServerPlan {
  readonly perStep: ServerTokens & { readonly requests: number };
  /** Evaluations included; null for a run without a last step. */
  readonly whole: (ServerTokens & { readonly requests: number; readonly cost: number | null }) | null;
}

/** Reads "prefill=0.1,sample=0.3,train=0.4": a price for a million tokens of each kind. */
export function readPrices(text: string): Prices {
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [kind = "", price = ""] = part.split("=").map((word) => word.trim());
      const isPrice = price !== "" && Number.isFinite(Number(price)) && Number(price) >= 0;
      if (!(KINDS as readonly string[]).includes(kind) || !isPrice)
        throw new CommandError(
          `--prices must be such as prefill=0.1,sample=0.3,train=0.4 (for a million tokens of ${KINDS.join(", ")}), got ${JSON.stringify(part)}`,
        );
      return [kind, Number(price)];
    }),
  );
}

const MILLION = 1e6;

function sum(parts: readonly (readonly [number, ServerPlan["perStep"]])[]): ServerPlan["perStep"] {
  const of = (kind: keyof ServerPlan["perStep"]) => parts.reduce((total, [times, part]) => total + times * part[kind], 0);
  return { prefill: of("prefill"), sample: of("sample"), forward: of("forward"), train: of("train"), requests: of("requests") };
}

function evaluationsOf({ evalEvery, steps }: RunConfig): number {
  return 1 + (evalEvery === 0 ? 0 : Math.ceil(steps / evalEvery));
}

/** Counts what a planned run asks of its server. @param prices for a million tokens; null where none are known. */
export async function planOnServer(plan: RunPlan, host: Models & OwnWork, prices: Prices | null): Promise<ServerPlan> {
  const { config, instance } = plan;
  const { renderer } = await openPlan(plan, host);
  const sizes = problemSizes(instance, renderer, config);
  const turns = instance.maxTurns ?? 1;
  const said = mostSampled(config, instance);
  const rollouts = (prompts: number, copies: number): ServerPlan["perStep"] => ({
    // The first turns of a prompt are one request; each later one reads all that stands.
    prefill: prompts * sizes.prompt + (turns - 1) * prompts * copies * (sizes.prompt + said),
    sample: prompts * copies * said,
    forward: 0,
    train: 0,
    requests: prompts + (turns - 1) * prompts * copies,
  });
  const isSupervised = config.kind === "supervised";
  const rows = isSupervised
    ? config.demonstrationsPerStep * (sizes.prompt + sizes.demonstration)
    : config.promptsPerStep * config.groupSize * (sizes.prompt + said);
  const updates = isSupervised ? 1 : config.innerEpochs;
  const hasKl = !isSupervised && (config.klCoef > 0 || config.klTarget > 0);
  // The server's own loss tells the log-probs with the gradient.
  const scorings =
    (!isSupervised && config.serverLoss === "server" ? 0 : updates) + (hasKl ? 1 : 0) + (!isSupervised && config.measureUpdate ? 1 : 0);
  const optimizerSteps = updates * (isSupervised ? 1 : config.minibatches);
  // Scored, updated and stepped; the sampler is given the weights, and now and then they are saved.
  const update = { prefill: 0, sample: 0, forward: scorings * rows, train: updates * rows, requests: scorings + 2 * optimizerSteps + 2 };
  const perStep = isSupervised
    ? update
    : sum([
        [1, rollouts(config.promptsPerStep, config.groupSize)],
        [1, update],
      ]);
  if (config.steps === 0) return { perStep, whole: null };
  const evaluation = sum([
    [1, rollouts(sizes.heldOut, 1)],
    [1, rollouts(sizes.heldOut, sizes.copies)],
  ]);
  const whole = sum([
    [config.steps, perStep],
    [evaluationsOf(config), evaluation],
  ]);
  const cost = prices && KINDS.reduce((total, kind) => total + (whole[kind] / MILLION) * (prices[kind] ?? 0), 0);
  return { perStep, whole: { ...whole, cost } };
}
