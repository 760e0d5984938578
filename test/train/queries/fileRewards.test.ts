// Rollouts of another program under other rewards: what the engine scores again, by which rule advantages follow, and what is refused.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandOf } from "../../../src/protocol/commands.ts";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { advantageRules } from "../../../src/rl/otherwise/advantageRules.ts";
import { advantagesBy, withAdvantages } from "../../../src/rl/otherwise/fileRewards.ts";
import { withoutVerdict } from "../../../src/ui/step/otherwise/rewards/otherRewards.ts";
import { driveSession } from "../../support/driveSession.ts";
import { lines, SAMPLES } from "../../support/traceFiles.ts";

const bytesOf = (step: number) => new Uint8Array(readFileSync(join(SAMPLES, `trl/completions_0000${step}.parquet`)));
const trl = [1, 2, 3].map((step) => ({ path: `completions_0000${step}.parquet`, parts: new Blob([bytesOf(step)]) }));
const groupRule = advantageRules.find(({ id }) => id === "group-std")!;

async function opened(files: { path: string; parts: Blob }[]) {
  const session = await driveSession();
  await session.send({ type: "open", traces: { files, choice: {} }, paused: true });
  return session;
}

type Settings = NonNullable<CommandOf<"otherwise">["settings"]>;
/** Code as a configuration has it. */
const code = (name: string, source: string) => runConfigSchema.parse({ customRewards: { [name]: { source } } }).customRewards;

/** Chats of one prompt with a reward each; the second answer has the right one in it. */
const chats = (more: Readonly<Record<string, unknown>> = {}) => [
  {
    path: "chats.jsonl",
    parts: new Blob([
      lines(
        ["It is 4.", "It is 5.", "I do not know"].map((completion, i) => ({
          prompt: "What is 2 + 3?",
          completion,
          reward: [1, 0, 0][i],
          ...more,
        })),
      ),
    ]),
  },
];

describe("rollouts of another program under other rewards", () => {
  it("earn what they did, with the same advantages, where nothing is changed", async () => {
    const session = await opened(trl);
    const { groups } = await session.send({ type: "inspect", step: 2 });
    const again = await session.send({ type: "otherwise", step: 2, settings: {} });
    const members = (of: typeof groups) => of.flatMap(({ trajectories }) => trajectories);
    expect(members(again.groups).map(({ reward }) => reward)).toEqual(members(groups).map(({ reward }) => reward));
    // Nobody said an algorithm, so none is taken.
    expect(members(again.groups).every(({ advantage }) => advantage === null)).toBe(true);
    const made = members(withAdvantages(again.groups, groupRule, false)).map(({ advantage }) => advantage);
    for (const [i, { advantage }] of members(groups).entries()) expect(made[i]).toBeCloseTo(advantage!, 4);
  });

  it("earn what a rule of the library and code in the sandbox give, beside the parts in the files", async () => {
    const session = await opened(chats({ answer: "5" }));
    const source = "export const reward = ({ text }) => (text.includes('know') ? -1 : 0);";
    await session.send({ type: "allow-code", sources: [source] });
    const settings = {
      rewardRules: { numericMatch: {} },
      rewardWeights: { reward: 0.5, numericMatch: 2 },
      customRewards: code("modest", source),
    };
    const { groups } = await session.send({ type: "otherwise", step: 0, settings });
    const [group] = withAdvantages(groups, groupRule, false);
    expect(group!.trajectories.map(({ reward }) => reward)).toEqual([0.5, 2, -1]);
    expect(group!.trajectories.map(({ rewardParts }) => rewardParts.map(({ name, value }) => [name, value]))).toEqual([
      [
        ["reward", 1],
        ["numericMatch", 0],
        ["modest", 0],
      ],
      [
        ["reward", 0],
        ["numericMatch", 1],
        ["modest", 0],
      ],
      [
        ["reward", 0],
        ["numericMatch", 0],
        ["modest", -1],
      ],
    ]);
    const deviation = Math.sqrt((0 + 1.5 ** 2 + 1.5 ** 2) / 2);
    expect(group!.trajectories.map(({ advantage }) => advantage)).toEqual(
      [0, 1.5, -1.5].map((each) => expect.closeTo(each / (deviation + 1e-4), 12)),
    );
  });

  it("earn what a judge says of the same words typed, of conversations with tools too, and what its model has no room for stays unscored", async () => {
    const call = { function: { name: "add", arguments: { a: 2, b: 3 } } };
    const turns = [
      { role: "system", content: "Add." },
      { role: "user", content: "What is 2 + 3?" },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: "5" },
      { role: "assistant", content: "It is 5." },
    ];
    const others = ["It is 4.", "", "so ".repeat(3000)].map((content) => [turns[1], { role: "assistant", content }]);
    const parts = new Blob([lines([...others, turns].map((messages) => ({ messages, reward: 0, group: 1 })))]);
    const session = await opened([{ path: "chats.jsonl", parts }]);
    const prompt = "Is this right? {text} Say yes or no.";
    const { judges } = runConfigSchema.parse({ judges: { checker: { checkpoint: "agents", prompt, scale: { yes: 1, no: 0 } } } });
    const { groups } = await session.send({ type: "otherwise", step: 0, settings: { judges, rewardWeights: { reward: 0 } } });
    const [said, empty, long, withTools] = groups[0]!.trajectories;
    const answers = ["It is 4.", "", "It is 5."].map((text) => ({ question: "What is 2 + 3?", answer: "", text }));
    const { verdicts } = await session.send({ type: "try-judge", config: { judges }, name: "checker", answers });
    expect([said, empty, withTools].map((each) => each!.reward)).toEqual(verdicts.map(({ value }) => value));
    expect(new Set(verdicts.map(({ value }) => value)).size).toBe(3);
    expect(said!.rewardParts.find(({ name }) => name === "checker")!.judged).toMatchObject({
      odds: { yes: expect.closeTo(said!.reward!) },
    });
    expect(long!.reward).toBeNull();
    expect(long!.rewardParts.find(({ name }) => name === "checker")!.reason).toMatch(/must have at most \d+ tokens with this model/);

    // Whole conversations, and answers that are written.
    const written = runConfigSchema.parse({
      judges: { checker: { checkpoint: "agents", asTurns: true, read: "written", prompt: "Say yes or no.", scale: { yes: 1, no: 0 } } },
    });
    const again = await session.send({ type: "otherwise", step: 0, settings: { judges: written.judges, rewardWeights: { reward: 0 } } });
    for (const { rewardParts, reward } of again.groups[0]!.trajectories.toSpliced(2, 1)) {
      const { value, reason, judged } = rewardParts.find(({ name }) => name === "checker")!;
      expect(reward).toBe(value);
      expect(value === null ? reason : judged!.said).toMatch(value === null ? /^wrote / : value === 1 ? /yes$/ : /no$/);
    }
  });

  it("have no verdict but the reason where a judge's model is not here, and keep what their other parts give", async () => {
    const session = await opened(chats());
    const { judges } = runConfigSchema.parse({
      judges: { polite: { checkpoint: "no-such-model", prompt: "Polite? {text}", scale: { yes: 1, no: 0 } } },
    });
    const { groups } = await session.send({ type: "otherwise", step: 0, settings: { judges } });
    expect(groups[0]!.trajectories.map(({ reward }) => reward)).toEqual([1, 0, 0]);
    expect(withoutVerdict(groups)).toEqual([{ name: "polite", reason: expect.stringContaining("no-such-model"), count: 3 }]);
  });

  it("are refused where a verdict needs what no file holds, with the reason", async () => {
    const session = await opened(chats());
    const asked = (settings: Settings) => session.send({ type: "otherwise", step: 0, settings });
    await expect(asked({ rewardRules: { numericMatch: {} } })).rejects.toThrow("no column of the files was taken for one");
    await expect(asked({ rewardRules: { ending: {} } })).rejects.toThrow("it asks why an answer ended, which the files do not say");
    await expect(asked({ rewardRules: { toolLoop: {} } })).rejects.toThrow("it asks what the environment knew");
    const { judges } = runConfigSchema.parse({ judges: { polite: { prompt: "Is this polite? {text}", scale: { yes: 1, no: 0 } } } });
    await expect(asked({ judges })).rejects.toThrow("judges.polite.checkpoint must name a model");
    await expect(session.send({ type: "otherwise", step: 0, algorithm: "grpo" })).rejects.toThrow("made elsewhere");
  });

  it("say what had to be taken for granted", async () => {
    const session = await opened(chats());
    const source = "export const reward = ({ stopReason }) => (stopReason === 'completed' ? 1 : 0);";
    await session.send({ type: "allow-code", sources: [source] });
    const settings = { customRewards: code("mine", source), rewardRules: { lengthTarget: {} } };
    expect((await session.send({ type: "otherwise", step: 0, settings })).assumptions).toEqual([
      "Where no file says why an answer ended, code is told that it ended by itself.",
      "Lengths are counted in words, since the files hold no tokens.",
    ]);
  });
});

it("what could not be judged has no advantage and counts in no statistic, alone in its group too", () => {
  const distance = advantageRules.find(({ id }) => id === "distance")!;
  expect(advantagesBy(distance, [[1, null, 3], [null], [2]])).toEqual([[-1, null, 1], [null], [0]]);
});
