// Conversations of a policy that is kept, through the generator and the rewards that trained it.

import { saidText, short } from "../../export/writtenRun.ts";
import { isOwnPrompt, problemAsked } from "../../rl/data/ownPrompt.ts";
import { Random } from "../../rl/random.ts";
import { scoreGroups } from "../../rl/rewards/weightedReward.ts";
import { messagesRead, messagesWritten } from "../../rl/tools/chatMessages.ts";
import type { Example, Message } from "../../rl/types.ts";
import { heldOut } from "../../train/evaluation.ts";
import { conversationsOf } from "../../train/queries/askModel.ts";
import type { ActiveRun } from "../../train/start/start.ts";
import { CommandError } from "../lab/exit.ts";
import type { Report } from "../lab/verb.ts";
import { lookAtRun, type Opening } from "./openRun.ts";

interface SampleOptions {
  readonly n: number;
  readonly seed: number | undefined;
  readonly prompt: string | undefined;
  readonly temperature: string | undefined;
}

function temperatureOf(text: string | undefined, ofRun: number): number {
  if (text === undefined) return ofRun;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0 && value <= 5) return value;
  throw new CommandError(`--temperature must be a number from 0 to 5, got ${JSON.stringify(text)}`);
}

/** What is asked: held-out problems in turn, or the prompt. */
function examplesOf(
  { task, trainer }: ActiveRun,
  { n, prompt }: SampleOptions,
): { readonly examples: readonly Example[]; readonly copies: number } {
  const { examples } = heldOut(task, { ...trainer.config, evalProblems: prompt === undefined ? n : trainer.config.evalProblems });
  if (prompt === undefined) return { examples, copies: Math.ceil(n / examples.length) };
  return { examples: [problemAsked(task, prompt, examples)], copies: n };
}

const lineOf = (message: Message): string => `  ${saidText(message).join(": ")}`;

/** Samples from a run's policy. */
export function sampleRun(asked: Opening, options: SampleOptions): Promise<Report> {
  return lookAtRun(asked, async ({ run, path }) => {
    const { renderer, rewards } = run;
    const { config } = run.trainer;
    const { examples, copies } = examplesOf(run, options);
    const groups = await conversationsOf(run, examples, {
      copies,
      temperature: temperatureOf(options.temperature, config.temperature),
      random: new Random(options.seed ?? config.seed).fork("sampled by hand"),
    });
    // Nobody knows what would answer a custom prompt.
    const known = groups.filter(({ example }) => !isOwnPrompt(example));
    const rewards_P_G = await scoreGroups(known, rewards, config);
    const samples = groups
      .flatMap((group) =>
        group.trajectories.map((trajectory, g) => {
          const { example } = group;
          const isUnknown = isOwnPrompt(example);
          const reward = rewards_P_G[known.indexOf(group)]?.[g] ?? null;
          return {
            exampleId: example.id,
            answer: isUnknown ? null : example.answer,
            messages: messagesWritten(trajectory.messages),
            text: renderer.decode(trajectory.tokens),
            tokens: trajectory.tokens,
            logprobs: trajectory.logprobs,
            stopReason: trajectory.stopReason,
            reward: reward?.total ?? null,
            rewardParts: reward?.parts ?? [],
            success: reward?.success ?? null,
          };
        }),
      )
      .slice(0, options.n);
    const texts = samples.map(({ messages, text, reward, rewardParts, success, stopReason }) => {
      const said = messagesRead(messages, "messages")
        .filter(({ role }) => role !== "system")
        .map(lineOf);
      const verdict = success === null ? "" : `${success ? "right" : "wrong"}, reward ${short(reward)}, `;
      const failed = rewardParts.flatMap(({ name, reason }) => (reason === undefined ? [] : [`  (${name}: ${reason})`]));
      return [...(said.length > 1 ? said : [`  ${text}`]), `  (${verdict}${stopReason})`, ...failed].join("\n");
    });
    const facts = { run: path, step: run.trainer.step, task: config.task, samples };
    return { facts, text: `${path} at step ${run.trainer.step}, ${config.task}:\n${texts.join("\n\n")}` };
  });
}
