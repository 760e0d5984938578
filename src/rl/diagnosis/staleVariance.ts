// Adam divides each step by the root of its second moment, an average over some 1 / (1 - β2) steps. After a
// quiet stretch that average is small, and the first larger gradients are divided by it before it has caught
// up: the step is many times too long (Shazeer and Stern 2018, Adafactor, arXiv 1804.04235, section 5; Molybog
// et al. 2023, arXiv 2304.09871; Wortsman et al. 2023, arXiv 2304.13013, section 3.4).
import { measureText } from "../../protocol/quantities.ts";
import { medianOf } from "../advantage/statistics.ts";
import type { Diagnosis, RunEvidence } from "./diagnosis.ts";

/** Steps before the jump that have to have been quiet, and how much longer the jump is than they were. */
const QUIET_STEPS = 10;
const QUIET_NATS = 0.02;
const JUMP_NATS = 0.1;
const JUMP = 20;
/** Steps after which the reward shows what the jump did. */
const AFTER = 10;
const FALL_SHARE = 0.15;

interface Jump {
  readonly step: number;
  readonly moved: number;
  readonly before: number;
  readonly gradient: number;
  readonly rewardBefore: number;
  readonly rewardAfter: number;
}

/** The jump that cost most reward; null without one. */
function worstJump({ metric }: RunEvidence): Jump | null {
  const { steps, values } = metric("update/kl");
  const moves = Array.from(values);
  const gradients = metric("grad_norm").values;
  const rewards = Array.from(metric("reward").values);
  if (rewards.length !== moves.length || gradients.length !== moves.length) return null;
  const span = Math.max(...rewards) - Math.min(...rewards);
  let worst: Jump | null = null;
  for (let i = QUIET_STEPS; i < moves.length - 1; i++) {
    if (moves[i]! < JUMP_NATS) continue;
    const before = medianOf(moves.slice(i - QUIET_STEPS, i));
    if (before > QUIET_NATS || moves[i]! < JUMP * before) continue;
    const rewardBefore = medianOf(rewards.slice(i - QUIET_STEPS, i + 1));
    const rewardAfter = Math.min(...rewards.slice(i + 1, i + 1 + AFTER));
    if (rewardBefore - rewardAfter < FALL_SHARE * span) continue;
    if (worst && rewardBefore - rewardAfter <= worst.rewardBefore - worst.rewardAfter) continue;
    worst = { step: steps[i]!, moved: moves[i]!, before, gradient: gradients[i]!, rewardBefore, rewardAfter };
  }
  return worst;
}

export const staleVariance: Diagnosis = {
  id: "stale-variance",
  title: "Stale variance in Adam",
  explains:
    "Adam scales each step by a long average of squared gradients. When a task is nearly solved, the gradients are small or 0 and this average shrinks. If a larger gradient then comes, the average is still too small, and one step is many times too long.",
  needs: { metrics: ["update/kl", "grad_norm", "reward"], settings: ["optimizer", "adamEps"], steps: QUIET_STEPS + 2 },
  find(history) {
    const { optimizer, beta2, adamEps } = history.config;
    const jump = optimizer === "adamw" ? worstJump(history) : null;
    if (!jump || adamEps === undefined) return null;
    return {
      remedy: { settings: { adamEps: Math.max(1e-5, 10 * adamEps) } },
      evidence: `The update of step ${jump.step} moved the policy by ${measureText(jump.moved)} nats a token, after ${QUIET_STEPS} quiet steps of ${measureText(jump.before)}, at a gradient norm of ${measureText(jump.gradient)}; the reward then fell from ${measureText(jump.rewardBefore)} to ${measureText(jump.rewardAfter)}. β2 is ${beta2}, ε is ${adamEps}.`,
      tries: [
        "A larger Adam ε, such as 1e-5, which bounds how small the divisor gets.",
        "β2 of 0.95, whose average forgets in 20 steps, not in 1,000.",
        "A schedule that lowers the learning rate towards the end, or stopping once the task is solved.",
      ],
    };
  },
};
