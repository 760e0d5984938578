import { describe, expect, it } from "vitest";
import { wordGame } from "../../../../src/rl/templates/wordGame.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { resolveDraft } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { draftFromQuery, draftQuery } from "../../../../src/ui/engine/store/draft/draftQuery.ts";
import { ownTaskOf, withOwnTask } from "../../../../src/ui/engine/store/draft/taskDraft.ts";
import { linesOf, typedProblems } from "../../../../src/ui/make/customize/data/typedPrompts.ts";

describe("prompts that are typed", () => {
  it("are one a line, with an answer behind an arrow or none", () => {
    const typed = typedProblems("3 + 4? => 7\n\nSay hello\nWhy => it is so #### 18\n3 + 4? => 8");
    expect(typed).toEqual([
      { question: "3 + 4?", answer: "7" },
      { question: "Say hello", answer: "" },
      { question: "Why", answer: "18", solution: "it is so #### 18" },
    ]);
    expect(linesOf(typed as never)).toBe("3 + 4? => 7\nSay hello\nWhy => it is so #### 18");
    expect(typedProblems("a\n => 7")).toBe('Line 2 must have a prompt before "=>"');
    expect(linesOf([{ question: "two\nlines" }])).toBe(null);
  });
});

describe("a draft with a task of one's own", () => {
  it.each(catalog.presets.map(({ id }) => id))("comes of the preset %s without a complaint", (presetId) => {
    const draft = withOwnTask(catalog, { presetId, edits: {} }, (own) => ({
      ...own,
      problems: [
        { question: "a", answer: "b" },
        { question: "c", answer: "d" },
      ],
    }));
    const { config, problems } = resolveDraft(catalog, draft);
    expect(problems).toEqual([]);
    expect(config?.task).toBe("mine");
  });

  it("goes through an address as it is", () => {
    const draft = withOwnTask(catalog, { presetId: "", edits: {} }, () => wordGame.config.customTasks!["word-game"]!);
    const { draft: again, problem } = draftFromQuery(catalog, draftQuery(catalog, draft));
    expect(problem).toBe(null);
    expect(ownTaskOf(resolveDraft(catalog, again).shown)).toEqual(ownTaskOf(resolveDraft(catalog, draft).shown));
  });
});
