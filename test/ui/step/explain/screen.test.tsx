// The Explain screen drawn at every phase of the update, of steps at every phase, for a critic and for none.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { createStore } from "zustand/vanilla";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import type { StepGroups } from "../../../../src/protocol/messages.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { NOTHING_SELECTED } from "../../../../src/ui/engine/store/selection.ts";
import { ShownRun } from "../../../../src/ui/engine/store/useRunView.ts";
import { ExplainedStep } from "../../../../src/ui/step/explain/ExplainScreen.tsx";
import { arrivedAt, EXPLAINED, phaseEntry } from "../../../../src/ui/step/explain/story/phases.ts";
import { isReached } from "../../../../src/ui/step/explain/story/story.ts";
import { standText } from "../../../../src/ui/step/explain/UpdateStand.tsx";
import { answerOptions } from "../../../../src/ui/step/explain/WhereBar.tsx";
import { SMALL_TRANSFORMER } from "../../../rl/recordedStep.ts";
import { driveSession } from "../../../support/driveSession.ts";
import "../../../support/kernels.ts";

/** The first step of a run with all its groups, after each of its parts. */
async function partsOf(config: RunConfigInput): Promise<readonly StepGroups[]> {
  const session = await driveSession();
  const small = { task: "digit-sum", steps: 2, evalEvery: 0, promptsPerStep: 2, groupSize: 4, innerEpochs: 2 };
  await session.send({ type: "start", runId: "run", config: { ...small, ...config }, paused: true });
  const parts: StepGroups[] = [];
  for (let part = 0; part < 12; part++) {
    await session.send({ type: "advance", unit: "part" });
    parts.push(await session.send({ type: "inspect", step: 1 }));
  }
  return parts;
}

function drawn(step: StepGroups, explained: (typeof EXPLAINED)[number]["id"], member: number): string {
  // What is drawn without a page reads a store as it began.
  const selection = createStore(() => ({ ...NOTHING_SELECTED, step: step.step, trajectoryIndex: member, explained }));
  const view = { ...createRunView(), selection };
  return renderToStaticMarkup(
    <ShownRun view={view}>
      <ExplainedStep step={step} oldest={1} latest={1} />
    </ShownRun>,
  );
}

const text = (markup: string) => markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe.each([
  ["GRPO", { algorithm: "grpo", model: "tabular", klCoef: 0.1, learningRate: 0.5 }],
  ["PPO", { ...SMALL_TRANSFORMER, algorithm: "ppo" }],
] as const)("the screen of an update of %s", (_, config) => {
  const parts = partsOf(config);

  it("can be drawn at every part and every phase, and holds nothing that is no number", async () => {
    const all = await parts;
    const drawings = [...all.map((step) => drawn(step, "ratio", 0)), ...EXPLAINED.map(({ id }) => drawn(all.at(-1)!, id, 1))];
    for (const drawing of drawings) {
      const page = text(drawing);
      expect(page).not.toMatch(/\b(NaN|undefined|null)\b/);
      expect(page).toContain("Why did this token move?");
    }
  });

  it("says where an update stands, and what it has found so far", async () => {
    const all = await parts;
    const page = (part: number) => text(drawn(all[part]!, "ratio", 0));
    expect(page(0)).toContain("has been through “sample”");
    expect(page(3)).toMatch(/Inner epoch 1 of 2, minibatch 1 of 1 .* ratios from/);
    expect(page(10)).toContain("the optimizer has stepped");
    expect(page(11)).toContain("This update is over");
  });

  it("says nothing of advantages before they are computed, and names no answer best or worst", async () => {
    const [sampled, scored, compared] = await parts;
    for (const [step, phase] of [
      [sampled!, "sample"],
      [scored!, "score"],
    ] as const) {
      expect(step.phase).toBe(phase);
      const page = text(drawn(step, "reward", 0));
      expect(page).toContain(`Its advantage is not computed yet: step 1 has been through “${phase}”.`);
      expect(page).not.toMatch(/\bA 0\b|advantage is 0|, best\)|, worst\)|no spread/);
      const [first] = answerOptions(step.groups[0]!, step);
      expect(first?.title.endsWith(")")).toBe(phase === "score");
    }
    expect(text(drawn(compared!, "advantage", 0))).not.toContain("not computed yet");
    expect(answerOptions(compared!.groups[0]!, compared!)[0]?.title).toContain("(A ");
  });

  it("names an answer best or worst where it alone is", async () => {
    const step = (await parts).at(-1)!;
    const group = step.groups[0]!;
    const titles = (...advantages: readonly number[]) => {
      const trajectories = advantages.map((advantage, i) => ({ ...group.trajectories[i]!, advantage }));
      return answerOptions({ ...group, trajectories }, step).map(({ title }) => /, (best|worst)\)$/.exec(title)?.[1] ?? "");
    };
    expect(titles(1, 0, -1)).toEqual(["best", "", "worst"]);
    expect(titles(1, 1, -1, -1)).toEqual(["", "", "", ""]);
    expect(titles(0, 0)).toEqual(["", ""]);
  });

  it("leads to the first phase of a new step, to the newest one of a step under way, and says that a step has begun", async () => {
    const all = await parts;
    expect(all.slice(0, 7).map(arrivedAt)).toEqual(["prompt", "reward", "advantage", "ratio", "loss", "gradient", "after"]);
    expect(arrivedAt(all.at(-1)!)).toBe("after");
    for (const step of all) expect(isReached(step, phaseEntry(arrivedAt(step)))).toBe(true);
    expect(standText(all[0]!, 1)).toBe("Step 1 has begun, with new prompts and answers: it has been through “sample”.");
  });

  it("shows in the card and in the formula the trainer's own number", async () => {
    const step = (await parts).at(-1)!;
    const page = drawn(step, "gradient", 1);
    const numbers = [...page.matchAll(/data-symbol="gradient"/g)];
    expect(numbers.length).toBeGreaterThan(1);
  });
});
