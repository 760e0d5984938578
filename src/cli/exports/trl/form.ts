// How a run's conversations are held and scored in a TRL training: by programs of the folder alone, where every part of them
// has a form in Python, or else by the lab, which a training there asks. What neither can do is refused with a sentence.
import { buildEnvs } from "../../../rl/envs/stepEnvs.ts";
import type { Example, State } from "../../../rl/types.ts";
import { CommandError } from "../../lab/exit.ts";
import type { TrlRun } from "./model.ts";
import { type PythonRules, pythonRules } from "./pythonRules.ts";
import { EXPORTED_TOOL_TASKS, type ToolPlan, toolPlan } from "./toolPlan.ts";

/** By the programs of the folder, with the rewards in Python and, of a task with tools, its limits; or by the lab, and why. */
export type TrlForm =
  | { readonly held: "here"; readonly rules: PythonRules; readonly plan: ToolPlan | null }
  | { readonly held: "lab"; readonly why: string };

/** How the task opens a conversation about its first problem. */
async function openingOf({ task }: TrlRun): Promise<{ readonly example: Example; readonly state: State } | null> {
  const [example] = task.trainLoader().next(1);
  if (!example) return null;
  const [env] = await buildEnvs(task.envs, [{ example, seed: 0 }]);
  return env ? { example, state: env.start() } : null;
}

/** Throws a CommandError for what no training by TRL can do. @param name what is refused */
export function refuseForTrl(name: string, { config, task, renderer }: Pick<TrlRun, "config" | "task" | "renderer">): void {
  const refused = (why: string) => new CommandError(`${name}: ${why}`);
  if (config.kind === "supervised") throw refused("TRL's GRPO takes reinforcement learning, and kind is supervised");
  if (config.model === "tabular") throw refused("TRL cannot train a logits table: use a transformer (model: transformer)");
  if (renderer.stopTokens.length === 0) throw refused(`the task ${config.task} has no text that a tokenizer of TRL's could read`);
  const [agent] = task.startAgents ?? [];
  if (agent !== undefined)
    throw refused(`the agent ${agent} plays the frozen start (startAgents), and TRL samples from the trained weights alone`);
}

/** The form of a run. Throws a CommandError for what cannot be trained there. */
export async function trlForm(name: string, run: TrlRun): Promise<TrlForm> {
  const { config, task, policy } = run;
  refuseForTrl(name, run);
  const opening = await openingOf(run);
  if (opening?.state.agent !== undefined)
    throw new CommandError(
      `${name}: several agents, as in ${config.task}, have advantages of their own here and one for the whole conversation in TRL: train here, or export --to hf or jsonl`,
    );
  const byLab = (why: string): TrlForm => ({ held: "lab", why });
  if (policy === null) return byLab("the model's weights are not here, so that TRL samples for the evaluations too");
  if (config.rewardTransform) return byLab("rewardTransform is code of the configuration");
  if (task.trainsTurn) return byLab("some turns are not trained");
  const maxTurns = task.maxTurns ?? 1;
  const isExported = EXPORTED_TOOL_TASKS.includes(config.task);
  if (maxTurns > 1 && !isExported) return byLab(`conversations of several turns, as in ${config.task}, are held by the lab`);
  const isPlain = opening && JSON.stringify(opening.state.messages) === JSON.stringify(opening.example.messages);
  if (!isPlain) return byLab(`${config.task} opens its conversations by itself`);
  const rules = pythonRules(config, task, maxTurns > 1);
  if ("lacking" in rules) return byLab(`${rules.lacking} has no form in Python`);
  return { held: "here", rules, plan: maxTurns > 1 ? toolPlan(config, maxTurns, run.maxPositions) : null };
}
