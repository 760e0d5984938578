// Advantages that other programs recorded, made again from the rewards beside them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { describe, expect, it } from "vitest";
import { checkAdvantages, type RecordedAnswer } from "../../src/rl/otherwise/advantageCheck.ts";
import { advantageRules, exactly } from "../../src/rl/otherwise/advantageRules.ts";
import { fittedWeights } from "../../src/rl/otherwise/fittedWeights.ts";
import { Random } from "../../src/rl/random.ts";

const folder = join(import.meta.dirname, "../reference/traces/trl");

async function trlStep(step: number): Promise<readonly (readonly RecordedAnswer[])[]> {
  const bytes = readFileSync(join(folder, `completions_0000${step}.parquet`));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const rows = (await parquetReadObjects({ file, compressors })) as Readonly<Record<string, number | null>>[];
  const answers = rows.map(({ right = null, short = null, advantage = null }) => ({ parts: [right, short], reward: null, advantage }));
  return Array.from({ length: answers.length / 4 }, (_, p) => answers.slice(4 * p, 4 * p + 4));
}

const rule = (id: string) => advantageRules.find((each) => each.id === id)!;

/** A step with made-up parts, whose advantages are a rule's under weights. */
function madeStep(weights: readonly number[], id: string, seed: number): readonly (readonly RecordedAnswer[])[] {
  const random = new Random(seed);
  const parts_P_G = Array.from({ length: 6 }, () =>
    Array.from({ length: 4 }, () => weights.map((_, i) => (i === 0 ? Math.round(random.uniform()) : random.uniform()))),
  );
  const totals = parts_P_G.map((group) => group.map((parts) => parts.reduce((sum, value, i) => sum + value * weights[i]!, 0)));
  const advantages = rule(id).advantages(totals, exactly);
  return parts_P_G.map((group, p) => group.map((parts, g) => ({ parts, reward: null, advantage: advantages[p]![g]! })));
}

describe("advantages that TRL recorded", () => {
  it.each([1, 2, 3])("come out of its own rewards in step %i, each to a millionth", async (step) => {
    const check = checkAdvantages(await trlStep(step), [null, null])!;
    expect(check).toMatchObject({ differ: 0, from: "ones", weights: [1, 1], rule: { id: "group-std" } });
    expect(check.answers).toHaveLength(16);
    expect(check.largest).toBeLessThan(1e-6);
  });

  it("do not come out of weights that somebody only believed", async () => {
    const check = checkAdvantages(await trlStep(1), [1, 0.5])!;
    expect(check).toMatchObject({ differ: 0, from: "ones" });
  });

  it("name the row that was changed, with a reason", async () => {
    const step = (await trlStep(3)).map((group, p) => group.map((each, g) => (p === 3 && g === 1 ? { ...each, advantage: 0.5 } : each)));
    const check = checkAdvantages(step, [1, 1])!;
    const differing = check.answers.filter(({ why }) => why !== null);
    expect(differing).toMatchObject([{ promptIndex: 3, trajectoryIndex: 1, recorded: 0.5 }]);
    expect(differing[0]!.why).toMatch(/could not be judged in full/);
  });

  it("tell a group of which a row is missing", async () => {
    const step = (await trlStep(2)).map((group, p) => (p === 1 ? group.slice(1) : group));
    const check = checkAdvantages(step, [1, 1])!;
    expect(check.answers.filter(({ why }) => why !== null).every(({ promptIndex }) => promptIndex === 1)).toBe(true);
    expect(check.answers.find(({ why }) => why !== null)!.why).toBe(
      "its group has 3 answers here, where others have 4: the rest is not in the files",
    );
  });
});

describe("rules of advantages", () => {
  it.each(advantageRules.map(({ id }) => id))("are found again where weights are not 1 each: %s", (id) => {
    const check = checkAdvantages(madeStep([1, -0.25], id, 7), [null, null])!;
    expect(check).toMatchObject({ differ: 0, from: "fitted", weights: [1, -0.25], rule: { id } });
  });

  it.each(["distance", "distance-to-others"])("are found with the size of the weights where they keep it: %s", (id) => {
    expect(checkAdvantages(madeStep([2, 0.5], id, 3), [null, null])).toMatchObject({ differ: 0, weights: [2, 0.5] });
  });

  it("are the trainer's own where both have them", async () => {
    const { groupMean } = await import("../../src/rl/baselines/groupMean.ts");
    const { leaveOneOut } = await import("../../src/rl/baselines/leaveOneOut.ts");
    const rewards = [0.3, 1, -0.2, 0.25];
    for (const [id, baseline] of [
      ["distance", groupMean],
      ["distance-to-others", leaveOneOut],
    ] as const) {
      const [made] = rule(id).advantages([rewards], exactly);
      for (const [i, value] of baseline.centre(rewards).entries()) expect(made![i]).toBeCloseTo(value, 14);
    }
  });

  it("are found where single precision summed close rewards in another order", () => {
    const rewards = [-0.11, -0.11, -0.1, -0.11, -0.1, -0.11, -0.1, -0.11].map(Math.fround);
    const [backwards] = rule("group-std").advantages([[...rewards].reverse()], Math.fround);
    const group = rewards.map((reward, g) => ({ parts: [], reward, advantage: backwards![rewards.length - 1 - g]! }));
    expect(checkAdvantages([group], [])).toMatchObject({ differ: 0, rule: { id: "group-std" } });
  });

  it("count groups that teach nothing", () => {
    const group = (rewards: readonly number[]) => rewards.map((reward) => ({ parts: [], reward, advantage: 0 }));
    expect(checkAdvantages([group([1, 1]), group([0, 0])], [])).toMatchObject({ tied: 2, differ: 0, from: "totals" });
  });

  it("say nothing of a step without advantages", () => {
    expect(checkAdvantages([[{ parts: [1], reward: 1, advantage: null }]], [1])).toBeNull();
  });
});

describe("fitted weights", () => {
  it("are none where a part never varies apart from another", () => {
    const groups = [0, 1, 2].map((shift) => ({
      parts_G: [0, 1, 2, 4].map((value) => [value + shift, 2 * (value + shift)]),
      advantages_G: [-1.75, -0.75, 0.25, 2.25],
    }));
    expect(fittedWeights(groups, 2)).toBeNull();
  });
});
