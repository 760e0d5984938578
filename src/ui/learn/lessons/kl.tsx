// Lesson 6: three estimates of the KL to the reference, as values and as gradients. Policy and reference are rows of
// logits; every number is klValue, klGradient and the table's own derivative.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import { type KlEstimator, klGradient, klValue } from "../../../rl/kl.ts";
import { Random } from "../../../rl/random.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { logprobsOf, probabilitiesOf, rowGradient } from "../../kit/words/engineNumbers.ts";
import { Term } from "../../kit/words/Term.tsx";
import { Bars } from "../figures/Bars.tsx";
import { SignedRows } from "../figures/SignedRows.tsx";
import { defineLesson, oneOf, type Values, verdictOn } from "../lesson/lesson.ts";

export const ESTIMATORS = ["k1", "k2", "k3"] as const satisfies readonly KlEstimator[];

const random = new Random(21);
const REFERENCE: readonly number[] = Array.from({ length: 8 }, () => 0.7 * random.normal());
const MOVE: readonly number[] = Array.from({ length: 8 }, () => 1.2 * random.normal());

/** Expectations over the policy of each estimate and of its gradient, and the exact ones. */
export function klState(logits: readonly number[], referenceLogits: readonly number[]) {
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
    /** Expected gradient of each estimate by the logits, and of the KL itself. */
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

type KlState = ReturnType<typeof klState>;

const stateOf = ({ move }: Values) =>
  klState(
    REFERENCE.map((logit, v) => logit + move! * MOVE[v]!),
    REFERENCE,
  );

/** Near the reference, where k3 is the steadier estimate. */
const NEAR = stateOf({ move: 0.2 });

/** Length of a gradient. */
const norm = (gradient: Float64Array) => Math.hypot(...gradient);

/** A number that rounding alone keeps from 0. */
const clean = (value: number) => (Math.abs(value) < 1e-12 ? 0 : value);

/** To the three places that are shown. */
const rounded = (value: number) => Math.round(value * 1000) / 1000 + 0;

/** How nearly two gradients point the same way, 1 at most; one that is 0 points no way. */
function likeness(a: Float64Array, b: Float64Array): number {
  const sizes = norm(a) * norm(b);
  return sizes < 1e-12 ? Number.NaN : a.reduce((sum, x, v) => sum + x * b[v]!, 0) / sizes;
}

/** The token on which k3 and the exact KL pull most differently. */
const odd = ({ gradients: { k3, exact } }: KlState) =>
  k3.reduce((best, x, v) => (Math.abs(x - exact[v]!) > Math.abs(k3[best]! - exact[best]!) ? v : best), 0);

const nameOf = (v: number) => String.fromCharCode(97 + v);

/** The phase that compares k3's pull with the exact one, token by token. */
const K3_PHASE = 2;

/** Policy and reference; in one phase with the pull on each logit. */
function Tokens({ state: { policy, reference, gradients }, isPulled }: { readonly state: KlState; readonly isPulled: boolean }) {
  const pulls = (gradient: Float64Array) => Array.from(gradient, (slope) => rounded(-slope));
  const [k3, exact] = [pulls(gradients.k3), pulls(gradients.exact)];
  return (
    <>
      <Bars
        most={Math.max(...policy, ...reference)}
        bars={Array.from(policy, (p, v) => ({
          label: nameOf(v),
          value: p,
          ghost: reference[v]!,
          ...(isPulled ? { push: k3[v]!, note: signedMeasureText(exact[v]!) } : {}),
        }))}
        {...(isPulled ? { mostPush: Math.max(0.01, ...k3.map(Math.abs)) } : {})}
      />
      {isPulled && <p className="fine-print">Arrows: k3's pull on each logit. Below them: the exact KL's.</p>}
    </>
  );
}

export const kl = defineLesson({
  id: "kl",
  title: "Staying near the reference",
  question: "A KL keeps the policy near the one it started from. It is estimated from sampled tokens: does it matter how?",
  minutes: 7,
  intro: (
    <>
      <p>
        Bars are the <Term id="policy">policy</Term>, outlines the <Term id="reference">reference</Term>, a frozen copy from before. The
        policy has moved away. The <Term id="kl">KL</Term> says how far, in <Term id="nats">nats</Term>. With β times the KL in its loss a
        policy is pulled back, so that it does not unlearn what it could do before.
      </p>
      <p>
        A language model has too many possible answers to sum over, so trainers estimate it from the tokens they have sampled. With d = log
        π − log π<sub>ref</sub> of such a token, three estimates are in use: k1 = d, k2 = d²/2, k3 = e<sup>−d</sup> + d − 1. GRPO has k3.
      </p>
    </>
  ),
  controls: [{ id: "move", label: "How far it has moved", min: 0, max: 2, step: 0.05, initial: 1, show: measureText }],
  state: stateOf,
  figureTitle: "Policy, reference and estimates of their KL",
  figure: (state, { phase }) => {
    const { exact, means, deviations, gradients } = state;
    const isValues = phase === 0;
    return (
      <>
        <Tokens state={state} isPulled={phase === K3_PHASE} />
        {phase >= 0 && phase !== K3_PHASE && (
          <SignedRows
            head={
              isValues ? `± scatter of one token; mean (exact KL: ${measureText(exact)})` : "mean ± scatter; size of the expected gradient"
            }
            most={isValues ? Math.max(1e-6, exact * 2) : Math.max(1e-6, norm(gradients.exact) * 2)}
            rows={[
              ...ESTIMATORS.map((each) => ({
                key: each,
                label: each,
                detail: `${isValues ? "" : `${measureText(means[each])} `}± ${measureText(deviations[each])}`,
                value: clean(isValues ? means[each] : norm(gradients[each])),
              })),
              ...(isValues ? [] : [{ key: "exact", label: "exact", detail: measureText(exact), value: clean(norm(gradients.exact)) }]),
            ]}
          />
        )}
      </>
    );
  },
  table: ({ exact, means, deviations, gradients }) => ({
    head: ["estimate", "mean", "scatter of one token", "size of its gradient", "likeness to the exact gradient"],
    rows: [
      ...ESTIMATORS.map((each) => [
        each,
        clean(means[each]),
        deviations[each],
        clean(norm(gradients[each])),
        likeness(gradients[each], gradients.exact),
      ]),
      ["exact", clean(exact), 0, norm(gradients.exact), likeness(gradients.exact, gradients.exact)],
    ],
  }),
  answerColumns: ["size of its gradient", "likeness to the exact gradient"],
  prediction: {
    text: (
      <p>
        As a number to report, k1 = log π − log π<sub>ref</sub> is unbiased: its mean <i>is</i> the KL. One of the three estimates, put into
        the loss and differentiated, has no gradient at all, averaged over the tokens that the policy says. Which?
      </p>
    ),
    ask: oneOf(["k1 = d", "k2 = d²/2", "k3 = exp(−d) + d − 1"]),
  },
  judge: (answer, { gradients }) => {
    const sizes = ESTIMATORS.map((each) => `${each}: ${norm(gradients[each]) < 1e-12 ? "0" : measureText(norm(gradients[each]))}`).join(
      ", ",
    );
    const why = `The derivative of k1 by log π is 1 for every token, whatever the reference says, and pushing all tokens alike cancels, just as a baseline does.`;
    const numbers = `Size of the expected gradient here: ${sizes}; the exact KL's is ${measureText(norm(gradients.exact))}.`;
    return verdictOn(
      answer,
      0,
      ["", "k2 does pull. ", "k3 does pull. "].map((pull) => pull + why),
      numbers,
    );
  },
  phases: [
    {
      title: "As numbers",
      text: ({ exact, means, deviations }) => (
        <p>
          Averaged over the policy, k1 is {measureText(means.k1)} and k3 {measureText(means.k3)}: both are the exact KL of{" "}
          <SymbolNumber name="kl">{measureText(exact)}</SymbolNumber>. k2, {measureText(means.k2)}, is off once the two are far apart. One
          token's k1 is often negative; k3 never is. As far away as here k3 scatters by {measureText(deviations.k3)} from token to token, k1
          by {measureText(deviations.k1)}: where the policy says a token far less than the reference, e<sup>−d</sup> is large. Near the
          reference, where most training happens, k3 is the steadier one: after a fifth of this move, {measureText(NEAR.deviations.k3)}{" "}
          against k1's {measureText(NEAR.deviations.k1)}.
        </p>
      ),
    },
    {
      title: "As a gradient: k1 and k2",
      text: ({ gradients, means, exact }) => (
        <p>
          Now each stands in the loss. What counts is its derivative by log π. k1's is 1 at every token: its expected gradient has size{" "}
          <b>{measureText(clean(norm(gradients.k1)))}</b>. A right number with a useless slope. k2's is d, and that is the exact KL's slope
          but for such a 1 that cancels: both have size {measureText(norm(gradients.k2))}. So k2, with {measureText(means.k2)} for{" "}
          {measureText(exact)} the worst as a number, is exact as a gradient. (Taken off the <i>reward</i>, k1 works: there it is multiplied
          by ∇ log π, as in lesson 1.)
        </p>
      ),
    },
    {
      title: "As a gradient: k3",
      formula: ({ exact }) => ({
        tex: String.raw`\begin{aligned} \sym{kl}{D_{\mathrm{KL}}}(\pi \,\|\, \pi_{\text{ref}}) &\approx \frac{\pi_{\text{ref}}}{\pi} - \log \frac{\pi_{\text{ref}}}{\pi} - 1 \\ \frac{\partial k_3}{\partial \log \pi} &= 1 - \frac{\pi_{\text{ref}}}{\pi} \end{aligned}`,
        spoken:
          "k3 is the reference's probability over the policy's, minus its logarithm, minus one. Its derivative by log pi is one minus that ratio",
        symbols: { kl: `KL, ${measureText(exact)} nats` },
      }),
      text: (state) => {
        const { gradients, policy, reference } = state;
        const v = odd(state);
        return (
          <p>
            Averaged over the policy, k3 pulls each logit by π<sub>ref</sub> − π. That is the gradient of the <i>other</i> KL, from
            reference to policy. It points much the same way as the exact one (the cosine between them is{" "}
            {measureText(likeness(gradients.k3, gradients.exact))}; 1 would be the same direction), but not on every token. On{" "}
            <span className="mono">{nameOf(v)}</span> it is {measureText(reference[v]!)} − {measureText(policy[v]!)} ={" "}
            {signedMeasureText(-gradients.k3[v]!)}, the exact one {signedMeasureText(-gradients.exact[v]!)}: the exact KL weighs a token by
            how often the policy says it, k3 by how far it is off.
          </p>
        );
      },
    },
    {
      title: "How much one needs",
      text: () => (
        <p>
          β decides how strong the leash is: 0.04 in the GRPO paper, 0.001 for the model DeepSeek-R1, 0 in two later recipes that the next
          lessons meet, Dr. GRPO and DAPO. With a reward that cannot be cheated, a policy may do well without; with one that can, the KL is
          what keeps it honest for a while.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Move the policy to 0.2: how alike are the three means, their scatter and the four gradients near the reference? Then to 2. Which of k1
      and k3 scatters more, and from where on?
    </p>
  ),
  transfer: {
    text: "A colleague's trainer reports the mean of log π − log π_ref over each batch. Soon after the start it is −0.01 in one step, +0.02 in the next. Is the code broken?",
    options: [
      { text: "Yes: a KL can never be negative.", reason: "True of the KL, not of k1's estimate of a small one from a batch of tokens." },
      {
        text: "Probably not: this is k1, right on average and often negative. Near the reference k3 would be steadier.",
        isRight: true,
        reason: "The KL itself is never negative; an unbiased estimate of a small one from few tokens often is.",
      },
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
