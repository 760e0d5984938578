// The way from nothing to a run of one's own: what is asked, what answers, what is paid for. For each of them what stands in the form,
// and what is still missing, so that it can be named wherever somebody is.
import type { Catalog, TaskEntry } from "../../../../protocol/catalog.ts";
import type { RunConfigInput } from "../../../../protocol/config.ts";
import type { CustomTaskInput } from "../../../../protocol/custom/customTasks.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { ownTaskOf } from "../../../engine/store/draft/taskDraft.ts";

export interface PathStep {
  /** The section of Customize where it is brought. */
  readonly section: "data" | "model" | "reward";
  readonly title: string;
  /** What stands there. */
  readonly has: string;
  /** What is missing, as a sentence; null where nothing is. */
  readonly missing: string | null;
}

/** A form about a task, as far as the path looks at it. */
interface PathForm {
  readonly catalog: Catalog;
  readonly task: TaskEntry;
  readonly shown: RunConfigInput;
}

/** One problem at least is held out. */
const FEWEST_PROMPTS = 2;

function promptsOf({ shown, task }: PathForm): Omit<PathStep, "section" | "title"> {
  const own: CustomTaskInput | undefined = ownTaskOf(shown)?.own;
  if (!own) return { has: `those of ${task.title}`, missing: null };
  if (own.data) return { has: `${own.data.rows} from ${own.data.name}`, missing: null };
  if (own.environment) return { has: "its own environment", missing: null };
  const count = own.problems?.length ?? 0;
  const missing =
    count >= FEWEST_PROMPTS
      ? null
      : count === 0
        ? "Type prompts, or bring a file."
        : "Type a second prompt: one is held out to see what was learnt.";
  return { has: counted(count, "prompt"), missing };
}

/** The parts of the reward that count, by their titles. */
function paidFor({ catalog, shown, task }: PathForm): readonly string[] {
  const { rewardWeights = {}, rewardRules = {}, customRewards = {}, judges = {} } = shown;
  const rules = catalog.rewardRules.filter(({ name }) => name in rewardRules);
  const own = Object.entries({ ...customRewards, ...judges }).map(([name, { title = name }]) => ({ name, title, weight: 1 }));
  return [...task.rewards, ...rules, ...own].flatMap(({ name, title, weight }) => ((rewardWeights[name] ?? weight) === 0 ? [] : [title]));
}

function rewardOf(form: PathForm): Omit<PathStep, "section" | "title"> {
  const paid = paidFor(form);
  const [first, ...others] = paid;
  if (first === undefined) return { has: "none yet", missing: "Choose what an answer earns: without a reward nothing is learnt." };
  return { has: others.length === 0 ? first : `${first} and ${others.length} more`, missing: null };
}

/** The path as far as the form has come. @param absent whether the model that the form names is not here yet */
export function pathOf(form: PathForm, model: string, absent: boolean): readonly PathStep[] {
  return [
    { section: "data", title: "Prompts", ...promptsOf(form) },
    { section: "model", title: "Model", has: model, missing: absent ? `Bring ${model}, which is not here yet.` : null },
    { section: "reward", title: "Reward", ...rewardOf(form) },
  ];
}
