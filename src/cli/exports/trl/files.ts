// The folder that TRL trains from: what of it is text. The programs in it are files beside this one.
import { stringify } from "yaml";
import type { RunConfig } from "../../../protocol/config.ts";
import conversationProgram from "./conversation.py?raw";
import { type TrlOptions, trlOptions } from "./options.ts";
import rewardsProgram from "./rewards.py?raw";
import type { ToolPlan } from "./toolPlan.ts";
import toolsProgram from "./tools.py?raw";
import trainProgram from "./train.py?raw";

/** Reward parts that rewards.py has. */
export const PYTHON_REWARDS = ["boxedAnswer", "boxedForm", "taggedAnswer", "taggedForm", "em", "f1"] as const;
/** Those that count what came of the calls of tools. */
export const COUNTED_REWARDS = ["toolErrors", "repeatedCalls"] as const;

const LAUNCH = { compute_environment: "LOCAL_MACHINE", mixed_precision: "no", machine_rank: 0, main_training_function: "main" };
const ACCELERATE = {
  "one-gpu": { ...LAUNCH, distributed_type: "NO", num_machines: 1, num_processes: 1 },
  "several-gpus": { ...LAUNCH, distributed_type: "MULTI_GPU", num_machines: 1, num_processes: 4, gpu_ids: "all" },
  "several-nodes": {
    ...{ ...LAUNCH, distributed_type: "MULTI_GPU", num_machines: 2, num_processes: 8 },
    ...{ main_process_ip: "10.0.0.1", main_process_port: 29500, rdzv_backend: "static", same_network: true },
  },
  "two-processes-cpu": { ...LAUNCH, distributed_type: "MULTI_CPU", use_cpu: true, num_machines: 1, num_processes: 2 },
} as const;

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

The policy may call ${names}. ${announced}. A turn has at most ${plan.maxTokens} tokens (max_completion_length), a conversation ${plan.maxTurns} turns and ${plan.maxCalls} calls that are run. train.py holds every conversation of \`rollouts.jsonl\` again first and refuses to begin where an id, the mask, an answer of a tool or a count differs. TRL's own loop of tools is not used: it announces tools in every prompt, counts their answers against the limit, and leaves a call that cannot be read unanswered. \`--model NAME\` needs a tokenizer with the marks of these conversations, as Qwen's have them.
`,
  ];
}

function readme(name: string, { options, lost }: TrlOptions, plan: ToolPlan | null): string {
  const [rowsOfTools, tools] = toolTexts(plan);
  const rows = lost.map(({ field, value, why }) => `| \`${field}\` | ${JSON.stringify(value)} | ${why} |`);
  return `# ${name}, for TRL

What Rollout Lab trained, ready for TRL's GRPOTrainer on accelerate.

    pip install -r requirements.txt
    python train.py                                                        # one process
    accelerate launch --config_file accelerate/one-gpu.yaml train.py
    accelerate launch --config_file accelerate/several-gpus.yaml train.py  # set num_processes
    accelerate launch --config_file accelerate/several-nodes.yaml train.py # on each node, with machine_rank and main_process_ip
    accelerate launch --config_file accelerate/two-processes-cpu.yaml train.py --cpu

\`--vllm\` generates with vLLM beside the trainer (pip install vllm; its model must be one that vLLM serves). \`--model NAME\` takes any causal model of the Hub, \`--data FILE\` other problems; look at \`learning_rate\` then, which is that of a small model.

| file | holds |
|---|---|
| \`model/\` | the policy where the run stands, a Hugging Face folder with its tokenizer |
| \`train.jsonl\`, \`eval.jsonl\` | problems: messages and the answer |
| \`rewards.py\` | the reward parts in Python |
| \`rollouts.jsonl\` | conversations that the lab has scored; \`train.py\` refuses to begin where rewards.py gives other numbers |
| \`grpo.yaml\` | the run's settings as GRPOConfig's, and the weights of the rewards |${rowsOfTools}

A step has ${options.steps_per_generation} groups of ${options.num_generations} completions; train.py divides them among the processes there are.
${tools}
## What has no counterpart

${rows.length === 0 ? "Every setting that counts in this run has one." : `| setting | value | why |\n|---|---|---|\n${rows.join("\n")}`}

Of conversations of several turns only those with a calculator or a search are exported; games, routers, several agents and mixtures of tasks have no environment in Python. Evaluation is left to you; \`eval.jsonl\` has the held-out problems. TRL counts optimizer steps, its sampling draws other numbers, and its runs are alike, not equal.
`;
}

/** As PyYAML reads it, which takes YAML 1.1: "no" is false there unless quoted, and a number with an exponent needs a point. */
function yamlText(value: unknown): string {
  return stringify(value, { version: "1.1" }).replaceAll(/: (-?\d+)e(-?\d+)$/gm, ": $1.0e$2");
}

/** Its texts, by path. @param weights of the reward parts. @param plan of a task with tools. */
export function trlTexts(
  name: string,
  config: RunConfig,
  weights: Readonly<Record<string, number>>,
  plan: ToolPlan | null,
): Readonly<Record<string, string>> {
  const mapped = trlOptions(config);
  const accelerate = Object.entries(ACCELERATE).map(([file, launch]) => [`accelerate/${file}.yaml`, yamlText(launch)]);
  return {
    "README.md": readme(name, mapped, plan),
    "grpo.yaml": yamlText({ rewards: weights, grpo: mapped.options }),
    "requirements.txt": `torch\ntransformers>=5\ntrl>=${plan ? "1.16" : "1.13"}\naccelerate\ndatasets\npyyaml\n`,
    "rewards.py": rewardsProgram,
    "train.py": trainProgram,
    ...(plan
      ? { "tools.json": `${JSON.stringify(plan, null, 2)}\n`, "tools.py": toolsProgram, "conversation.py": conversationProgram }
      : {}),
    ...Object.fromEntries(accelerate),
  };
}
