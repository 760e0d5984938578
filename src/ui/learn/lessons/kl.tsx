// Lesson 6: three estimates of the KL to the reference, as values and as gradients. Policy and reference are rows of
// logits; every number is klValue, klGradient and the table's own derivative.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import { type KlEstimator, klGradient, klValue } from "../../../rl/kl.ts";
import { Random } from "../../../rl/random.ts";
import { SymbolNumber } from "../../formula/symbolScope.tsx";
import { Term } from "../../words/Term.tsx";
import { logprobsOf, probabilitiesOf, rowGradient } from "../engineNumbers.ts";
import { Bars } from "../figures/Bars.tsx";
import { SignedRows } from "../figures/SignedRows.tsx";
import { defineLesson, type Values } from "../lesson.ts";

export const ESTIMATORS = ["k1", "k2", "k3"] as const satisfies readonly KlEstimator[];

const random = new Random(21);
const REFERENCE: readonly number[] = Array.from({ length: 8 }, () => 0.7 * random.normal());
const MOVE: readonly number[] = Array.from({ length: 8 }, () => 1.2 * random.normal());

export interface KlState {
  readonly policy: Float64Array;
  readonly reference: Float64Array;
  readonly exact: number;
  readonly means: Readonly<Record<(typeof ESTIMATORS)[number], number>>;
  readonly deviations: Readonly<Record<(typeof ESTIMATORS)[number], number>>;
  /** Expected gradient of each estimate by the logits, and of the KL itself. */
  readonly gradients: Readonly<Record<(typeof ESTIMATORS)[number] | "exact", Float64Array>>;
}

/** Expectations over the policy of each estimate and of its gradient, and the exact ones. */
export function klState(logits: readonly number[], referenceLogits: readonly number[]): KlState {
  const [policy, logprobs, refLogprobs] = [probabilitiesOf(logits), logprobsOf(logits), logprobsOf(referenceLogits)];
  const over = (read: (v: number) => number) => policy.reduce((sum, p, v) => sum + p * read(v), 0);
  const tokens = Array.from(policy.keys());
  const byEstimator = <T,>(read: (estimator: (typeof ESTIMATORS)[number]) => T) =>
    Object.fromEntries(ESTIMATORS.map((each) => [each, read(each)])) as Record<(typeof ESTIMATORS)[number], T>;
  const means = byEstimator((each) => over((v) => klValue(each, logprobs[v]!, refLogprobs[v]!)));
  const exact = over((v) => logprobs[v]! - refLogprobs[v]!);
  // The exact KL's derivative by log π(v) is π(v)·(log π(v) - log π_ref(v) + 1); the 1 cancels in a softmax.
  const exactPushes = tokens.map((v) => policy[v]! * (logprobs[v]! - refLogprobs[v]!));
  return {
    policy,
    reference: probabilitiesOf(referenceLogits),
    exact,
    means,
    deviations: byEstimator((each) => Math.sqrt(over((v) => (klValue(each, logprobs[v]!, refLogprobs[v]!) - means[each]) ** 2))),
    gradients: {
      ...byEstimator((each) =>
        rowGradient(
          logits,
          tokens,
          tokens.map((v) => policy[v]! * klGradient(each, logprobs[v]!, refLogprobs[v]!)),
        ),
      ),
      exact: rowGradient(logits, tokens, exactPushes),
    },
  };
}

const stateOf = ({ move }: Values) =>
  klState(
    REFERENCE.map((logit, v) => logit + move! * MOVE[v]!),
    REFERENCE,
  );

/** Near the reference, where k3 is the steadier estimate. */
const NEAR = stateOf({ move: 0.2 });

/** Length of a gradient. */
const norm = (gradient: Float64Array) => Math.hypot(...gradient);

/** How nearly two gradients point the same way, 1 at most. */
function likeness(a: Float64Array, b: Float64Array): number {
  const sizes = norm(a) * norm(b);
  return sizes < 1e-12 ? 0 : a.reduce((sum, x, v) => sum + x * b[v]!, 0) / sizes;
}

export const kl = defineLesson<KlState>({
  id: "kl",
  title: "Staying near the reference",
  question: "A KL keeps the policy near the one it started from. It is estimated from sampled tokens: does it matter how?",
  minutes: 7,
  intro: (
    <>
      <p>
        Bars are the <Term id="policy">policy</Term>, outlines the <Term id="reference">reference</Term>, a frozen copy from before. The
        policy has moved away. The <Term id="kl">KL</Term> says how far, in <Term id="nats">nats</Term>.
      </p>
      <p>
        A language model has too many possible answers to sum over, so trainers estimate it from the tokens they have sampled. With d = log
        π − log π<sub>ref</sub> of such a token, three estimates are in use: k1 = d, k2 = d²/2, k3 = e<sup>−d</sup> + d − 1. GRPO has k3.
      </p>
    </>
  ),
  controls: [{ id: "move", label: "How far it has moved", min: 0, max: 2, step: 0.05, initial: 1, show: measureText }],
  state: stateOf,
  figureTitle: "Policy and reference, and what each estimate makes of them",
  figure: ({ policy, reference, exact, means, gradients }, { phase }) => (
    <>
      <Bars
        most={Math.max(...policy, ...reference)}
        bars={Array.from(policy, (p, v) => ({
          label: String.fromCharCode(97 + v),
          value: p,
          ghost: reference[v]!,
          ...(phase === 2 ? { push: -gradients.k3[v]! } : phase >= 1 ? { push: -gradients.exact[v]! } : {}),
        }))}
        {...(phase >= 1 ? { mostPush: 0.4 } : {})}
      />
      {phase >= 1 && <p className="fine-print">Arrows: the pull on each logit, of {phase === 2 ? "k3 in the loss" : "the exact KL"}.</p>}
      {phase >= 0 && (
        <SignedRows
          head={
            phase === 0
              ? `mean of each estimate; the exact KL is ${measureText(exact)}`
              : "size of its expected gradient, if it stands in the loss"
          }
          most={phase === 0 ? exact * 2 : norm(gradients.exact) * 2}
          rows={[
            ...ESTIMATORS.map((each) => ({ key: each, label: each, value: phase === 0 ? means[each] : norm(gradients[each]) })),
            ...(phase === 0 ? [] : [{ key: "exact", label: "exact", value: norm(gradients.exact) }]),
          ].map((row) => ({ ...row, value: Math.abs(row.value) < 1e-12 ? 0 : row.value }))}
        />
      )}
    </>
  ),
  table: ({ exact, means, deviations, gradients }) => ({
    head: ["estimate", "mean", "deviation of one token", "size of its gradient", "likeness to the exact gradient"],
    rows: [
      ...ESTIMATORS.map((each) => [each, means[each], deviations[each], norm(gradients[each]), likeness(gradients[each], gradients.exact)]),
      ["exact", exact, 0, norm(gradients.exact), 1],
    ],
  }),
  prediction: {
    text: (
      <p>
        As a number to report, k1 = log π − log π<sub>ref</sub> is unbiased: its mean <i>is</i> the KL. One of the three estimates, put into
        the loss and differentiated, has on average <b>no gradient at all</b>. Which?
      </p>
    ),
    ask: { kind: "choice", options: ["k1 = d", "k2 = d²/2", "k3 = exp(−d) + d − 1"] },
  },
  judge: (answer, { gradients }) => {
    const sizes = ESTIMATORS.map((each) => `${each}: ${norm(gradients[each]) < 1e-12 ? "0" : measureText(norm(gradients[each]))}`).join(
      ", ",
    );
    const why = `The derivative of k1 by log π is 1 for every token, whatever the reference says, and pushing all tokens alike cancels, just as a baseline does.`;
    return {
      isRight: answer === 0,
      reason: (
        <p>
          {answer === 0 ? why : `${ESTIMATORS[answer]} does pull. ${why}`} Size of the expected gradient here: {sizes}; the exact KL's is{" "}
          {measureText(norm(gradients.exact))}.
        </p>
      ),
    };
  },
  phases: [
    {
      title: "As numbers",
      text: ({ exact, means, deviations }) => (
        <p>
          Averaged over the policy, k1 is {measureText(means.k1)} and k3 {measureText(means.k3)}: both are the exact KL of{" "}
          <SymbolNumber name="kl">{measureText(exact)}</SymbolNumber>. k2, {measureText(means.k2)}, is off once the two are far apart. One
          token's k1 is often negative; k3 never is. So far from the reference k3 scatters more from token to token,{" "}
          {measureText(deviations.k3)} against k1's {measureText(deviations.k1)}. Near it, where most training happens, it is the steadier
          one: after a fifth of this move, {measureText(NEAR.deviations.k3)} against {measureText(NEAR.deviations.k1)}.
        </p>
      ),
    },
    {
      title: "As a gradient: k1",
      text: ({ gradients }) => (
        <p>
          Now each stands in the loss. What counts is its derivative by log π. k1's is 1 at every token: its expected gradient has size{" "}
          <b>{norm(gradients.k1) < 1e-12 ? "0" : measureText(norm(gradients.k1))}</b>. A right number with a useless slope. (Where k1 is
          subtracted from the <i>reward</i>, as in RLOO and PPO, it is multiplied by ∇ log π and works.)
        </p>
      ),
    },
    {
      title: "As a gradient: k3",
      formula: ({ exact }) => ({
        tex: String.raw`\sym{kl}{D_{\mathrm{KL}}}(\pi \,\|\, \pi_{\text{ref}}) \approx \frac{\pi_{\text{ref}}}{\pi} - \log \frac{\pi_{\text{ref}}}{\pi} - 1, \qquad \frac{\partial k_3}{\partial \log \pi} = 1 - \frac{\pi_{\text{ref}}}{\pi}`,
        spoken:
          "k3 is the reference's probability over the policy's, minus its logarithm, minus one. Its derivative by log pi is one minus that ratio",
        symbols: { kl: `KL, ${measureText(exact)} nats` },
      }),
      text: ({ gradients, policy, reference }) => {
        const v = policy.reduce((best, p, i) => (p - reference[i]! > policy[best]! - reference[best]! ? i : best), 0);
        return (
          <p>
            k3 does pull back. Its direction is much like the exact one's (the cosine between them is{" "}
            {measureText(likeness(gradients.k3, gradients.exact))}; 1 would be the same direction), but it is another gradient: on the token
            that rose most, {String.fromCharCode(97 + v)}, it is {signedMeasureText(-gradients.k3[v]!)} where the exact KL has{" "}
            {signedMeasureText(-gradients.exact[v]!)}. On average it is the gradient of the <i>other</i> KL, from reference to policy. k2's
            is the exact one.
          </p>
        );
      },
    },
    {
      title: "How much one needs",
      text: () => (
        <p>
          The weight β decides how strong the leash is: 0.04 in the GRPO paper, 0.001 for DeepSeek-R1, 0 in DAPO and Dr. GRPO and by default
          in TRL. With a reward that cannot be cheated, a policy may do well without; with one that can, the KL is what keeps it honest for
          a while.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Move the policy to 0.2: how alike are the three estimates and the four gradients near the reference? Then to 2. Read the last column
      of the figure's table.
    </p>
  ),
  transfer: {
    text: "A colleague's trainer reports a KL of 0.00 ± 0.3 per token, sometimes negative, and asks whether the code is broken. It reports the mean of log π − log π_ref over a small batch.",
    options: [
      {
        text: "Probably not: k1 is unbiased but noisy, and single values may be negative. This near the reference k3 would be steadier.",
        isRight: true,
        reason: "The KL itself is never negative; an unbiased estimate of a small one from few tokens often is.",
      },
      { text: "Yes: a KL can never be negative.", reason: "True of the KL, not of k1's estimate from a handful of tokens." },
      {
        text: "Yes: it must be the KL from the reference to the policy.",
        reason: "Sampled from the policy, the mean of log π − log π_ref is the KL from policy to reference, as it should be.",
      },
    ],
  },
  sources: [
    { text: "Schulman 2020, Approximating KL Divergence", href: "http://joschu.net/blog/kl-approx.html" },
    { text: "Shao et al. 2024, DeepSeekMath, equation 4", href: "https://arxiv.org/abs/2402.03300" },
    {
      text: "Tang and Munos 2025, On a few pitfalls in KL divergence gradient estimation for RL",
      href: "https://arxiv.org/abs/2506.09477",
    },
  ],
  inLoop: ({ exact, means, deviations, gradients }) => ({
    d: `k1: ${measureText(means.k1)} on average, scattered by ${measureText(deviations.k1)}`,
    D: `k3: ${measureText(means.k3)} on average, scattered by ${measureText(deviations.k3)}`,
    kl: `${measureText(exact)} nats, exactly`,
    pull: `of size ${measureText(norm(gradients.k3))} on average; the exact KL's is ${measureText(norm(gradients.exact))}`,
  }),
  train: () => ({ preset: "digit-sum-table", algorithm: "grpo", klCoef: "0.04", klEstimator: "k3" }),
});
