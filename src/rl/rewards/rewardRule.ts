// A reward rule is a reward part before its settings are chosen: a task names the rules it scores with
// and gives their settings out of its own checked options, so that one rule serves many tasks.
import type { BatchPart, Example, Message, RulePart, SandboxedRule, Trajectory } from "../types.ts";

/** What a rule is called, whatever its settings. */
export type RewardEntry = Omit<BatchPart, "scoreBatch">;

/** A rule that can be listed, and made a part of a reward with its options. */
export interface RewardRule<Settings = void> extends RewardEntry {
  /** The part with these settings. */
  part(settings: Settings): RulePart;
}

/** What a reward rule is made from. */
export interface RuleDefinition<Settings> extends RewardEntry {
  score(settings: Settings, example: Example, trajectory: Trajectory): number | null;
  /** See RulePart. */
  sandboxed?(settings: Settings): SandboxedRule;
  /** See RulePart. */
  turns?(settings: Settings, example: Example, trajectory: Trajectory): readonly number[] | null;
}

/** A rule from its definition. */
export function defineReward<Settings = void>({ score, turns, sandboxed, ...entry }: RuleDefinition<Settings>): RewardRule<Settings> {
  return {
    ...entry,
    part: (settings) => ({
      ...entry,
      ...(sandboxed ? { sandboxed: sandboxed(settings) } : {}),
      score: (example, trajectory) => score(settings, example, trajectory),
      ...(turns ? { turns: (example, trajectory) => turns(settings, example, trajectory) } : {}),
    }),
  };
}

/** Largest size of a part's value, so that no sum or square of rewards leaves the numbers. */
const REWARD_BOUND = 1e9;

/** Why a verdict is no reward, of a run or of an answer that is tried; null where it is one. */
export function wrongReward(verdict: unknown): string | null {
  if (typeof verdict !== "number" || !Number.isFinite(verdict)) return `must be a finite number, got ${String(verdict)}`;
  return Math.abs(verdict) > REWARD_BOUND ? `must lie within ±${REWARD_BOUND}, got ${verdict}` : null;
}

/** Text of the last assistant message, or null when the policy said nothing. */
export function finalAnswer(trajectory: Trajectory): string | null {
  return trajectory.messages.findLast((message) => message.role === "assistant")?.content ?? null;
}

/** What a custom reward is asked about: a finished conversation as texts, no tokens. */
export interface Judged {
  /** The last user message of the problem, and what the task expects. */
  readonly question: string;
  readonly answer: string;
  /** The policy's last message. */
  readonly text: string;
  /** The whole conversation. */
  readonly messages: readonly Message[];
  readonly stopReason: string;
}

/** What stands in a conversation of one answer. */
export const oneAnswer = (question: string, text: string): readonly Message[] => [
  { role: "user", content: question },
  { role: "assistant", content: text },
];

/** The problem and the conversation about it, as texts. */
export function judgedOf(example: Example, trajectory: Trajectory): Judged {
  const question = example.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const { messages, stopReason } = trajectory;
  return { question, answer: example.answer, text: finalAnswer(trajectory) ?? "", messages, stopReason };
}
