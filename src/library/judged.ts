// A finished conversation as rewards of somebody's own see it: texts, no tokens.
import { finalAnswer } from "../rl/rewards/rewardRule.ts";
import type { Example, Message, Trajectory } from "../rl/types.ts";

/** What a reward of somebody's own is asked about. */
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

/** The problem and the conversation about it, as texts. */
export function judgedOf(example: Example, trajectory: Trajectory): Judged {
  const question = example.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const { messages, stopReason } = trajectory;
  return { question, answer: example.answer, text: finalAnswer(trajectory) ?? "", messages, stopReason };
}
