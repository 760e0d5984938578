// The folder that TRL trains from: what of it is text. The programs in it are files beside this one.

import { stringify } from "yaml";
import type { RunConfig } from "../../../protocol/config.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { TrlForm } from "./form.ts";
import { peftOptions, type TrlModel } from "./model.ts";
import { type LostSetting, type TrlOptions, trlOptions } from "./options.ts";
import answersProgram from "./python/answers.py?raw";
import conversationProgram from "./python/conversation.py?raw";
import labProgram from "./python/lab.py?raw";
import launchProgram from "./python/launch.py?raw";
import quantitiesProgram from "./python/quantities.py?raw";
import rolloutsProgram from "./python/rollouts.py?raw";
import savesProgram from "./python/saves.py?raw";
import statementsProgram from "./python/statements.py?raw";
import textsProgram from "./python/texts.py?raw";
import toolsProgram from "./python/tools.py?raw";
import trainProgram from "./python/train.py?raw";
import { isPlainSum, type PythonRules, rewardsProgram } from "./pythonRules.ts";
import type { ToolPlan } from "./toolPlan.ts";

/** The rewards in Python, which need nothing but Python. */
export const REWARD_PROGRAMS: Readonly<Record<string, string>> = {
  "rewards.py": rewardsProgram,
  "answers.py": answersProgram,
  "quantities.py": quantitiesProgram,
  "statements.py": statementsProgram,
  "texts.py": textsProgram,
};

/** Rows of the README's table and a section of it. */
function toolTexts(plan: ToolPlan | null): readonly [rows: string, section: string] {
  if (!plan) return ["", ""];
  const names = plan.tools.map(({ name }) => `\`${name}\``).join(", ");
  const announced = plan.announces ? "The system turn describes them" : "No turn describes them, as in the run";
  return [
    `
| \`tools.json\`, \`tools.py\` | the limits of a conversation; the tools in Python |
| \`conversation.py\` | GRPOTrainer's rollout_func: conversations turn by turn, what the tools say masked |`,
    `
## Tools

The policy may call ${names}. ${announced}. A turn has at most ${plan.maxTokens} tokens (max_completion_length), a conversation ${counted(plan.maxTurns, "turn")} and ${counted(plan.maxCalls, "call")} that ${plan.maxCalls === 1 ? "is" : "are"} run. train.py holds every conversation of \`rollouts.jsonl\` again first and refuses to begin where an id, the mask, an answer of a tool or a count differs. TRL's own loop of tools is not used: it announces tools in every prompt, counts their answers against the limit, and leaves a call that cannot be read unanswered. \`--model NAME\` needs a tokenizer with the marks of these conversations, as Qwen's have them.
`,
  ];
}

/** The same for conversations that the lab holds. */
function labTexts(why: string, command: readonly string[]): readonly [rows: string, section: string] {
  return [
    `
| \`lab.py\`, \`lab.json\` | conversations, rewards and evaluations as the lab holds them; how its server is started |`,
    `
## The lab beside TRL

Here the lab holds the conversations and scores them, and TRL samples and trains: ${why}. train.py asks a server for each step's conversations, which answers this machine alone, with a token. \`rollout-lab train --backend trl\` starts one for its run. Elsewhere train.py starts \`${command.join(" ")}\` itself, once for each process: Node and this lab must be there, and the run's folder, to which the path in \`lab.json\` leads.
`,
  ];
}

function readme({ name, form, command }: TrlParts, { options, lost }: TrlOptions): string {
  const plan = form.held === "here" ? form.plan : null;
  const [rowsOfTools, tools] = form.held === "lab" ? labTexts(form.why, command) : toolTexts(plan);
  const rows = lost.map(({ field, value, why }) => `| \`${field}\` | ${JSON.stringify(value)} | ${why} |`);
  return `# ${name}, for TRL

What Rollout Lab trained, ready for TRL's GRPOTrainer.

    pip install -r requirements.txt
    python train.py          # one GPU or all of this machine's; --cpu without
    srun python train.py     # several nodes: a task on each, or one for each GPU
    NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST python train.py   # without Slurm: on each node, HOST being the first

launch.py finds the GPUs and the nodes and puts torchrun in the place of train.py where there are several; \`--processes N\` says how many processes a node has. What torchrun or \`accelerate launch\` has started trains as it is. bf16 is used where a GPU has it, unless grpo.yaml says otherwise.

Every ${options.save_steps} optimizer steps a checkpoint goes to \`output/\` (save_steps in grpo.yaml), where the last two are kept. The same command goes on from the last one that is whole, on as many processes as there are then. SIGTERM and SIGUSR1, such as a queue sends before it takes a machine back, save at the end of the step and end the program with 143. \`output/trainer_state.json\` has the figures of all steps in the end. \`--out\` names another folder, for another training.

\`--report-to tensorboard,wandb,mlflow\` (or report_to in grpo.yaml) reports there. With WANDB_RUN_ID and WANDB_RESUME=allow, or MLFLOW_RUN_ID, a training that goes on reports to the same run.

\`--vllm\` generates with vLLM beside the trainer (pip install vllm; its model must be one that vLLM serves). \`--model NAME\` takes any causal model of the Hub, \`--data FILE\` other problems; look at \`learning_rate\` then, which is that of a small model.

| file | holds |
|---|---|
| \`model/\` | the policy where the run stands, a Hugging Face folder with its tokenizer; not there where grpo.yaml names the model |
| \`train.jsonl\`, \`eval.jsonl\` | problems: messages and the answer |
${form.held === "here" ? REWARD_ROWS : ""}| \`grpo.yaml\` | the run's settings as GRPOConfig's, the model, its adapters for PEFT, and the weights of the rewards |${rowsOfTools}

A step has ${options.steps_per_generation} groups of ${options.num_generations} completions; train.py divides them among the processes there are.
${tools}
## What has no counterpart

${rows.length === 0 ? "Every setting that counts in this run has one." : `| setting | value | why |\n|---|---|---|\n${rows.join("\n")}`}

\`eval.jsonl\` has the held-out problems. TRL counts optimizer steps, its sampling draws other numbers, and its runs are alike, not equal.
`;
}

/** As PyYAML reads it, which takes YAML 1.1: "no" is false there unless quoted, and a number with an exponent needs a point. */
function yamlText(value: unknown): string {
  return stringify(value, { version: "1.1" }).replaceAll(/: (-?\d+)e(-?\d+)$/gm, ": $1.0e$2");
}

const REWARD_ROWS = `| \`rewards.py\`, \`statements.py\`, \`answers.py\`, \`quantities.py\`, \`texts.py\`, \`rewards.json\` | the reward parts in Python, and their settings |
| \`rollouts.jsonl\` | conversations that the lab has scored; \`train.py\` refuses to begin where rewards.py gives other numbers |
`;

/** Conversations of the first and the last step and of every so many (0 for those two alone), up to so many each (null for all). */
export interface LoggedRollouts {
  readonly every: number;
  readonly most: number | null;
}

/** What the texts of a folder are made from. */
interface TrlParts {
  readonly name: string;
  readonly config: RunConfig;
  readonly form: TrlForm;
  readonly model: TrlModel;
  /** Of the reward parts. */
  readonly weights: Readonly<Record<string, number>>;
  /** Starts the lab's server. */
  readonly command: readonly string[];
  /** Whether TRL samples for the evaluations too. */
  readonly evaluates: boolean;
  /** Which conversations train.py tells; null for none. */
  readonly logged: LoggedRollouts | null;
}

/** Rewards as TRL adds them up: the parts with their weights; or the whole reward, with the parts as metrics beside it. */
function rewardColumns({ config, form, weights }: TrlParts): Readonly<Record<string, number>> {
  const isSum = form.held === "here" && isPlainSum(form.rules);
  if (isSum || config.rewardAggregation === "normalize-then-sum") return weights;
  return { total: 1, ...Object.fromEntries(Object.keys(weights).map((name) => [name, 0])) };
}

/** What TRL does not do with the rewards of a run. */
function lostRewards({ config, form }: TrlParts): readonly LostSetting[] {
  const { rewardAggregation, rewardGates, rewardClip, overlongBuffer } = config;
  const isWhole = rewardAggregation !== "normalize-then-sum";
  const rows: readonly (readonly [isLost: boolean, field: keyof RunConfig])[] = [
    [Object.keys(rewardGates).length > 0, "rewardGates"],
    [rewardClip > 0, "rewardClip"],
    [overlongBuffer > 0, "overlongBuffer"],
    [form.held === "lab" && config.rewardTransform !== null, "rewardTransform"],
  ];
  const why = "TRL normalises the parts one by one (rewardAggregation), before anything is done to their sum";
  return isWhole ? [] : rows.flatMap(([isLost, field]) => (isLost ? [{ field, value: config[field], why }] : []));
}

/** The settings of a run for TRL, and what of them is lost there. */
export function trlSettings(parts: TrlParts): TrlOptions {
  const { options, lost } = trlOptions(parts.config);
  return { options, lost: [...lost, ...lostRewards(parts)] };
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The programs that hold and score conversations. */
function programs({ form, command, logged }: TrlParts): Readonly<Record<string, string>> {
  const rolloutFiles = logged ? { "rollouts.py": rolloutsProgram } : {};
  if (form.held === "lab") return { ...rolloutFiles, "lab.json": jsonText({ command, why: form.why }), "lab.py": labProgram };
  const { rules, plan } = form;
  return {
    ...rolloutFiles,
    ...rewardPrograms(rules),
    ...(plan ? { "tools.json": jsonText(plan), "tools.py": toolsProgram, "conversation.py": conversationProgram } : {}),
  };
}

/** The rewards in Python, by path. */
export function rewardPrograms(rules: PythonRules): Readonly<Record<string, string>> {
  return { "rewards.json": jsonText(rules), ...REWARD_PROGRAMS };
}

/** Its texts, by path. */
export function trlTexts(parts: TrlParts): Readonly<Record<string, string>> {
  const { config, form, model, evaluates, logged } = parts;
  const mapped = trlSettings(parts);
  const lora = peftOptions(config);
  const plan = {
    ...("files" in model ? { model: "model" } : { model: model.name, ...(model.revision === null ? {} : { revision: model.revision }) }),
    ...(lora ? { lora } : {}),
    ...(evaluates && config.evalEvery > 0 ? { evaluate_every: config.evalEvery } : {}),
    ...(logged ? { rollouts: logged } : {}),
    rewards: rewardColumns(parts),
    grpo: mapped.options,
  };
  const needs = form.held === "lab" || form.plan ? "1.16" : "1.13";
  return {
    "README.md": readme(parts, mapped),
    "grpo.yaml": yamlText(plan),
    "requirements.txt": `torch\ntransformers>=5\ntrl>=${needs}\naccelerate\ndatasets\npyyaml\n${lora ? "peft\n" : ""}`,
    "train.py": trainProgram,
    "launch.py": launchProgram,
    "saves.py": savesProgram,
    ...programs(parts),
  };
}
