// Environments side by side: built and stepped all at once where their builder does that, one after another
// where they are plain functions. One that fails ends its own conversation and no other.
import type { Action, Env, EnvBuilder, Example, Failure, Stepped } from "../types.ts";

export function isFailure(answer: Stepped | number): answer is Failure {
  return answer !== null && typeof answer === "object" && "reason" in answer;
}

/** The sentence of whatever was thrown; the engine's own faults go on. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name === "Error" ? "" : `${error.name}: `}${error.message}` : String(error);
  if (text.startsWith("internal: ")) throw error;
  return text;
}

/** A fresh environment for each opening. */
export async function buildEnvs(
  envs: EnvBuilder,
  openings: readonly { readonly example: Example; readonly seed: number }[],
): Promise<readonly Env[]> {
  return envs.buildEnvs ? envs.buildEnvs(openings) : openings.map(({ example, seed }) => envs.build(example, seed));
}

/** What comes of a turn in each of the environments, in order. */
export async function stepEnvs(
  envs: EnvBuilder,
  turns: readonly { readonly env: Env; readonly action: Action }[],
): Promise<readonly Stepped[]> {
  if (!envs.stepEnvs) return turns.map(({ env, action }) => stepEnv(env, action));
  try {
    return await envs.stepEnvs(turns);
  } catch (error) {
    const reason = reasonOf(error);
    return turns.map(() => ({ reason }));
  }
}

export function stepEnv(env: Env, action: Action): Stepped {
  try {
    return env.step(action);
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}
