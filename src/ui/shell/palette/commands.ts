// What the palette can do: every screen, preset, task, algorithm and setting of the catalog, and every action
// that is possible as things stand. Built when it is opened, and found by a few
// typed words: each must be found, and the beginning of a title counts most.
import type { Catalog, TaskEntry } from "../../../protocol/catalog.ts";
import { FIELD_GROUPS } from "../../../protocol/config/field.ts";
import { capital } from "../../../protocol/quantities.ts";
import { templates } from "../../../rl/templates/index.ts";
import { choosePreset, edit } from "../../engine/draftActions.ts";
import { goTo, SCREENS, type Screen } from "../../engine/route.ts";
import type { ResolvedDraft } from "../../engine/store/draft/draftConfig.ts";
import type { TermId } from "../../kit/words/glossary.ts";
import { openTemplate } from "../../make/customize/templates/openTemplate.ts";
import { revealField } from "../../make/form/revealField.ts";

export interface PaletteCommand {
  readonly id: string;
  readonly title: string;
  /** What kind of thing it is, shown beside the title. */
  readonly group: "Action" | "Screen" | "Preset" | "Template" | "Task" | "Algorithm" | "Setting" | "Chart" | "Lesson" | "Word";
  /** Shown under the title. */
  readonly text?: string;
  /** Searched and not shown. */
  readonly words?: string;
  /** Keys that do the same. */
  readonly keys?: string;
  /** Word whose card takes the list's place; nothing runs then. */
  readonly word?: TermId;
  readonly run: () => void;
}

/** What else somebody may call a screen. */
const SCREEN_WORDS: { readonly [S in Screen]?: string } = {
  open: "go to traces trl verl prime-rl verifiers tinker jsonl parquet files completions elsewhere",
  runs: "go to open saved runs continue load delete",
  words: "go to open glossary meaning definition dictionary",
  table: "go to open table filter sort search rollouts answers histogram",
  sweep: "go to open grid search hyperparameters",
  log: "go to open paste logs trl verl openrlhf unsloth tinker prime-rl tensorboard wandb mlflow diagnose cause trainer_state",
};

/** Titles of screens that their address does not say. */
const SCREEN_TITLES: { readonly [S in Screen]?: string } = {
  time: "Same prompts over time",
  table: "All rollouts",
  open: "Open rollouts of another program",
  log: "Read a log",
};

function screenCommand(screen: Screen): PaletteCommand {
  const title = SCREEN_TITLES[screen] ?? capital(screen);
  return { id: `screen ${screen}`, title, group: "Screen", words: SCREEN_WORDS[screen] ?? "go to open", run: () => goTo(screen) };
}

/** A choice of the form: makes it and shows it there. */
function choiceCommand(
  group: "Preset" | "Task" | "Algorithm",
  { id, title, summary }: Pick<TaskEntry, "id" | "title" | "summary">,
  words: string,
  act: () => void,
): PaletteCommand {
  const field = group.toLowerCase();
  const run = () => {
    act();
    revealField(field);
  };
  return { id: `${field} ${id}`, title, group, text: summary, words, run };
}

function settingCommands(catalog: Catalog, { shown }: Pick<ResolvedDraft, "shown">): readonly PaletteCommand[] {
  const task = catalog.tasks.find(({ id }) => id === shown.task);
  const own = catalog.fields
    .filter(({ key }) => key !== "algorithm" || shown.kind !== "supervised")
    .map(({ key, title, help, group }) => ({ name: key as string, title, help, place: FIELD_GROUPS[group].title }));
  const options = (task?.fields ?? []).map(({ key, title, help }) => ({
    name: `taskOptions.${key}`,
    title,
    help,
    place: task?.title ?? "",
  }));
  const weights = (task?.rewards ?? []).map(({ name, title, help }) => ({
    name: `rewardWeights.${name}`,
    title: `Weight of the reward “${title}”`,
    help,
    place: FIELD_GROUPS.task.title,
  }));
  return [...own, ...options, ...weights].map(({ name, title, help, place }) => ({
    id: `setting ${name}`,
    title,
    group: "Setting",
    text: help,
    words: `${place} ${name}`,
    run: () => revealField(name),
  }));
}

/** All that the catalog offers, for what the form describes. */
export function catalogCommands(catalog: Catalog, draft: Pick<ResolvedDraft, "shown">): readonly PaletteCommand[] {
  const presets = catalog.presets.map((preset) =>
    choiceCommand("Preset", preset, `${preset.id} ${preset.group ?? ""}`, () => choosePreset(preset.id)),
  );
  const starts = templates.map((template): PaletteCommand => {
    const { id, title, summary } = template;
    return {
      id: `template ${id}`,
      title,
      group: "Template",
      text: summary,
      words: `${id} customize start from`,
      run: () => openTemplate(template),
    };
  });
  const tasks = catalog.tasks.map((task) => choiceCommand("Task", task, task.id, () => edit("task", task.id)));
  const algorithms = catalog.algorithms.map((algorithm) => {
    const { id, fullName = "", paper } = algorithm;
    return choiceCommand("Algorithm", algorithm, `${id} ${fullName} ${paper}`, () => edit("algorithm", id));
  });
  return [...SCREENS.map(screenCommand), ...presets, ...starts, ...settingCommands(catalog, draft), ...tasks, ...algorithms];
}

/** How well a word matches a command; 0 where it does not. */
function weightOf(word: string, { title, text = "", words = "" }: PaletteCommand): number {
  const name = title.toLowerCase();
  const at = name.indexOf(word);
  if (at === 0) return 8;
  // At the beginning of a word, or inside one.
  if (at > 0) return /[^\p{L}\p{N}]/u.test(name.charAt(at - 1)) ? 4 : 2;
  return `${text} ${words}`.toLowerCase().includes(word) ? 1 : 0;
}

/**
 * The commands that all words of a query match, the best first and otherwise in their order. Without a word only
 * those that are offered unasked.
 */
export function foundCommands(commands: readonly PaletteCommand[], query: string, most: number): readonly PaletteCommand[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.filter(({ group }) => group === "Action" || group === "Screen").slice(0, most);
  return commands
    .flatMap((command) => {
      const weights = words.map((word) => weightOf(word, command));
      return weights.includes(0) ? [] : [{ command, weight: weights.reduce((a, b) => a + b, 0) }];
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map(({ command }) => command);
}
