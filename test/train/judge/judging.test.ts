import { afterAll, describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { type Judge, judgeSchema, type NamedJudge } from "../../../src/protocol/custom/judges.ts";
import { type JudgeVerdict, judgeMessages, typedInput } from "../../../src/rl/judge/judge.ts";
import { askJudge } from "../../../src/train/judge/asked.ts";
import { answerTokens, type JudgeModel, openJudgeModel } from "../../../src/train/judge/judgeModel.ts";
import { judgesOf } from "../../../src/train/judge/judging.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const settings = { backend: "wasm", threads: 2, reproducible: true } as const;
const host = createNodeHost();
const judgeOf = (fields: Partial<Judge>): NamedJudge => ({
  ...judgeSchema.parse({ prompt: "{question} {text} Yes or no?", scale: { yes: 1, no: 0 }, ...fields }),
  checkpoint: fields.checkpoint ?? "agents",
});
const inputs = Array.from({ length: 40 }, (_, i) =>
  typedInput({ question: `What is ${i} + 4?`, answer: `${i + 4}`, text: `\\boxed{${i + (i % 3)}}` }),
);
const pause = async () => {};
const numbers = (verdicts: readonly JudgeVerdict[]) => verdicts.map((verdict) => ("value" in verdict ? verdict.value : verdict.reason));

let opened: JudgeModel | null = null;
async function model(): Promise<JudgeModel> {
  opened ??= await openJudgeModel("agents", settings, host);
  return opened;
}
afterAll(() => opened?.dispose());

describe("a judge's verdict", () => {
  it.each([
    { scale: { "1": 1, "0": 0 }, prompt: "Say 1 where this sum is right and 0 where it is wrong: {question} {text}" },
    { scale: { yes: 1, no: 0 } },
  ])("hangs on what is asked alone, to the bit: whatever else is in its batch, one by one and in another order: %o", async (fields) => {
    const judge = judgeOf(fields);
    const together = await askJudge(await model(), judge, inputs, pause);
    const alone: JudgeVerdict[] = [];
    for (const input of inputs.toReversed()) alone.unshift(...(await askJudge(await model(), judge, [input], pause)).verdicts);
    expect(new Set(numbers(together.verdicts)).size).toBeGreaterThan(30);
    expect(alone).toEqual(together.verdicts);
    // What the prompts begin with was computed once for many, where the answers leave room for that.
    const rows = inputs.reduce((sum, input) => sum + opened!.renderer.renderPrompt({ messages: judgeMessages(judge, input) }).length, 0);
    if (fields.prompt) expect(together.tokens).toBeLessThan(0.6 * rows);
  });

  it("is the expectation over the log-probs that the model gives to the answers behind the whole prompt", async () => {
    const judge = judgeOf({ scale: { yes: 1, no: -1 } });
    const { backend, renderer } = await model();
    const [found] = (await askJudge(await model(), judge, inputs.slice(0, 1), pause)).verdicts;
    const promptTokens = renderer.renderPrompt({ messages: judgeMessages(judge, inputs[0]!) });
    const completions = ["yes", "no"].map((answer) => answerTokens(answer, renderer));
    const { logprobs_K } = await backend.score(packGroups([{ promptTokens, completions }], 1), "policy");
    const lengths = completions.map(({ length }) => length);
    const [yes, no] = [logprobs_K.subarray(0, lengths[0]), logprobs_K.subarray(lengths[0]!)].map((part) =>
      Math.exp(part.reduce((a, b) => a + b, 0)),
    );
    expect(found).toMatchObject({ value: expect.closeTo((yes! - no!) / (yes! + no!), 5), held: expect.closeTo(yes! + no!, 5) });
  });

  it("tells answers apart of which one is how another begins", async () => {
    const judge = judgeOf({ scale: { "1": 1, "10": 10, "100": 100 } });
    const { verdicts } = await askJudge(await model(), judge, inputs.slice(0, 3), pause);
    for (const verdict of verdicts) {
      const odds = "odds" in verdict ? Object.values(verdict.odds!) : [];
      expect(odds.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
      expect(odds.every((share) => share > 0)).toBe(true);
    }
  });

  it("is read from what the model writes where that is asked for, alike however many write", async () => {
    const judge = judgeOf({ asTurns: true, prompt: "Is this right? Work it out, then say yes or no.", read: "written" });
    const { verdicts } = await askJudge(await model(), judge, inputs.slice(0, 8), pause);
    expect(verdicts.every((verdict) => "said" in verdict && /^\d+ (yes|no)$/.test(verdict.said!))).toBe(true);
    const alone = await askJudge(await model(), judge, inputs.slice(3, 4), pause);
    expect(alone.verdicts).toEqual(verdicts.slice(3, 4));
  });

  it("is nothing, with the reason, where the prompt is longer than the model reads; the others have theirs", async () => {
    const long = typedInput({ question: "", answer: "", text: "four ".repeat(3000) });
    for (const read of ["expected", "written"] as const) {
      const { verdicts } = await askJudge(await model(), judgeOf({ read }), [long, inputs[0]!], pause);
      expect(verdicts[0]).toEqual({ reason: expect.stringMatching(/its prompt must have at most \d+ tokens with this model, got \d+/) });
      expect(read === "written" || "value" in verdicts[1]!).toBe(true);
    }
  });
});

describe("the judges of a host", () => {
  it("find a verdict once for each content, whichever judge asks it, and tell what it came to", async () => {
    const judging = judgesOf(host).judging(settings);
    const first = await judging.judge(judgeOf({}), [...inputs.slice(0, 4), inputs[0]!]);
    expect(judging.cost()).toMatchObject({ asked: 5, cached: 1 });
    const { tokens } = judging.cost();
    expect(await judging.judge(judgeOf({ title: "Another title" }), inputs.slice(0, 4))).toEqual(first.slice(0, 4));
    expect(judging.cost()).toMatchObject({ asked: 9, cached: 5, tokens });
    await judging.judge(judgeOf({ prompt: "{text} Yes or no?" }), inputs.slice(0, 1));
    expect(judging.cost()).toMatchObject({ asked: 10, cached: 5 });
  });

  it("say why there is no verdict where a model is not there, and never throw", async () => {
    const judging = judgesOf(host).judging(settings);
    const [verdict] = await judging.judge(judgeOf({ checkpoint: "nobody" }), inputs.slice(0, 1));
    expect(verdict).toEqual({ reason: expect.stringContaining("nobody") });
  });

  it("free a model that nobody holds once another is needed", async () => {
    const own = createNodeHost();
    const room = judgesOf(own);
    const judging = room.judging(settings);
    const first = numbers(await judging.judge(judgeOf({}), inputs.slice(0, 2)));
    await judging.judge(judgeOf({ checkpoint: "base" }), inputs.slice(0, 1));
    // Verdicts outlive the model that gave them.
    expect(numbers(await judging.judge(judgeOf({}), inputs.slice(0, 2)))).toEqual(first);
    expect(judging.cost()).toMatchObject({ asked: 5, cached: 2 });
    room.leave(judging);
  });

  it("stay with a run whose change of judges is refused", async () => {
    let reads = 0;
    const own = createNodeHost();
    const { readAsset } = own;
    const counted = createNodeHost({
      readAsset: (path) => {
        if (path.includes("agents")) reads += 1;
        return readAsset(path);
      },
    });
    const room = judgesOf(counted);
    const judging = room.judging(settings);
    const asked = (judges: Record<string, string>) =>
      runConfigSchema.parse({
        task: "boxed-arithmetic",
        judges: Object.fromEntries(Object.entries(judges).map(([name, checkpoint]) => [name, { ...judgeOf({ checkpoint }) }])),
      });
    await room.hold(judging, asked({ a: "agents" }), settings);
    await expect(room.hold(judging, asked({ b: "base", c: "nobody" }), settings)).rejects.toThrow("nobody");
    const before = reads;
    // To open another model frees those that nobody holds.
    await judging.judge(judgeOf({ checkpoint: "base" }), inputs.slice(0, 1));
    await judging.judge(judgeOf({}), inputs.slice(0, 1));
    expect(reads).toBe(before);
    room.leave(judging);
  });
});
