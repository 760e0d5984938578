// Logs of public threads, and the cause that each ended with: it is to be named first, and where the lines cannot tell, that is said.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgeLog } from "../../../src/rl/logs/judgeLog.ts";
import { readLogText } from "../../../src/rl/logs/readLog.ts";

const readingOf = (file: string) => judgeLog(readLogText(readFileSync(`test/reference/logs/${file}.txt`, "utf8")));

describe("the log of a public thread", () => {
  it.each([
    ["trl-3452", "loss-zero-gradient-not", "the loss is printed as 0 and the gradient norm is 0.102 on average"],
    ["open-r1-239", "loss-starts-at-zero", "it is 0.039 times the KL"],
    ["unsloth-2291", "loss-starts-at-zero", "as the KL goes from"],
    ["open-r1-704", "kl-missing", "the KL is nan in 4 of 4 steps"],
    ["tinylora-4", "clip-ratio-zero", "the share of clipped tokens is 0"],
    ["autocontext-1067", "all-cut-off", "all of the answers ended at the limit of 256 tokens; the mean reward is 0"],
    ["trl-5697", "all-cut-off", "In all 3 steps of the log all of the answers ended at the limit of 256 tokens"],
    ["trl-3857", "equal-within-groups", "“if_rewrite_reward” by 5.080 on average. One part alone cannot cancel"],
    ["open-r1-255", "part-for-part", "“format_reward” went from 0.476 to 0.857, while “accuracy_reward” fell from 0.160 to 0.064"],
    ["verl-721", "not-a-number", "grad_norm and kl are nan from step 59 on"],
    ["agent-r1-30", "not-a-number", "The reward of step 83 is −1."],
    ["tinker-feedback-22", "sampler-apart", "0.075 on average, 0.100 at last"],
    ["train-deepseek-r1-4", "part-constant", "“accuracy_reward” is 0.500"],
    ["unsloth-3485", "all-equal", "the mean reward is 4"],
    ["ms-swift-5571", "no-gradient", "the rewards spread by 0.440 and the gradient norm is 0"],
    ["ms-swift-4465", "averages-of-nothing", "KL and clip ratio are nan while the loss is a number"],
    ["coursia-13596", "all-cut-off", "all of the answers ended at the limit of 80 tokens; the log has no reward"],
    ["prorl-40", "gradient-out-of-scale", "2.955e9 at most, beside losses of 0.145"],
    ["awesome-ml-sys-106", "no-advantage", "though rewards go from 0 to 1"],
    ["slime-1837", "cut-short", "46 % of the answers"],
    ["skyrl-1864", "reference-apart", "At step 1 the KL is 0.626"],
    ["lightrft-53", "policy-lost", "from 0.290 to 65.100 nats a token"],
    ["video-r1-86", "nothing-earned", "the mean reward is 0"],
    ["rl-swarm-22", "loss-zero-gradient-not", "in all 3 steps"],
    ["rlinf-682", "nothing-earned", "the mean reward is 0"],
    ["areal-110", "no-advantage", "the largest and the smallest advantage are 0"],
    ["rllm-54", "nothing-earned", "In all 2 steps of the log the mean reward is 0"],
    ["ui-r1-20", "clip-ratio-zero", "the share of clipped tokens is 0"],
    ["mlx-examples-1233", "nothing-earned", "In all 3 steps of the log the mean reward is 0 and its spread 0"],
    ["ms-swift-5890", "no-gradient", "the rewards spread by 0.148 and the gradient norm is 0"],
    ["coursia-11304", "all-cut-off", "the mean reward is 0.050"],
  ])("%s has %s named first", (file, id, evidence) => {
    const { named } = readingOf(file);
    expect(named.map((each) => each.id)[0], named.map((each) => `${each.id}: ${each.evidence}`).join("\n")).toBe(id);
    expect(named[0]?.evidence).toContain(evidence);
  });

  const QUIET = [
    "verl-1458",
    "vlm-r1-44",
    "trl-4772",
    "trl-5814",
    "hongbomiao-37684",
    "tinker-cookbook-180",
    "entropy-mechanism-21",
    "memgen-33",
  ];
  it.each(QUIET)("%s has no cause named: it is sound, or says too little", (file) => {
    const { evidence, named } = readingOf(file);
    expect(evidence.log.rows.length).toBeGreaterThan(0);
    expect(named.filter(({ kind }) => kind === "fault").map((each) => `${each.id}: ${each.evidence}`)).toEqual([]);
  });

  it.each(["dict", "verl", "prime", "table", "rlhf"])(
    "of a run that learns, written as others write it (%s), has no fault named",
    (form) => {
      const { verdict, named } = readingOf(`sound-${form}`);
      expect(named.filter(({ kind }) => kind === "fault").map((each) => `${each.id}: ${each.evidence}`)).toEqual([]);
      expect(verdict?.verdict).toBe("improving");
    },
  );

  it("that shows its numbers as pictures has none to read", () => {
    expect(readingOf("agent-r1-32").evidence.log.rows).toEqual([]);
  });

  it("that lacks the number it asks about has no cause named, and is told which number would decide", () => {
    const { named, undecided } = readingOf("verl-7412");
    expect(named).toEqual([]);
    expect(undecided.find(({ id }) => id === "cut-off")?.missing).toContain("response_length/clip_ratio");
  });

  it("of an older program, which counts no answers that were cut off, has them told by lengths that rest at a limit", () => {
    const log = (lengths: readonly number[], std: number) =>
      judgeLog(readLogText(lengths.map((length) => `{'reward': 0.1, 'reward_std': ${std}, 'completion_length': ${length}}`).join("\n")));
    expect(log([200, 200, 199.5, 200], 0).named[0]?.evidence).toContain("In all 4 steps of the log the mean length is 200 tokens");
    expect(log([1024], 0).named[0]?.id).toBe("all-cut-off");
    for (const sound of [log([200, 200, 199.5, 200], 0.2), log([180.5, 200, 150.25, 190], 0), log([201], 0)])
      expect(sound.named.map(({ id }) => id)).not.toContain("all-cut-off");
  });
});
