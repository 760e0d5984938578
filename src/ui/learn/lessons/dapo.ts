// DAPO is four changes. Each can be switched on by itself in the reader's run, beside the same run without.
import { signed } from "../../../protocol/quantities.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { overlongPunishment } from "../../../rl/rewards/combineParts.ts";
import { metricRows, oneDigitRun, type SmallRuns } from "../../experiment/small/smallRun.ts";
import { curves, type PlotMark } from "../figures/FigurePlot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const STEPS = 40;
const GROUPS = 8;
/** Rounds of sampling in one step at most. */
const TRIES = 3;
/** Halfway to a policy that has made up its mind: ten even digits have an entropy of 2.3. */
const SETTLED = 1;
const PLAIN: Values = { higher: 0, tokens: 0, refill: 0 };
const REFILL_PHASE = 1;
const OVERLONG_PHASE = 3;

/** The settings of a run with some of the four switches on. */
function settings({ higher, tokens, refill }: Values) {
  return {
    clipHigh: higher ? 0.28 : 0.2,
    aggregation: tokens ? "token-mean" : "sequence-mean",
    dynamicSampling: refill === 1,
    dynamicSamplingMax: TRIES,
    promptsPerStep: GROUPS,
    groupSize: 4,
    innerEpochs: 4,
    steps: STEPS,
    // Small enough that the upper clip holds tokens back for several steps.
    learningRate: 0.8,
  } as const;
}

type Run = SmallRuns[number] | undefined;

/** What a run shows in each step, and what else tells two runs apart. */
const SHOWN = { right: "success_rate", entropy: "entropy", dead: "frac_reward_zero_std" } as const;
const TOLD = {
  reward: "reward",
  entropy: "entropy",
  gradNorm: "grad_norm",
  held: "clip_ratio/high_mean",
  extra: "sampling/extra_groups",
} as const;

function readRun(run: Run) {
  const rows = metricRows(run, SHOWN);
  const told = metricRows(run, TOLD);
  const settled = rows.findIndex(({ entropy }) => entropy < SETTLED);
  return {
    rows,
    first: rows[0],
    settled: settled < 0 ? `not within ${STEPS} steps` : `in step ${settled + 1}`,
    /** Share of tokens that the upper clip holds, over the first ten steps, in which most is learnt. */
    held: meanOf(told.slice(0, 10).map(({ held }) => held)),
    extra: Math.round(meanOf(told.map(({ extra }) => extra))),
    told: told.flatMap(({ reward, entropy, gradNorm }) => [reward, entropy, gradNorm]),
  };
}

function stateOf({ higher, tokens, refill }: Values, [plainRun, changedRun]: SmallRuns) {
  const plain = readRun(plainRun);
  const changed = readRun(changedRun);
  const isSame = plain.told.length > 0 && plain.told.every((value, i) => Object.is(value, changed.told[i]));
  const switches = [higher ? "clip higher" : "", tokens ? "token mean" : "", refill ? "dynamic sampling" : ""].filter(Boolean);
  return {
    rows: plain.rows.map((row, i) => ({ step: i + 1, plain: row, changed: changed.rows[i] })),
    plain,
    changed,
    plainStep: plain.settled.replace("in step", "step"),
    switches: switches.join(", "),
    clips: higher ? "0.2 below 1, 0.28 above" : "0.2 either way",
    over: tokens ? "tokens" : "answers",
    bits: isSame ? ", to the last bit" : "",
    same: isSame
      ? "Your two runs, with and without the token mean, have the same reward, entropy and gradient norm in all steps, to the last bit."
      : "Your two runs differ in rounding only.",
  };
}
type DapoState = ReturnType<typeof stateOf>;

/** One curve of both runs. */
function pair({ rows, switches }: DapoState, column: "right" | "entropy" | "dead", name: string, top = 1): PlotMark {
  const changed = switches !== "" && ([`with ${switches}`, `changed.${column}`, "main"] as const);
  return curves(rows, STEPS, [0, top, name], [["GRPO", `plain.${column}`, "faint"], changed]);
}

const LIMIT = 16;
const BUFFER = 4;
const OVERLONG: PlotMark = {
  kind: "plot",
  title: "Overlong shaping",
  x: [8, 20, "tokens of the answer"],
  y: [-1, 0, "added to its reward"],
  lines: [
    { name: "R length", look: "main", points: Array.from({ length: 13 }, (_, i) => [8 + i, overlongPunishment(8 + i, LIMIT, BUFFER)]) },
  ],
};

const toggle = (id: string, label: string) => choiceControl(id, label, ["off", "on"]);
const SAME = "Where all answers have the same length, the mean over tokens is the mean over answers of the mean over their tokens. {same}";
const PUNISHED = [12, 13, 14, 15, 16].map((length) => `${overlongPunishment(length, LIMIT, BUFFER)} at ${length} tokens`).join(", ");

export const dapo = defineLesson({
  id: "dapo",
  title: "Four changes under one name",
  question: "DAPO is GRPO without a KL and with four changes. Which of them does a given run feel, and how?",
  minutes: 7,
  intro: `
    The run of one digit again: 6 is right, all else wrong. Groups are small, four answers, so many have no [[spread]]. Each step samples ${GROUPS} groups and takes four inner epochs over them. The four changes:

    1. **Clip higher**: the upper clip range is 0.28 instead of 0.2.
    2. **Token mean**: the loss is the mean over all tokens, not over answers of the mean over their tokens.
    3. **Dynamic sampling**: groups with equal rewards are thrown away, and groups of further prompts sampled in their place.
    4. **Overlong shaping**: the reward falls softly over the last tokens before the length limit.`,
  controls: [toggle("higher", "Clip higher"), toggle("tokens", "Token mean"), toggle("refill", "Dynamic sampling")],
  runs: (values) => [
    { config: oneDigitRun(settings(PLAIN)), inspect: [] },
    { config: oneDigitRun(settings(values)), inspect: [] },
  ],
  state: stateOf,
  figureTitle: "One seed, with and without the switches",
  figureHelp: "Two runs from one seed over their steps: plain GRPO, and the same with what is switched on.",
  figure: (state, { phase }) => {
    if (phase < 0) return [`Two runs of ${STEPS} steps from the same seed will be drawn here.`];
    if (phase === OVERLONG_PHASE) return [OVERLONG];
    const right = pair(state, "right", "right answers, of the groups kept");
    const entropy = pair(state, "entropy", "entropy", 2.4);
    const dead = pair(state, "dead", "dead groups");
    // What a phase is about stands first: on a phone only the upper two are in sight.
    return phase === REFILL_PHASE ? [dead, entropy, right] : [right, entropy, dead];
  },
  columns: {
    step: "step",
    "right, GRPO": "plain.right",
    "right, switched": "changed.right",
    "entropy, GRPO": "plain.entropy",
    "entropy, switched": "changed.entropy",
    "dead, GRPO": "plain.dead",
    "dead, switched": "changed.dead",
  },
  prediction: {
    question: `
      Every answer of this run has exactly one token. One of these three switches cannot change anything in it, not in the last bit. Which?
      - [ ] Clip higher
        With four inner epochs and this learning rate, ratios do pass 1.2, so a wider clip lets more through. It is the token mean: ${SAME}
      - [x] Token mean
        ${SAME}
      - [ ] Dynamic sampling
        Groups of four are often all wrong here, so refilling them changes what is learnt from at once. It is the token mean: ${SAME}`,
    set: { tokens: 1 },
  },
  phases: [
    {
      title: "Token mean: nothing here",
      set: { higher: 0, tokens: 1, refill: 0 },
      loop: {
        at: ["const weight"],
        note: "The token mean divides by the tokens of all answers; where each has one token that is the same number.",
      },
      text: "The two curves are the same{bits}. The token mean matters where answers differ in length, as in the lesson on divisions. The fourth change, a reward for staying short, needs such answers, too.",
    },
    {
      title: "Dynamic sampling",
      set: { higher: 0, tokens: 0, refill: 1 },
      loop: {
        at: ["const groups_P =", "if (Math.max("],
        note: "Dynamic sampling throws such a group away and draws again, before anything is compared.",
      },
      text: `
        The trainer samples up to ${TRIES} rounds, the first included, and then keeps groups that are still dead. In the first step {plain.first.dead:%} of the groups had equal rewards; refilled, {changed.first.dead:%}. It is not free: {changed.extra} more groups were sampled per step, on average, than the ${GROUPS} that count.

        The curve of right answers counts only groups that were kept, so it cannot tell which run learns faster: in step 1 the policies are the same, and it says {changed.first.right:%} and {plain.first.right:%}. The [[entropy]] is the policy's own, and falls as the policy settles on the 6: below ${SETTLED} {changed.settled}, without the switch {plain.settled}.`,
    },
    {
      title: "Clip higher",
      set: { higher: 1, tokens: 0, refill: 0 },
      loop: {
        at: ["const clipped", "const isHeld"],
        note: "DAPO has one ε for the lower end of the clip and a larger one for the upper.",
      },
      formula: {
        tex: String.raw`\operatorname{clip}\bigl(\rho,\; 1 - \varepsilon_{\text{low}},\; 1 + \varepsilon_{\text{high}}\bigr), \qquad \varepsilon_{\text{low}} = 0.2,\ \varepsilon_{\text{high}} = 0.28`,
        spoken: "Clip rho to between one minus epsilon low and one plus epsilon high, 0.2 and 0.28",
      },
      text: `A token of probability 0.01 may rise to 0.012 before a clip of 0.2 holds it; one of 0.9 is never held, since it can only reach 1. So the upper clip keeps rare tokens rare, also those that turn out to be right, as the 6 here at first. In the first ten steps of your run it held {plain.held:%} of the tokens, at 0.28 only {changed.held:%}, and the entropy falls below ${SETTLED} {changed.settled} instead of {plainStep}. In long texts many tokens are rare and good. There the DAPO paper finds that the entropy stays higher with it.`,
    },
    {
      title: "Overlong shaping",
      set: { higher: 0, tokens: 0, refill: 0 },
      loop: { at: ["const judged_P_G"], note: "The punishment is added to what scoreGroups gives." },
      formula: {
        tex: String.raw`\begin{aligned} u &= |y| - (L_{\max} - L_{\text{cache}}) \\ R_{\text{length}} &= -\min\bigl(1,\; \max(0, u) / L_{\text{cache}}\bigr) \end{aligned}`,
        spoken:
          "u is the length of y minus the difference of L max and L cache. The length reward is minus the smaller of one and the larger of zero and u, over L cache",
      },
      text: `The fourth change is a reward for the length |y| of an answer. L_{max} is the limit, here 16 tokens, and L_{cache} a buffer before it, here 4. The trainer's function gives ${signed(PUNISHED)}. An answer that comes near the limit loses a little more with each token, before it is cut off there.`,
    },
  ],
  play: "Switch them on one by one, then all three. Which curve moves most, and with which switch is the entropy gone earliest? Here a single answer is right, so the entropy may go. Where several answers are right, that can be too early.",
  transfer: `
    You train on short arithmetic answers of about equal length, one inner epoch per batch, and most prompts are either always or never solved. Which part of DAPO is worth trying first?
    - [ ] Clip higher.
      With one inner epoch per batch every ratio is 1: nothing is ever clipped.
    - [ ] Token mean.
      With answers of equal length it is the same as GRPO's mean.
    - [x] Dynamic sampling.
      Dead groups are the problem described. With one inner epoch all ratios are 1, so no clip acts, and equal lengths make the token mean idle.`,
  sources: [
    "[Yu et al. 2025, DAPO, sections 3.1 to 3.4 and equation 13](https://arxiv.org/abs/2503.14476)",
    "The lesson on what the divisions favour shows the token mean at work",
  ],
  inLoop: {
    clip: "{clips}",
    weight: "1/32 at each of 32 tokens, as a mean over {over}",
    rewards_G: "all equal in {changed.first.dead:%} of the groups of step 1; {plain.first.dead:%} under GRPO",
    rewards: "nothing is overlong here",
  },
});
