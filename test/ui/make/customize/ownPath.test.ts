// What is named as missing on the way to a run of one's own, and which runs are tried before they start.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { customEntries } from "../../../../src/protocol/custom/customEntry.ts";
import { readCustomTasks } from "../../../../src/protocol/custom/customTasks.ts";
import { templates } from "../../../../src/rl/templates/index.ts";
import { catalog as shipped } from "../../../../src/train/catalog.ts";
import { resolveDraft } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { isOwn } from "../../../../src/ui/make/before/tried.ts";
import { pathOf } from "../../../../src/ui/make/customize/path/ownPath.ts";
import { isOtherCode } from "../../../../src/ui/make/customize/reward/otherCode.ts";
import { rewardStarters } from "../../../../src/ui/make/customize/reward/starters.ts";
import { templateOf } from "../../../../src/ui/make/customize/templates/openTemplate.ts";

const presetId = shipped.presets[0]!.id;
const prompts = (...questions: string[]) => ({ mine: { problems: questions.map((question) => ({ question })) } });

function path(edits: RunConfigInput, absent = false) {
  const own = customEntries(readCustomTasks(edits.customTasks ?? {}));
  const catalog = { ...shipped, tasks: [...shipped.tasks, ...own] };
  const { shown } = resolveDraft(catalog, { presetId, edits });
  const task = catalog.tasks.find(({ id }) => id === shown.task)!;
  return pathOf({ catalog, task, shown }, "SmolLM2 135M", absent).map(({ missing }) => missing);
}

const [SENTENCE] = rewardStarters;
const customRewards = { one: { source: SENTENCE!.source } };

describe("the way to a run of one's own", () => {
  it("misses nothing in a shipped task", () => expect(path({})).toEqual([null, null, null]));

  it("names prompts, a second one, a reward and a model that is not here", () => {
    expect(path({ task: "mine", customTasks: { mine: {} } }, true)).toEqual([
      "Type prompts, or bring a file.",
      "Bring SmolLM2 135M, which is not here yet.",
      "Choose what an answer earns: without a reward nothing is learnt.",
    ]);
    expect(path({ task: "mine", customTasks: prompts("one"), customRewards })[0]).toContain("a second prompt");
    expect(path({ task: "mine", customTasks: prompts("one", "two"), customRewards })).toEqual([null, null, null]);
  });

  it("counts a reward of weight 0 as none, and answers as one", () => {
    expect(path({ task: "mine", customTasks: prompts("one", "two"), customRewards, rewardWeights: { one: 0 } })[2]).not.toBeNull();
    expect(path({ task: "mine", customTasks: { mine: { problems: [{ question: "1", answer: "1" }, { question: "2" }] } } })[2]).toBeNull();
  });
});

describe("a run that is tried before it starts", () => {
  const own = (edits: RunConfigInput) => isOwn(shipped, resolveDraft(shipped, { presetId, edits }).config!);

  it("is one of one's own prompts, reward, task settings or limits, and no shipped preset", () => {
    expect(own({})).toBe(false);
    expect(own({ customRewards })).toBe(true);
    expect(own({ maxCompletionTokens: 5 })).toBe(true);
    expect(own({ rewardRules: { lengthTarget: {} } })).toBe(true);
    for (const { id } of shipped.presets) expect(isOwn(shipped, resolveDraft(shipped, { presetId: id, edits: {} }).config!)).toBe(false);
  });

  it("is none that only learns otherwise, or where nothing is sampled here", () => {
    expect(own({ learningRate: 0.5, groupSize: 4, promptsPerStep: 2, steps: 3, seed: 9, evalEvery: 0 })).toBe(false);
    expect(own({ customRewards, kind: "supervised" })).toBe(false);
  });
});

describe("code that has become another", () => {
  const other = "export function reward({ text }) {\n  return text.length > 3 ? 1 : 0;\n}";

  it("no longer has the title of what it began as", () => {
    expect(isOtherCode(SENTENCE!.title, other)).toBe(true);
    expect(isOtherCode(SENTENCE!.title, SENTENCE!.source.replace("0.3", "0.5"))).toBe(false);
    expect(isOtherCode("A title of one's own", other)).toBe(false);
  });

  it("is no template any more", () => {
    for (const template of templates) expect(templateOf(template.config)).toBe(template);
    const rhyme = templates[0]!;
    const [name] = Object.keys(rhyme.config.customRewards ?? {});
    expect(templateOf({ ...rhyme.config, customRewards: { [name!]: { source: other } } })).toBeNull();
  });
});
