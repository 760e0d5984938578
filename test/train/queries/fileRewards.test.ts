// Rollouts of another program under other rewards: what the engine scores again, by which rule advantages follow, and what is refused.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandOf } from "../../../src/protocol/commands.ts";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { advantageRules } from "../../../src/rl/otherwise/advantageRules.ts";
import { advantagesBy, withAdvantages } from "../../../src/rl/otherwise/fileRewards.ts";
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
