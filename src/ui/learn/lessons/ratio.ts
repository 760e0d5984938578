// The ratio and its clip. The curve is the trainer's objective; the dots are the tokens of a step of the
// reader's run, at the ratios they had in its last pass.
import { measureText } from "../../../protocol/quantities.ts";
import { PLAIN, PLAIN_TABLE, type SmallRuns, tableAddress } from "../../experiment/small/smallRun.ts";
import { clipPanel, clippedTokens } from "../figures/clipPanel.ts";
import { defineLesson } from "../lesson/lesson.tsx";
import type { Values } from "../lesson/parts.ts";

const STEP = 3;

function stateOf({ clip }: Values, [run]: SmallRuns) {
  const channels = (run?.steps[0]?.groups ?? []).flatMap(({ trajectories }) => trajectories.map(({ channels }) => channels));
  const ratios = channels.flatMap(({ trainLogprobs, oldLogprobs }) =>
    (trainLogprobs ?? []).map((logprob, t) => Math.exp(logprob - (oldLogprobs?.[t] ?? Number.NaN))),
  );
  const advantages = channels.flatMap(({ advantages }) => advantages ?? []);
  const tokens = clippedTokens(ratios, advantages, clip!);
  const held = tokens.filter(({ isHeld }) => isHeld).length;
  const { loss = Number.NaN, grad_norm: gradNorm = Number.NaN } = run?.records.find(({ step }) => step === STEP)?.metrics ?? {};
  const all = { least: Math.min(...ratios), most: Math.max(...ratios) };
  return {
    rows: tokens.map(({ isHeld, ...token }) => ({ ...token, clipped: isHeld ? "yes" : "no" })),
    tokens,
    count: tokens.length,
    held,
    heldShare: held / tokens.length,
    // Rounding leaves 1e-17 of what is 0 by the sum.
    loss: Math.abs(loss) < 1e-9 ? 0 : loss,
    gradNorm,
    ratios: all,
    clippedRatios: { least: Math.max(1 - clip!, all.least), most: Math.min(1 + clip!, all.most) },
  };
}

const settingsOf = ({ clip, passes, rate }: Values) => ({
  ...PLAIN,
  innerEpochs: passes!,
  clipLow: clip!,
  clipHigh: clip!,
  learningRate: rate!,
});

const NUMBERS = `In step ${STEP}, the last of your short run: {held} of {count} tokens clipped, loss {loss}, gradient norm {gradNorm}.`;

export const ratio = defineLesson({
  id: "ratio",
  title: "The ratio and its clip",
  question:
    "Sampling takes most of the time, so the same answers are used for several updates. How far may the policy move before those answers no longer show what it would say?",
  minutes: 7,
  intro: `
    A small run of a table policy, ten logits for each of four places: groups of 24 answers of four digits, which earn the more the nearer their sum is to 18. Each group is used for some number of inner epochs, one optimizer step each, at a learning rate of 4.

    The [[ratio]] ρ of a token is its probability now over that when it was sampled. What a token adds to the **objective** is ρ times its advantage A, until ρ has left the range 1 − ε to 1 + ε on the side that A pushes it to. From there on it is held constant, and the token is called **clipped**; ε is the clip range. The loss is minus the mean of the objective over the tokens. The figure draws the objective over ρ, for answers that were better than their group and for those that were worse.`,
  controls: [
    { id: "passes", label: "Inner epochs μ", min: 1, max: 16, step: 1, initial: 1, show: String },
    { id: "clip", label: "Clip ε", min: 0.05, max: 0.5, step: 0.05, initial: 0.2, show: measureText },
    { id: "rate", label: "Learning rate", min: 0.5, max: 8, step: 0.5, initial: 4, show: measureText },
  ],
  playFrom: { passes: 1 },
  runs: (values) => [{ config: { ...PLAIN_TABLE, ...settingsOf(values), steps: STEP }, inspect: [STEP] }],
  state: stateOf,
  figureTitle: "The clipped objective, with the tokens of your run",
  figureHelp:
    "What a token adds to the objective, over its ratio: above for answers better than their group, below for worse ones. Dots are tokens of your run.",
  figure: ({ tokens }, { phase, values: { clip } }) => [1, -1].map((sign) => clipPanel(clip!, sign, phase < 0 ? null : tokens)),
  columns: { ratio: "ratio", advantage: "advantage:+", objective: "value", clipped: "clipped" },
  prediction: {
    question: `
      With a single inner epoch (μ = 1) and a clip range of 0.2: how many of the 96 tokens of a step end up clipped, and what is the value of the loss?
      - [ ] About one in five is clipped; the loss is well below 0.
        In the first inner epoch the policy that is trained is the one that sampled, so every ratio is exactly 1, and 1 is within any clip range. A clip fraction of 0 is no bug here. ${NUMBERS}
      - [ ] None is clipped and the loss is 0, so nothing is learnt.
        A loss of 0 says nothing about its slope. With every ratio at 1 the loss is minus the mean advantage, and advantages of a group add up to 0. Its derivative by each token's log-probability is minus that token's own advantage, over the number of tokens. ${NUMBERS}
      - [x] None is clipped and the loss is 0, and still the policy learns.
        ${NUMBERS}`,
  },
  phases: [
    {
      title: "One inner epoch",
      loop: { at: ["const w =", "policy += weight", "gradNorm +="] },
      text: "The gradient is taken before the step that it makes. In the first inner epoch the policy is therefore still the one that sampled: all {count} tokens sit at ρ = 1, their dots on top of each other. The loss is **{loss}** and the gradient norm **{gradNorm}**: the heights there cancel, and the slopes train.",
    },
    {
      title: "Eight inner epochs",
      set: { passes: 8 },
      loop: { at: ["for (let epoch", "const w =", "const clipped"] },
      formula: {
        tex: String.raw`\sym{rho}{\rho_t} = \frac{\pi_\theta(o_t)}{\pi_{\text{old}}(o_t)}, \qquad \min\bigl(\sym{rho}{\rho_t} \hat A,\; \operatorname{clip}(\sym{rho}{\rho_t},\, 1 - \sym{eps}{\varepsilon},\, 1 + \sym{eps}{\varepsilon})\, \hat A\bigr)`,
        spoken:
          "Rho is the token's probability now over the old one. The objective is the smaller of rho times A, and rho clipped to between one minus epsilon and one plus epsilon, times A",
        symbols: { rho: "ratio of the token's probabilities", eps: "clip range epsilon, {clip}" },
      },
      text: `
        o_{t} is the token, π_{old} the policy that sampled it, π_{θ} the one that is trained. At ρ = 1 the slope of ρ · A is A · ∂ log π, the push of the first lessons. Later the trained policy would draw other answers than these. So each token counts by how much likelier it is now. That makes up for it, but only near 1: far from 1 a few tokens count for nearly everything, and nobody knows how good the answers are that the policy would give now.

        Your run again with eight inner epochs over each group. In the last one the ratios reach from {ratios.least} to {ratios.most}, and **{held}** of {count} tokens ({heldShare:%}) lie further than ε = {clip@eps} from 1, on the side they are pushed to. These are drawn hollow: their push has ended.`,
    },
    {
      title: "What the clip does",
      loop: { at: ["const isHeld", "const push"] },
      text: `
        Where the curve is flat its slope is 0: a token that has already risen by a fifth gets no further push up, and one that has fallen by a fifth none further down. Nothing pulls it back, and other tokens that share its weights may carry it on. The clip takes away an incentive; it does not bound the ratio.

        Look at the lower panel: for A < 0 only the left end is flat. A bad token that has become *likelier* is pushed down with full force.`,
    },
  ],
  play: "Raise the inner epochs from 1 one by one: in which panel is a token clipped first? Then raise the learning rate, and make ε small: does a smaller ε keep ratios within it?",
  transfer: `
    A token of a bad answer (A = −1) has become one and a half times as likely as when it was sampled: ρ = 1.5, with ε = 0.2. What does the clipped objective do with it?
    - [ ] Nothing: 1.5 lies outside 0.8 to 1.2, so it is clipped.
      Outside the range is not enough. The smaller of −1.5 and −1.2 is the unclipped −1.5, and that has a slope.
    - [x] It pushes it down with full force: min() takes the unclipped side.
      min(1.5 · (−1), 1.2 · (−1)) = −1.5 is the unclipped term, so its slope counts. The clip only stops a push that has already done its work.
    - [ ] It pulls the ratio back to 1.2.
      No term of the objective pulls towards the edge. It is pushed down because its answer was bad.`,
  sources: [
    "[Schulman et al. 2017, Proximal Policy Optimization Algorithms, equation 7](https://arxiv.org/abs/1707.06347)",
    "[Shao et al. 2024, DeepSeekMath, equation 3](https://arxiv.org/abs/2402.03300)",
    '["Loss is 0 at first", a frequent question: huggingface/open-r1 issue 239](https://github.com/huggingface/open-r1/issues/239)',
  ],
  inLoop: {
    epoch: "{passes} in all, μ",
    clip: "{clip}",
    w: "{ratios.least} to {ratios.most} in the last inner epoch",
    clipped: "{clippedRatios.least} to {clippedRatios.most}",
    policy: "loss {loss}",
    isHeld: "true for {held} of {count} tokens",
    push: "0 for {held} of {count} tokens",
    gradNorm: "{gradNorm}",
  },
  train: (values) => tableAddress(settingsOf(values)),
});
