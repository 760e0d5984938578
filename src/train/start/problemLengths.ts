// Measures every problem of a list before a run begins: one that has no room in the model's context beside a completion would
// end the run where it is drawn, or be left out unseen. Only those that may be too long are put into tokens, since a token
// has at least one byte; so a hundred thousand rows take a moment, in pieces between which others go on.
import type { RunConfig } from "../../protocol/config.ts";
import { type Problem, showValue } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import { lastUserIn } from "../../rl/data/ownPrompt.ts";
import { Random } from "../../rl/random.ts";
import { tooLongWorked, workOut } from "../../rl/rollout/demonstration.ts";
import { tooLongText } from "../../rl/rollout/generator.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Example, Renderer, State } from "../../rl/types.ts";
import type { Clock } from "../host.ts";

/** What problems are measured by. */
export interface Measured {
  readonly config: RunConfig;
  readonly instance: TaskInstance;
  readonly renderer: Renderer;
  readonly clock: Pick<Clock, "now" | "yield">;
}

/** Longest stretch of work before others are let in. */
const YIELD_EVERY_MS = 8;

/** Lets others in, as often as that is due. */
export function pausing(clock: Pick<Clock, "now" | "yield">, begun = 0): () => Promise<void> {
  let pausedAt = begun;
  return async () => {
    if (clock.now() - pausedAt < YIELD_EVERY_MS) return;
    await clock.yield();
    pausedAt = clock.now();
  };
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** At most so many tokens: what the template writes around messages that say nothing, and the bytes that they say. */
function boundOf(renderer: Renderer): (state: State) => number {
  const around = new Map<string, number>();
  return (state) => {
    const form = JSON.stringify([state.messages.map(({ role }) => role), state.tools]);
    const silent = { ...state, messages: state.messages.map((message) => ({ ...message, content: "" })) };
    const hasCalls = state.messages.some(({ toolCalls }) => toolCalls);
    const own = (hasCalls ? undefined : around.get(form)) ?? bytesOf(renderer.decode(renderer.renderPrompt(silent)));
    if (!hasCalls) around.set(form, own);
    return state.messages.reduce((sum, { content }) => sum + bytesOf(content), own);
  };
}

/** Problems of an endless task that are looked at: it is refused where none of them has room. */
const LOOKED_AT = 16;

/** All problems that a run may come to, where they are a list, or the first ones. */
function measuredOnes({ config, instance }: Measured): { readonly examples: readonly Example[]; readonly areAll: boolean } {
  const training = instance.trainProblems?.();
  if (!training) return { examples: instance.trainLoader().next(LOOKED_AT), areAll: false };
  return { examples: [...training, ...instance.evaluation(config.evalProblems)], areAll: true };
}

/** Why a problem is too long for a model of so many positions; null where it is not. */
function lengthProblem(measured: Measured, maxPositions: number): (example: Example, place: number) => string | null {
  const { config, instance, renderer } = measured;
  const bound = boundOf(renderer);
  const random = new Random(config.seed);
  const limits = { maxTurns: instance.maxTurns ?? 1, maxPositions };
  return (example, place) => {
    const question = example.messages[lastUserIn(example.messages)]?.content ?? "";
    const name = `the problem ${showValue(question)} (${example.id})`;
    if (config.kind === "supervised") {
      const speaker = instance.demonstration(example, random, 0);
      return tooLongWorked(name, workOut({ envs: instance.envs, renderer }, example, speaker, place, limits), maxPositions);
    }
    const state = instance.envs.build(example, 0).start();
    if (bound(state) + config.maxCompletionTokens <= maxPositions) return null;
    const tokens = renderer.renderPrompt(state).length;
    return tokens + config.maxCompletionTokens <= maxPositions ? null : tooLongText(name, tokens, config.maxCompletionTokens, maxPositions);
  };
}

/** What is wrong where problems of a list are too long: always where all are, else where nobody said to leave them out. */
export async function tooLongProblem(measured: Measured, maxPositions: number): Promise<Problem | null> {
  const { config, clock } = measured;
  const { examples, areAll } = measuredOnes(measured);
  const problemWith = lengthProblem(measured, maxPositions);
  const pause = pausing(clock, clock.now());
  let count = 0;
  let first = null as string | null;
  for (const [place, example] of examples.entries()) {
    const why = problemWith(example, place);
    if (why !== null) count += 1;
    first ??= why;
    await pause();
  }
  const leavesOut = !areAll || config.longProblems === "leave-out";
  if (first === null || (leavesOut && count < examples.length)) return null;
  const field = first.startsWith("maxCompletionTokens") ? "maxCompletionTokens" : "longProblems";
  const others = count === examples.length ? "" : ", or longProblems: leave-out trains without them";
  return { field, message: `${first}; ${count} of ${counted(examples.length, "problem")} are too long${others}` };
}

/** Tells the first of many. */
export function firstOf(tell: (text: string) => void): (text: string) => void {
  let hasTold = false;
  return (text) => {
    if (!hasTold) tell(text);
    hasTold = true;
  };
}
