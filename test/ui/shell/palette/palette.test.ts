// Everything that the catalog offers is found by its name.
import { describe, expect, it } from "vitest";
import { templates } from "../../../../src/rl/templates/index.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { SCREENS } from "../../../../src/ui/engine/route.ts";
import { resolveDraft } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { GLOSSARY } from "../../../../src/ui/kit/words/glossary.ts";
import { lessons } from "../../../../src/ui/learn/lessons/index.ts";
import { catalogCommands, foundCommands, type PaletteCommand } from "../../../../src/ui/shell/palette/commands.ts";
import { learnCommands } from "../../../../src/ui/shell/palette/contentCommands.ts";

const MOST = 40;
const draft = resolveDraft(catalog, { presetId: "boxed-arithmetic", edits: {} });
const commands = catalogCommands(catalog, draft);
const ids = (found: readonly PaletteCommand[]) => found.map(({ id }) => id);

describe("the palette", () => {
  it("has every screen, preset, template and algorithm, every task with a checkpoint, and every setting of the form", () => {
    const task = catalog.tasks.find(({ id }) => id === draft.shown.task)!;
    expect(new Set(ids(commands))).toEqual(
      new Set([
        ...SCREENS.map((screen) => `screen ${screen}`),
        ...catalog.presets.map(({ id }) => `preset ${id}`),
        ...templates.map(({ id }) => `template ${id}`),
        ...catalog.algorithms.map(({ id }) => `algorithm ${id}`),
        ...catalog.tasks.map(({ id }) => `task ${id}`),
        ...catalog.fields.map(({ key }) => `setting ${key}`),
        ...task.fields.map(({ key }) => `setting taskOptions.${key}`),
        ...task.rewards.map(({ name }) => `setting rewardWeights.${name}`),
      ]),
    );
    expect(commands.length).toBe(new Set(ids(commands)).size);
  });

  it("finds each by its title, and by the name that scripts use", () => {
    for (const command of commands) {
      expect(ids(foundCommands(commands, command.title, MOST)), command.title).toContain(command.id);
      const name = command.id.replace(/^\w+ (\w+\.)?/, "");
      if (command.group !== "Screen") expect(ids(foundCommands(commands, name, MOST)), name).toContain(command.id);
    }
  });

  it("puts what begins with the words first and drops what lacks one of them", () => {
    const named = (title: string, text = ""): PaletteCommand => ({ id: title, title, text, group: "Setting", run: () => {} });
    const few = [named("KL weight", "keeps the group near"), named("Regroup"), named("Prompts of a group"), named("Group size")];
    expect(ids(foundCommands(few, "group", MOST))).toEqual(["Group size", "Prompts of a group", "Regroup", "KL weight"]);
    expect(ids(foundCommands(few, " size  group ", MOST))).toEqual(["Group size"]);
    expect(foundCommands(few, "nothing", MOST)).toEqual([]);
    expect(foundCommands(few, "group", 2)).toHaveLength(2);
  });

  it("has every lesson by its title and every word of the glossary, none twice", () => {
    const learnt = learnCommands();
    expect(learnt).toHaveLength(lessons.length + GLOSSARY.length);
    const all = [...commands, ...learnt];
    expect(new Set(ids(all)).size).toBe(all.length);
    for (const { title } of lessons) expect(foundCommands(all, title, 1)[0]?.title).toBe(title);
    for (const { id } of GLOSSARY) expect(ids(foundCommands(all, `${id} meaning`, MOST))).toContain(`word ${id}`);
  });

  it("offers the screens before anything is typed", () => {
    expect(ids(foundCommands(commands, "", MOST))).toEqual(SCREENS.map((screen) => `screen ${screen}`));
  });

  it("offers no algorithm setting to a run on worked examples", () => {
    const supervised = catalog.presets.find(({ config }) => config.kind === "supervised")!;
    const offered = catalogCommands(catalog, resolveDraft(catalog, { presetId: supervised.id, edits: {} }));
    expect(ids(offered)).not.toContain("setting algorithm");
  });
});
