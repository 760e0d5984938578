// Three estimates of the KL to the reference, as values and as gradients. Policy and reference are rows of
// logits; every number is klValue, klGradient and the table's own derivative.
import { measureText } from "../../../protocol/quantities.ts";
import { type KlEstimatorId, klGradient, klValue } from "../../../rl/kl/index.ts";
import { Random } from "../../../rl/random.ts";
import { logprobsOf, probabilitiesOf, rowGradient } from "../../kit/words/engineNumbers.ts";
import { defineLesson } from "../lesson/lesson.tsx";

export const ESTIMATORS = ["k1", "k2", "k3"] as const satisfies readonly KlEstimatorId[];

const random = new Random(21);
const REFERENCE: readonly number[] = Array.from({ length: 8 }, () => 0.7 * random.normal());
const MOVE: readonly number[] = Array.from({ length: 8 }, () => 1.2 * random.normal());

/** Expectations over the policy of each estimate and of its gradient, and the exact ones. */
export function klState(logits: readonly number[], referenceLogits: readonly number[]) {
  const policy = probabilitiesOf(logits);
  const logprobs = logprobsOf(logits);
  const refLogprobs = logprobsOf(referenceLogits);
  const over = (read: (v: number) => number) => policy.reduce((sum, p, v) => sum + p * read(v), 0);
  const tokens = Array.from(policy.keys());
  const byEstimator = <T>(read: (estimator: (typeof ESTIMATORS)[number]) => T) =>
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

/** Length of a gradient; one that rounding alone keeps from 0 has none. */
function norm(gradient: Float64Array): number {
  const length = Math.hypot(...gradient);
  return length < 1e-12 ? 0 : length;
}

/** How nearly two gradients point the same way, 1 at most; one that is 0 points no way. */
function likeness(a: Float64Array, b: Float64Array): number {
  const sizes = norm(a) * norm(b);
  return sizes < 1e-12 ? Number.NaN : a.reduce((sum, x, v) => sum + x * b[v]!, 0) / sizes;
}

/** To the three places that are shown. */
const rounded = (value: number) => Math.round(value * 1000) / 1000 + 0;

function stateAt(move: number) {
  const logits = REFERENCE.map((logit, v) => logit + move * MOVE[v]!);
  const { policy, reference, exact, means, deviations, gradients } = klState(logits, REFERENCE);
  const row = (each: (typeof ESTIMATORS)[number] | "exact", mean: number, scatter: number) => ({
    each,
    mean: Math.abs(mean) < 1e-12 ? 0 : mean,
    scatter,
    spread: each === "exact" ? measureText(mean) : `${measureText(mean)} ± ${measureText(scatter)}`,
    size: norm(gradients[each]),
    likeness: likeness(gradients[each], gradients.exact),
  });
  const rows = [...ESTIMATORS.map((each) => row(each, means[each], deviations[each])), row("exact", exact, 0)];
  const tokens = Array.from(policy, (p, v) => ({
    token: String.fromCharCode(97 + v),
    policy: p,
    reference: reference[v]!,
    k3: -gradients.k3[v]!,
    exact: -gradients.exact[v]!,
    pull: rounded(-gradients.k3[v]!),
    exactPull: rounded(-gradients.exact[v]!),
  }));
  // The token on which k3 and the exact KL pull most differently.
  const apart = tokens.map((token) => Math.abs(token.k3 - token.exact));
  const odd = tokens[apart.indexOf(Math.max(...apart))]!;
  const [k1, k2, k3, whole] = rows;
  return { rows, tokens, odd, k1: k1!, k2: k2!, k3: k3!, exact: whole! };
}

/** Near the reference, where k3 is the steadier estimate. */
const NEAR = stateAt(0.2);

const NO_SLOPE =
  "The derivative of k1 by log π is 1 for every token, whatever the reference says, and pushing all tokens alike cancels, just as a baseline does. Size of the expected gradient here: k1: {k1.size}, k2: {k2.size}, k3: {k3.size}; the exact KL's is {exact.size}.";

/** The phase that compares k3's pull with the exact one, token by token. */
const K3_PHASE = 2;

export const kl = defineLesson({
  id: "kl",
  title: "Staying near the reference",
  question: "A KL keeps the policy near the one it started from. It is estimated from sampled tokens: does it matter how?",
  minutes: 7,
  intro: `
    Bars are the [[policy]], outlines the [[reference]], a frozen copy from before. The policy has moved away. The [[kl|KL]] says how far, in [[nats]]. With β times the KL in its loss a policy is pulled back, so that it does not unlearn what it could do before.

    A language model has too many possible answers to sum over, so trainers estimate it from the tokens they have sampled. With d = log π − log π_{ref} of such a token, three estimates are in use: k1 = d, k2 = d²/2, k3 = e^{−d} + d − 1. GRPO uses k3.`,
  controls: [{ id: "move", label: "How far it has moved", min: 0, max: 2, step: 0.05, initial: 1, show: measureText }],
  state: ({ move }) => stateAt(move!),
  figureTitle: "Policy, reference and estimates of their KL",
  figureHelp:
    "Bars are the policy, outlines the reference. Below them the estimates of the KL between the two, as numbers or as gradients.",
  figure: ({ rows, tokens, exact }, { phase }) => {
    const bars = { kind: "bars", rows: tokens, label: "token", value: "policy", before: "reference" } as const;
    const most = Math.max(...tokens.flatMap(({ policy, reference }) => [policy, reference]));
    if (phase < 0) return [{ ...bars, most }];
    if (phase === K3_PHASE)
      return [
        {
          ...bars,
          most,
          push: "pull",
          mostPush: Math.max(0.01, ...tokens.map(({ pull }) => Math.abs(pull))),
          note: "{exactPull:+}",
          caption: "Arrows: k3's pull on each logit. Below them: the exact KL's.",
        },
      ];
    const shown =
      phase === 0
        ? { head: `± scatter of one token; mean (exact KL: ${measureText(exact.mean)})`, detail: "± {scatter}", value: "mean" }
        : { head: "mean ± scatter; size of the expected gradient", detail: "{spread}", value: "size" };
    const full = phase === 0 ? exact.mean : exact.size;
    const estimates = phase === 0 ? rows.slice(0, -1) : rows;
    return [
      { ...bars, most },
      { kind: "rows", ...shown, rows: estimates, label: "{each}", most: Math.max(1e-6, full * 2) },
    ];
  },
  columns: {
    estimate: "each",
    mean: "mean",
    "scatter of one token": "scatter",
    "size of its gradient": "size",
    "likeness to the exact gradient": "likeness",
  },
  answerColumns: ["size of its gradient", "likeness to the exact gradient"],
  prediction: {
    question: `
      As a number to report, k1 = log π − log π_{ref} is unbiased: its mean *is* the KL. One of the three estimates, put into the loss and differentiated, has no gradient at all, averaged over the tokens that the policy says. Which?
      - [x] k1 = d
        ${NO_SLOPE}
      - [ ] k2 = d²/2
        k2 does pull. ${NO_SLOPE}
      - [ ] k3 = exp(−d) + d − 1
        k3 does pull. ${NO_SLOPE}`,
  },
  phases: [
    {
      title: "As numbers",
      loop: { at: ["const d =", "const D ="], note: "d is k1, D is k3." },
      text: `Averaged over the policy, k1 is {k1.mean} and k3 {k3.mean}: both are the exact KL of {exact.mean@kl}. k2, {k2.mean}, is off once the two are far apart. One token's k1 is often negative; k3 never is. As far away as here k3 scatters by {k3.scatter} from token to token, k1 by {k1.scatter}: where the policy says a token far less than the reference, e^{−d} is large. Near the reference, where most training happens, k3 is the steadier one: after a fifth of this move, ${measureText(NEAR.k3.scatter)} against k1's ${measureText(NEAR.k1.scatter)}.`,
    },
    {
      title: "As a gradient: k1 and k2",
      loop: {
        at: ["const d ="],
        note: "k1 in the loss would be d itself, with the derivative 1 at each token; k2 would be d²/2, with the derivative d.",
      },
      text: "Now each stands in the loss. What counts is its derivative by log π. k1's is 1 at every token: its expected gradient has size **{k1.size}**. A right number with a useless slope. k2's is d, and that is the exact KL's slope but for such a 1 that cancels: both have size {k2.size}. So k2 is the worst as a number, {k2.mean} in place of {exact.mean}, and exact as a gradient. (Subtracted from the *reward*, k1 works: there it is multiplied by ∇ log π, as in lesson 1.)",
    },
    {
      title: "As a gradient: k3",
      loop: { at: ["const D =", "const pull"], note: "pull is the derivative of k3, times its weight in the loss." },
      formula: {
        tex: String.raw`\begin{aligned} \sym{kl}{D_{\mathrm{KL}}}(\pi \,\|\, \pi_{\text{ref}}) &\approx \frac{\pi_{\text{ref}}}{\pi} - \log \frac{\pi_{\text{ref}}}{\pi} - 1 \\ \frac{\partial k_3}{\partial \log \pi} &= 1 - \frac{\pi_{\text{ref}}}{\pi} \end{aligned}`,
        spoken:
          "k3 is the reference's probability over the policy's, minus its logarithm, minus one. Its derivative by log pi is one minus that ratio",
        symbols: { kl: "KL, {exact.mean} nats" },
      },
      text: "Averaged over the policy, k3 pulls each logit by π_{ref} − π. That is the gradient of the *other* KL, from reference to policy. It points much the same way as the exact one (the cosine between them is {k3.likeness}; 1 would be the same direction), but not on every token. On `{odd.token}` it is {odd.reference} − {odd.policy} = {odd.k3:+}, the exact one {odd.exact:+}: the exact KL weighs a token by how often the policy says it, k3 by how far it is off.",
    },
    {
      title: "How much one needs",
      loop: { at: ["kl += klCoef", "const pull"] },
      text: "β decides how strong the leash is: 0.04 in the GRPO paper, 0.001 for the model DeepSeek-R1, 0 in two later recipes that the next lessons meet, Dr. GRPO and DAPO. With a reward that cannot be cheated, a policy may do well without; with one that can, the KL is what keeps it honest for a while.",
    },
  ],
  play: "Move the policy to 0.2: how alike are the three means, their scatter and the four gradients near the reference? Then to 2. Which of k1 and k3 scatters more, and from where on?",
  transfer: `
    A colleague's trainer reports the mean of log π − log π_ref over each batch. Soon after the start it is −0.01 in one step, +0.02 in the next. Is the code broken?
    - [ ] Yes: a KL can never be negative.
      True of the KL, not of k1's estimate of a small one from a batch of tokens.
    - [x] Probably not: this is k1, right on average and often negative. Near the reference k3 would be steadier.
      The KL itself is never negative; an unbiased estimate of a small one from few tokens often is.
    - [ ] Yes: it must be the KL from the reference to the policy.
      Sampled from the policy, the mean of log π − log π_ref is the KL from policy to reference, as it should be.`,
  sources: [
    "[Schulman 2020, Approximating KL Divergence](http://joschu.net/blog/kl-approx.html)",
    "[Shao et al. 2024, DeepSeekMath, equation 4](https://arxiv.org/abs/2402.03300)",
    "[Tang and Munos 2025, On a few pitfalls in KL divergence gradient estimation for RL](https://arxiv.org/abs/2506.09477)",
  ],
  inLoop: {
    d: "k1: {k1.mean} on average, scattered by {k1.scatter}",
    D: "k3: {k3.mean} on average, scattered by {k3.scatter}",
    kl: "{exact.mean} nats, exactly",
    pull: "of size {k3.size} on average; the exact KL's is {exact.size}",
  },
  train: () => ({ preset: "digit-sum-table", algorithm: "grpo", klCoef: "0.04", klEstimator: "k3" }),
});
