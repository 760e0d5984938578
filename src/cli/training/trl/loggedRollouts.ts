// Conversations that train.py tells while it trains, as lines of trajectories.jsonl: what this engine writes of its own, as far as
// it is known of another program's. Log-probs are not, and are left out.
import { z } from "../../../protocol/zod.ts";
import type { TaskInstance } from "../../../rl/tasks/task.ts";
import type { Example } from "../../../rl/types.ts";

const message = z.looseObject({ role: z.string(), content: z.string() });
const ids = z.array(z.int().min(0));
const rolloutSchema = z.array(
  z.object({
    step: z.int().min(1),
    prompt: z.int().min(0),
    member: z.int().min(0),
    answer: z.string(),
    opening: z.array(message),
    text: z.string(),
    messages: z.array(message),
    advantage: z.number().nullable(),
    rewardParts: z.array(z.object({ name: z.string(), value: z.number().nullable(), weight: z.number() })),
    reward: z.number().nullable(),
    promptTokens: ids,
    tokens: ids,
    mask: ids,
    // Only where the lab has held the conversation.
    success: z.boolean().optional(),
    stopReason: z.string().optional(),
  }),
);
type LoggedRollout = z.output<typeof rolloutSchema>[number];

/** Makes lines of what is logged. @param problems those that are trained on, for their ids */
export function loggedRollouts(problems: readonly Example[], task: TaskInstance, rewardWeights: Readonly<Record<string, number>>) {
  const key = (messages: readonly { readonly role: string; readonly content: string }[], answer: string) =>
    JSON.stringify([messages.map(({ role, content }) => [role, content]), answer]);
  const idOf = new Map(problems.map(({ id, messages, answer }) => [key(messages, answer), id]));
  const weights = new Map(task.rewards.map(({ name, weight }) => [name, rewardWeights[name] ?? weight]));
  const lineOf = ({ opening, messages, rewardParts, success, ...rest }: LoggedRollout) => {
    return {
      ...rest,
      exampleId: idOf.get(key(opening, rest.answer)) ?? "",
      opening: opening.length,
      messages: [...opening, ...messages],
      // The whole reward is no part of itself, and parts that TRL only watches count with the weights of the run.
      rewardParts: rewardParts.flatMap((part) =>
        part.name === "total" ? [] : [{ ...part, weight: weights.get(part.name) ?? part.weight }],
      ),
      success: success ?? null,
    };
  };
  /** Null for what has another form. */
  return (logged: unknown): readonly unknown[] | null => {
    const read = rolloutSchema.safeParse(logged);
    return read.success ? read.data.map(lineOf) : null;
  };
}
