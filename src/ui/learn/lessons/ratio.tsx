// Lesson 5: the ratio and its clip. The curve is the trainer's objective; the dots are the tokens of a step of the
// reader's run, at the ratios they had in its last pass.
import { measureText, shareText, signedMeasureText } from "../../../protocol/quantities.ts";
import { type LabRuns, PLAIN, PLAIN_TABLE, tableAddress } from "../../experiment/lab/labRun.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { Term } from "../../kit/words/Term.tsx";
import { ClipPanel, clippedTokens } from "../figures/ClipPanel.tsx";
import { defineLesson, oneOf, type Values, verdictOn } from "../lesson/lesson.ts";

const STEP = 3;

function stateOf({ clip, passes }: Values, [run]: LabRuns) {
  const channels = (run?.steps[0]?.groups ?? []).flatMap(({ trajectories }) => trajectories.map(({ channels }) => channels));
  const ratios = channels.flatMap(({ trainLogprobs, oldLogprobs }) =>
    trainLogprobs.map((logprob, t) => Math.exp(logprob - oldLogprobs[t]!)),
  );
  const tokens = clippedTokens(
    ratios,
    channels.flatMap(({ advantages }) => advantages),
    clip!,
  );
  const metrics = run?.records.find(({ step }) => step === STEP)?.metrics ?? {};
  return {
    clip: clip!,
    passes: passes!,
    tokens,
    held: tokens.filter(({ isHeld }) => isHeld).length,
    loss: metrics.loss ?? Number.NaN,
    gradNorm: metrics.grad_norm ?? Number.NaN,
  };
}

const settingsOf = ({ clip, passes, rate }: Values) => ({
  ...PLAIN,
  innerEpochs: passes!,
  clipLow: clip!,
  clipHigh: clip!,
  learningRate: rate!,
});

/** A loss in words: rounding leaves 1e-17 of what is 0 by the sum. */
const lossText = (loss: number) => (Math.abs(loss) < 1e-9 ? "0" : measureText(loss));

export const ratio = defineLesson({
  id: "ratio",
  title: "The ratio and its clip",
  question:
    "Sampling is dear, so the same answers are used for several updates. How far may the policy move before those answers are no longer its own?",
  minutes: 7,
  intro: (
    <>
      <p>
        A small run of a table policy, ten logits for each of four places: groups of 24 answers of four digits, which earn the more the
        nearer their sum is to 18. Each group is used for some number of inner epochs, one optimizer step each, at a learning rate of 4.
      </p>
      <p>
        The <Term id="ratio">ratio</Term> ρ of a token is its probability now over that when it was sampled. What a token adds to the{" "}
        <b>objective</b> is ρ times its advantage A, until ρ has left the range 1 − ε to 1 + ε on the side that A pushes it to. From there
        on it is held constant, and the token is called <b>clipped</b>; ε is the clip range. The loss is minus the mean of the objective
        over the tokens. The figure draws the objective over ρ, for answers that were better than their group and for those that were worse.
      </p>
    </>
  ),
  controls: [
    { id: "passes", label: "Inner epochs μ", min: 1, max: 16, step: 1, initial: 1, show: String },
    { id: "clip", label: "Clip ε", min: 0.05, max: 0.5, step: 0.05, initial: 0.2, show: measureText },
    { id: "rate", label: "Learning rate", min: 0.5, max: 8, step: 0.5, initial: 4, show: measureText },
  ],
  playFrom: { passes: 1 },
  runs: (values) => [{ config: { ...PLAIN_TABLE, ...settingsOf(values), steps: STEP }, inspect: [STEP] }],
  state: stateOf,
  figureTitle: "The clipped objective, with the tokens of your run",
  figure: (state, { phase }) => (
    <>
      <ClipPanel {...state} sign={1} isShown={phase >= 0} />
      <ClipPanel {...state} sign={-1} isShown={phase >= 0} />
    </>
  ),
  table: ({ tokens }) => ({
    head: ["ratio", "advantage", "objective", "clipped"],
    rows: tokens.map(({ ratio, advantage, value, isHeld }) => [ratio, signedMeasureText(advantage), value, isHeld ? "yes" : "no"]),
  }),
  prediction: {
    text: (
      <p>
        With a single inner epoch (μ = 1) and a clip range of 0.2: how many of the 96 tokens of a step end up clipped, and what is the value
        of the loss?
      </p>
    ),
    ask: oneOf([
      "About one in five is clipped; the loss is well below 0.",
      "None is clipped and the loss is 0, so nothing is learnt.",
      "None is clipped and the loss is 0, and still the policy learns.",
    ]),
  },
  judge: (answer, { tokens, held, loss, gradNorm }) => {
    const numbers = `In step ${STEP}, the last of your short run: ${held} of ${tokens.length} tokens clipped, loss ${lossText(loss)}, gradient norm ${measureText(gradNorm)}.`;
    const reasons = [
      "In the first inner epoch the policy that is trained is the one that sampled, so every ratio is exactly 1, and 1 is within any clip range. A clip fraction of 0 is no bug here.",
      "A loss of 0 says nothing about its slope. With every ratio at 1 the loss is minus the mean advantage, and advantages of a group add up to 0. Its derivative by each token's log-probability is minus that token's own advantage, over the number of tokens.",
      "",
    ];
    return verdictOn(answer, 2, reasons, numbers);
  },
  phases: [
    {
      title: "One inner epoch",
      text: ({ tokens, loss, gradNorm }) => (
        <p>
          The gradient is taken before the step that it makes. In the first inner epoch the policy is therefore still the one that sampled:
          all {tokens.length} tokens sit at ρ = 1, their dots one upon the other. Loss <b>{lossText(loss)}</b>, gradient norm{" "}
          <b>{measureText(gradNorm)}</b>: the height there is what cancels, the slope is what trains.
        </p>
      ),
    },
    {
      title: "Eight inner epochs",
      set: { passes: 8 },
      formula: ({ clip }) => ({
        tex: String.raw`\sym{rho}{\rho_t} = \frac{\pi_\theta(o_t)}{\pi_{\text{old}}(o_t)}, \qquad \min\bigl(\sym{rho}{\rho_t} \hat A,\; \operatorname{clip}(\sym{rho}{\rho_t},\, 1 - \sym{eps}{\varepsilon},\, 1 + \sym{eps}{\varepsilon})\, \hat A\bigr)`,
        spoken:
          "Rho is the token's probability now over the old one. The objective is the smaller of rho times A, and rho clipped to between one minus epsilon and one plus epsilon, times A",
        symbols: { rho: "ratio of the token's probabilities", eps: `clip range epsilon, ${measureText(clip)}` },
      }),
      text: ({ tokens, held, clip }) => {
        const ratios = tokens.map(({ ratio }) => ratio);
        return (
          <>
            <p>
              o<sub>t</sub> is the token, π<sub>old</sub> the policy that sampled it, π<sub>θ</sub> the one that is trained. At ρ = 1 the
              slope of ρ · A is A · ∂ log π, the push of the first lessons. Later the trained policy would draw other answers than these.
              Counting each token by how much likelier it is now makes up for that, but only near 1: far from it a few tokens count for all,
              and nobody knows how good the answers are that the policy would give instead.
            </p>
            <p>
              Your run again with eight inner epochs over each group. In the last one the ratios reach from{" "}
              {measureText(Math.min(...ratios))} to {measureText(Math.max(...ratios))}, and <b>{held}</b> of {tokens.length} tokens (
              {shareText(held / tokens.length)}) lie further than ε = <SymbolNumber name="eps">{measureText(clip)}</SymbolNumber> from 1, on
              the side they are pushed to. These are drawn hollow: their push has ended.
            </p>
          </>
        );
      },
    },
    {
      title: "What the clip does",
      text: () => (
        <>
          <p>
            Where the curve is flat its slope is 0: a token that has already risen by a fifth gets no further push up, and one that has
            fallen by a fifth none further down. Nothing pulls it back, and other tokens that share its weights may carry it on. The clip
            takes away an incentive; it does not bound the ratio.
          </p>
          <p>
            Look at the lower panel: for A &lt; 0 only the left end is flat. A bad token that has become <i>likelier</i> is pushed down with
            full force.
          </p>
        </>
      ),
    },
  ],
  play: (
    <p>
      Raise the inner epochs from 1 one by one: in which panel is a token clipped first? Then raise the learning rate, and make ε small:
      does a smaller ε keep ratios within it?
    </p>
  ),
  transfer: {
    text: "A token of a bad answer (A = −1) has become one and a half times as likely as when it was sampled: ρ = 1.5, with ε = 0.2. What does the clipped objective do with it?",
    options: [
      {
        text: "Nothing: 1.5 lies outside 0.8 to 1.2, so it is clipped.",
        reason: "Outside the range is not enough. The smaller of −1.5 and −1.2 is the unclipped −1.5, and that has a slope.",
      },
      {
        text: "It pushes it down with full force: min() takes the unclipped side.",
        isRight: true,
        reason:
          "min(1.5 · (−1), 1.2 · (−1)) = −1.5 is the unclipped term, so its slope counts. The clip only stops a push that has already had its way.",
      },
      {
        text: "It pulls the ratio back to 1.2.",
        reason: "No term of the objective pulls towards the edge. It is pushed down because its answer was bad.",
      },
    ],
  },
  sources: [
    { text: "Schulman et al. 2017, Proximal Policy Optimization Algorithms, equation 7", href: "https://arxiv.org/abs/1707.06347" },
    { text: "Shao et al. 2024, DeepSeekMath, equation 3", href: "https://arxiv.org/abs/2402.03300" },
    {
      text: '"Loss is 0 at first", a frequent question: huggingface/open-r1 issue 239',
      href: "https://github.com/huggingface/open-r1/issues/239",
    },
  ],
  inLoop: ({ tokens, held, loss, gradNorm, clip, passes }) => {
    const [least, most] = [Math.min(...tokens.map(({ ratio }) => ratio)), Math.max(...tokens.map(({ ratio }) => ratio))];
    return {
      epoch: `${passes} in all, μ`,
      clip: measureText(clip),
      w: `${measureText(least)} to ${measureText(most)} in the last inner epoch`,
      clipped: `${measureText(Math.max(1 - clip, least))} to ${measureText(Math.min(1 + clip, most))}`,
      policy: `loss ${lossText(loss)}`,
      isHeld: `true for ${held} of ${tokens.length} tokens`,
      push: `0 for ${held} of ${tokens.length} tokens`,
      gradNorm: measureText(gradNorm),
    };
  },
  train: (values) => tableAddress(settingsOf(values)),
});
