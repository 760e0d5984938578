// Worked conversations: what a policy is to say comes from the task, everything else from the task's own
// environment, so that supervised training sees exactly the forms that rollouts have.

import { stepEnv } from "../envs/stepEnvs.ts";
import type { SampleResult } from "../policy.ts";
import type { EnvBuilder, Example, Message, Renderer, State, Trajectory } from "../types.ts";
import { answerTurn, type ConversationLimits, finish, openConversation, sayTurn } from "./conversation.ts";

/** Speaks for the policy: the next message of a worked conversation. */
export type Speaker = (state: State) => Message;

/** A speaker with one thing to say. */
export function saying(content: string): Speaker {
  return () => ({ role: "assistant", content });
}

/** Ids as if a policy had sampled them with certainty. */
function asSampled(tokens: readonly number[]): SampleResult {
  return {
    tokens_BT: Int32Array.from(tokens),
    lengths_B: Int32Array.of(tokens.length),
    logprobs_BT: new Float32Array(tokens.length),
    entropies_BT: new Float32Array(tokens.length),
    stopped_B: Uint8Array.of(1),
  };
}

/** What is wrong with a worked conversation that is longer than the model's context; null where nothing is. */
export function tooLongWorked(name: string, { promptTokens, tokens }: Trajectory, maxPositions: number): string | null {
  const length = promptTokens.length + tokens.length;
  return length <= maxPositions ? null : `${name} has ${length} tokens with its answer > ${maxPositions} positions of the model`;
}

/** The conversation that a speaker has with a fresh environment of the example, as a trajectory whose log-probs are 0. */
export function workOut(
  { envs, renderer }: { readonly envs: EnvBuilder; readonly renderer: Renderer },
  example: Example,
  speaker: Speaker,
  seed: number,
  limits: Pick<ConversationLimits, "maxTurns" | "maxPositions">,
): Trajectory {
  const env = envs.build(example, seed);
  const opening = env.start();
  const conversation = openConversation(example, env, opening, renderer.renderPrompt(opening));
  while (conversation.stopReason === null) {
    const { messages, agent } = conversation;
    const sampled = renderer.renderCompletion(speaker({ messages, ...(agent === undefined ? {} : { agent }) }));
    const said = sayTurn(conversation, asSampled(sampled), 0, renderer);
    if (said) answerTurn(said, stepEnv(env, said.action), renderer, { ...limits, maxNewTokens: 1 });
  }
  if (conversation.failure !== null) throw new Error(`the environment of ${example.id} failed: ${conversation.failure}`);
  return finish(conversation);
}
