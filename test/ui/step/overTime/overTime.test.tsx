// The same prompt over time, drawn from the records of real runs, and the pure parts beneath.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Probed } from "../../../../src/protocol/asked.ts";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import type { ProbeAnswer } from "../../../../src/protocol/records.ts";
import { placeIn, placeQuery } from "../../../../src/ui/engine/route.ts";
import { changeText, comparedTokens, recordAt } from "../../../../src/ui/step/overTime/comparison.ts";
import { landscape } from "../../../../src/ui/step/overTime/landscape.ts";
import { RecordedProbes } from "../../../../src/ui/step/overTime/OverTimeScreen.tsx";
import { SMALL_TRANSFORMER } from "../../../rl/recordedStep.ts";
import { driveSession } from "../../../support/driveSession.ts";
import "../../../support/kernels.ts";

async function recordedBy(config: RunConfigInput): Promise<Probed> {
  const session = await driveSession();
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run", config: { evalEvery: 0, promptsPerStep: 1, groupSize: 4, ...config } });
  await finished;
  return session.send({ type: "probes" });
}

const text = (markup: string) => markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe.each([
  ["a logits table", { task: "digit-sum", algorithm: "grpo", model: "tabular", steps: 8 }],
  [
    "a transformer",
    { ...SMALL_TRANSFORMER, task: "boxed-arithmetic", algorithm: "grpo", steps: 3, maxCompletionTokens: 5, evalProblems: 4 },
  ],
] as const)("the records of %s", (_, config) => {
  const recorded = recordedBy(config);

  it("can be drawn for every prompt and pair of steps, and hold nothing that is no number", async () => {
    const probed = await recorded;
    const draw = (prompt: number, from: number, to: number) =>
      text(renderToStaticMarkup(<RecordedProbes probed={probed} place={{ prompt, from, to }} onMove={() => {}} />));
    for (const prompt of probed.prompts.keys())
      for (const to of [0, 2, 99]) {
        const page = draw(prompt, 1, to);
        expect(page).not.toMatch(/\b(NaN|undefined|null|Infinity)\b/);
        expect(page).toContain("After step 1");
      }
    expect(draw(0, 1, 1)).toContain("Both sides show step 1");
  });

  it("are drawn as the engine recorded them, cell by cell", async () => {
    const probed = await recorded;
    const panels = landscape(probed, 0, 99, 0);
    expect(panels.length).toBeGreaterThan(0);
    for (const { t, tokens, probabilities_token_step, said_step } of panels)
      for (const [i, { answers }] of probed.records.entries()) {
        const { tokens_T, logprobs_T } = answers[0]!;
        expect(said_step[i]).toBe(tokens_T[t]?.[0] ?? null);
        for (const [row, token] of tokens.entries()) {
          const at = tokens_T[t]?.indexOf(token) ?? -1;
          expect(probabilities_token_step[row]![i]).toBe(at < 0 ? null : Math.exp(logprobs_T[t]![at]!));
        }
      }
  });
});

describe("two answers to one prompt", () => {
  const answer = (said: readonly number[], p: number): ProbeAnswer => ({
    tokens_T: said.map((token) => [token]),
    logprobs_T: said.map(() => [Math.log(p)]),
    ...{ isComplete: true, reward: 1 },
  });

  it("are compared token by token: what both said, what was added and what was removed", () => {
    const places = comparedTokens(answer([1, 2, 3], 0.5), answer([1, 4, 3, 5], 0.25));
    expect(places.map(({ from, to, isShared }) => [from, to, isShared])).toEqual([
      [1, 1, true],
      [2, 4, false],
      [3, 3, true],
      [null, 5, false],
    ]);
    expect(places[0]).toMatchObject({ logprobFrom: Math.log(0.5), logprobTo: Math.log(0.25) });
    expect(changeText(places)).toBe("2 tokens added, 1 token removed, 2 tokens the same.");
    expect(changeText(comparedTokens(answer([1], 0.5), answer([1], 0.25)))).toBe("The same answer, word for word.");
  });

  it("have a change where both had said the same up to there, and none after other words", () => {
    const places = comparedTokens(answer([1, 2, 9], 0.5), answer([1, 4, 9], 0.25));
    expect(places.map(({ isShared, isSameChoice }) => [isShared, isSameChoice])).toEqual([
      [true, true],
      [false, true],
      [true, false],
    ]);
    const moved = comparedTokens(answer([9], 0.5), answer([1, 9], 0.25));
    expect(moved.filter(({ isShared }) => isShared)).toMatchObject([{ to: 9, isSameChoice: false }]);
    const records = [answer([1, 2, 9], 0.5), answer([1, 4, 9], 0.25)].map((each, step) => ({ step, answers: [each] }));
    const panels = landscape({ prompts: [], pieces: {}, records }, 0, 99, 1);
    expect(panels.map(({ isSameChoice_step }) => isSameChoice_step)).toEqual([
      [true, true],
      [true, true],
      [false, true],
    ]);
    const probed = {
      prompts: [{ exampleId: "a", messages: [], answer: "" }],
      pieces: { 1: "one", 2: "two", 4: "four", 9: "nine" },
      records,
    };
    const page = text(renderToStaticMarkup(<RecordedProbes probed={probed} place={{ prompt: 0, from: 0, to: 1 }} onMove={() => {}} />));
    expect(page).toMatch(/nine 50 % 25 % after other words/);
    expect(page).toMatch(/one 50 % 25 % ▼ −25 points/);
  });

  it("are found at the step asked for, or at the last record before it", () => {
    const records = [0, 1, 2, 4, 6].map((step) => ({ step, answers: [] }));
    expect([0, 1, 3, 5, 99].map((step) => recordAt(records, step))).toEqual([0, 1, 2, 3, 4]);
  });
});

it("an address says which prompt and which steps, and leaves out what cannot be read", () => {
  const place = { prompt: 2, from: 4, to: 120 };
  expect(placeQuery("time", place).toString()).toBe("prompt=3&from=4&to=120");
  expect(placeIn("time", placeQuery("time", place))).toEqual(place);
  expect(placeIn("time", new URLSearchParams("prompt=0&from=-1&to=x"))).toEqual({ prompt: 0, from: null, to: null });
  expect(placeQuery("time", { prompt: 0, from: null, to: null }).size).toBe(0);
});
