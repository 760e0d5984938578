// Looks at a task that nobody trains yet, and plays it by hand: its problems, how they open as the model reads it, and what
// its environment answers. A conversation is made anew for each question, so nothing of it is kept.

import type { CommandOf } from "../../protocol/commands.ts";
import type { RunConfigInput } from "../../protocol/config.ts";
import type { PlayedConversation, PlayedTurn, TaskPreview } from "../../protocol/custom/tried.ts";
import type { EventBody } from "../../protocol/messages.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import { buildEnvs, isFailure, stepEnvs } from "../../rl/envs/stepEnvs.ts";
import { describedEnvironment } from "../../rl/tasks/custom/customTask.ts";
import { prepareTask } from "../../rl/tasks/custom/world.ts";
import { callsTools } from "../../rl/tools/toolRunner.ts";
import type { Example, Message, Trajectory } from "../../rl/types.ts";
import { rendererOf } from "../backend/loadRenderer.ts";
import type { Host } from "../host.ts";
import { estimateRun } from "../memory/memoryCheck.ts";
import { planRun, type RunPlan } from "../start/plan.ts";
import { checkCode } from "../start/rewardParts.ts";
import { rewardModel, triedJudge } from "../start/runRewards.ts";
import { tryStep } from "./tryStep.ts";

const SHOWN = 3;
/** A list longer than this is not counted to its end. */
const MOST_COUNTED = 1_000_000;

async function planned(config: RunConfigInput, host: Host): Promise<RunPlan> {
  const plan = planRun({ config }, host.additions);
  await prepareTask(plan, host);
  return plan;
}

const recordOf = ({ role, content, agent }: Message): MessageRecord => ({ role, content, ...(agent === undefined ? {} : { agent }) });

/** Tools that the policy knows without being told of them. */
async function hiddenTools({ config }: RunPlan, host: Host): Promise<TaskPreview["tools"]> {
  const own = config.customTasks[config.task];
  if (!own?.environment) return [];
  return (await describedEnvironment(config.task, own, host)).tools.map(({ spec }) => spec);
}

/** The task of a configuration, and how its first problems open. */
async function previewTask(config: RunConfigInput, host: Host): Promise<TaskPreview> {
  const plan = await planned(config, host);
  const { instance, task } = plan;
  const renderer = await rendererOf(plan.config, task.rendererKind, host);
  const list = instance.trainProblems?.();
  const examples = (list ?? instance.trainLoader().next(SHOWN)).slice(0, SHOWN);
  const envs = await buildEnvs(
    instance.envs,
    examples.map((example) => ({ example, seed: plan.config.seed })),
  );
  const states = envs.map((env) => env.start());
  return {
    training: list ? list.length : null,
    heldOut: list ? instance.evaluation(MOST_COUNTED).length : null,
    openings: states.map((state, i) => ({
      messages: state.messages.map(recordOf),
      answer: examples[i]!.answer,
      pieces: renderer.renderPrompt(state).map((token) => renderer.piece(token)),
    })),
    tools: states[0]?.tools ?? (await hiddenTools(plan, host)),
  };
}

/** A conversation that is over, as parts of a reward judge one. */
function trajectoryOf(
  messages: readonly Message[],
  ended: Trajectory["stopReason"],
  failure: string | null,
  env: { report?(): Trajectory["report"] },
) {
  const report = env.report?.();
  const nothing = { promptTokens: [], tokens: [], mask: [], logprobs: [], entropies: null };
  return { ...nothing, messages, stopReason: ended, ...(report ? { report } : {}), ...(failure === null ? {} : { failure }) };
}

const messageOf = ({ text, calls = [] }: PlayedTurn, turn: number): Message => ({
  role: "assistant",
  content: text,
  ...(calls.length > 0 ? { toolCalls: calls.map((call, i) => ({ ...call, id: `call_${turn}_${i}` })) } : {}),
});

/** What a call looks like where no renderer writes it. */
function shownMessage(message: Message): MessageRecord {
  if (!callsTools(message)) return recordOf(message);
  const calls = (message.toolCalls ?? []).map(({ name, arguments: given }) => `${name}(${JSON.stringify(given)})`);
  return { ...recordOf(message), content: [message.content, ...calls].filter((line) => line !== "").join("\n") };
}

interface Asked {
  readonly config: RunConfigInput;
  readonly problem: number;
  readonly said: readonly PlayedTurn[];
}

/** The conversation about a problem in which the policy says this, with what it earns where it is over. */
async function playTask({ config, problem, said }: Asked, host: Host): Promise<PlayedConversation> {
  const plan = await planned(config, host);
  await checkCode(plan, host);
  const { instance } = plan;
  const list: readonly Example[] = instance.trainProblems?.() ?? instance.trainLoader().next(problem + 1);
  const example = list[problem % list.length]!;
  const [env] = await buildEnvs(instance.envs, [{ example, seed: plan.config.seed }]);
  let messages = env!.start().messages;
  let ended: Trajectory["stopReason"] | null = null;
  let failure: string | null = null;
  for (const [turn, each] of said.entries()) {
    if (ended !== null) break;
    const message = messageOf(each, turn);
    messages = [...messages, message];
    const [stepped = null] = await stepEnvs(instance.envs, [{ env: env!, action: { message } }]);
    if (isFailure(stepped)) [ended, failure] = ["env-error", stepped.reason];
    else if (stepped === null) ended = env!.report?.().stopReason ?? "completed";
    else if (turn + 1 >= (instance.maxTurns ?? 1)) ended = "max-turns";
    if (stepped !== null && !isFailure(stepped) && ended === null) messages = stepped.messages;
  }
  const rewards = rewardModel(plan, host);
  const limit = { maxCompletionTokens: plan.config.maxCompletionTokens, overlongBuffer: 0 };
  const [verdict] =
    ended === null ? [] : await rewards.scoreBatch([{ example, trajectory: trajectoryOf(messages, ended, failure, env!) }], limit);
  return {
    messages: messages.map(shownMessage),
    answer: example.answer,
    isOver: ended !== null,
    ended: failure ?? (ended === "completed" ? null : ended),
    report: env!.report?.() ?? null,
    rewardParts: verdict?.parts ?? [],
    reward: verdict?.total ?? null,
  };
}

/** What answers the commands about a configuration that nobody trains yet. */
export function triesOn(host: Host, tell: (event: EventBody) => void) {
  return {
    "allow-code": ({ sources }: { readonly sources: readonly string[] }) => host.consent?.allow(sources),
    estimate: ({ config }: { readonly config: RunConfigInput }) => estimateRun(planRun({ config }, host.additions), host),
    preview: ({ config }: { readonly config: RunConfigInput }) => previewTask(config, host),
    "try-step": ({ config }: { readonly config: RunConfigInput }) => tryStep(planRun({ config }, host.additions), host, tell),
    play: (asked: Asked) => playTask(asked, host),
    "try-judge": async ({ config, name, answers }: Omit<CommandOf<"try-judge">, "id" | "type">) =>
      triedJudge(planRun({ config }, host.additions), name, answers, host),
  };
}
