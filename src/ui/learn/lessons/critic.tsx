// Lesson 11: one answer under two kinds of credit. Rollouts and a critic's values are from a short run of PPO on a tiny
// transformer; credit is the trainer's, once by GAE and once relative to the group.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { LabRuns } from "../../experiment/lab/labRun.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { Term } from "../../kit/words/Term.tsx";
import {
  type Answer,
  CRITIC_RUN,
  criticCredit,
  DIGITS,
  GROUP_SIZE,
  harmfulAnswers,
  MOST,
  meanSurprise,
  SCALE,
  STEPS,
  surprises,
  worstToken,
} from "../figures/criticCredit.ts";
import { Plot } from "../figures/Plot.tsx";
import { choiceControl, defineLesson, oneOf, type Values, verdictOn } from "../lesson/lesson.ts";

const MEMBERS = 8;
const ANSWERS = Array.from({ length: MEMBERS }, (_, i) => `Answer ${i + 1}`);

const NONE: Answer = { pieces: [], values: [], reward: 0, flat: 0 };

function stateOf({ member, lambda }: Values, [run]: LabRuns) {
  const answers = harmfulAnswers(run?.steps[0]?.groups[0]?.trajectories ?? []);
  const chosen = answers[member!] ?? NONE;
  return {
    ...chosen,
    groupMean: chosen.reward - chosen.flat,
    gae: chosen.values.length > 0 ? criticCredit(chosen.reward, chosen.values, lambda!) : new Float64Array(),
    lambda: lambda!,
    /** Mean surprise of a 9 and of digits below 5, over the group. */
    nines: meanSurprise(answers, (digit) => digit === 9),
    small: meanSurprise(answers, (digit) => digit < 5),
  };
}

/** A plot with room above and below its numbers. */
function rangeOf(values: readonly number[]): readonly [number, number] {
  const most = Math.max(0.05, ...values.map(Math.abs)) * 1.1;
  return [-most, most];
}

const TICKS = [1, DIGITS / 2, DIGITS] as const;

export const critic = defineLesson({
  id: "critic",
  title: "Credit for each token",
  question: "PPO trains a second network, the critic, beside the policy. GRPO does without. What is lost?",
  minutes: 6,
  intro: (
    <>
      <p>
        PPO (proximal policy optimisation) has the ratio and the clip of lesson 5. What it has in place of the group's mean is a{" "}
        <Term id="critic">critic</Term>: a second network that is trained to foresee the reward.
      </p>
      <p>
        Your run trains a tiny transformer by PPO, critic included, for {STEPS} steps. It says {DIGITS} digits, and the larger their sum the
        better: the <Term id="reward">reward</Term> is e to the power (sum − {MOST})/{SCALE}, so 1 for six 9s, and it comes at the end. The
        figure shows one answer of the last step, in which one digit did most of the harm.
      </p>
    </>
  ),
  controls: [
    choiceControl("member", "Answer", ANSWERS),
    { id: "lambda", label: "GAE λ", min: 0, max: 1, step: 0.05, initial: 0.95, show: measureText },
  ],
  runs: () => [CRITIC_RUN],
  state: stateOf,
  figureTitle: "One answer, two kinds of credit",
  figure: ({ pieces, values, gae, flat, reward }, { phase }) => {
    if (values.length === 0) return <p>An answer of your run, with the critic's values, will stand here.</p>;
    const digits = pieces.join(" ");
    return (
      <>
        <p>
          The answer <b className="mono">{digits}</b> earned <SymbolNumber name="reward">{measureText(reward)}</SymbolNumber>.
        </p>
        {phase >= 1 && (
          <Plot
            title="Values"
            x={[1, values.length]}
            y={[0, 1]}
            xName={`token (${digits})`}
            xTicks={TICKS}
            yName="the critic's value before each token"
            height={130}
            lines={[{ name: "V", look: "second", points: values.map((value, t) => [t + 1, value]) }]}
          />
        )}
        {phase !== 1 && (
          <Plot
            title="Credit"
            x={[1, values.length]}
            y={rangeOf([flat, ...gae])}
            xName={`token (${digits})`}
            xTicks={TICKS}
            yName="advantage, in units of reward"
            height={180}
            lines={[
              { name: "GRPO", look: "faint", points: values.map((_, t) => [t + 1, flat]), mark: { at: 2, text: "GRPO" } },
              ...(phase >= 2
                ? [{ name: "PPO, by GAE", look: "main" as const, points: values.map((_, t) => [t + 1, gae[t]!] as const) }]
                : []),
            ]}
          />
        )}
      </>
    );
  },
  table: ({ pieces, values, gae, flat }) => ({
    head: ["token", "value before it", "advantage, PPO", "advantage, GRPO"],
    rows: pieces.map((piece, t) => [piece, values[t] ?? Number.NaN, signedMeasureText(gae[t] ?? Number.NaN), signedMeasureText(flat)]),
  }),
  prediction: {
    text: (
      <p>
        Under GRPO with one reward at the end, how does the <Term id="advantage">advantage</Term> of the harmful digit compare with the
        others'?
      </p>
    ),
    ask: oneOf(["It is lower: it did the harm.", "It is the same.", "It depends on its place: earlier digits get more."]),
  },
  judge: (answer, { flat, gae }) => {
    const numbers = `In your run's answer every digit has ${signedMeasureText(flat)} under GRPO; under PPO they reach from ${signedMeasureText(Math.min(...gae))} to ${signedMeasureText(Math.max(...gae))}.`;
    const reasons = [
      "GRPO cannot see which token did the harm: it compares whole answers. Only over many answers do bad tokens turn up more often in bad ones.",
      "A reward at the end is one number for the whole answer, and GRPO has nothing by which to tell its tokens apart.",
      "GRPO's number for an answer is written on each of its tokens alike, wherever it stands.",
    ];
    return verdictOn(answer, 1, reasons, numbers);
  },
  phases: [
    {
      title: "One number for all",
      text: ({ flat, reward, groupMean }) => (
        <p>
          The answer earned {measureText(reward)}, the {GROUP_SIZE} answers of its step {measureText(groupMean)} on average. The difference,{" "}
          {signedMeasureText(flat)}, is what GRPO writes on each token: a flat line. (It then divides by the group's spread, as in lesson 3.
          PPO rescales too. Both are left out here, so that the two lines have one unit, that of the reward.)
        </p>
      ),
    },
    {
      title: "What the critic foresees",
      text: (state) => {
        const turn = worstToken(state);
        const [before, after] = [state.values[turn] ?? Number.NaN, state.values[turn + 1] ?? state.reward];
        return (
          <p>
            The critic, here as large as the policy, says before each token what the answer will earn in the end. Before the first it says{" "}
            {measureText(state.values[0] ?? Number.NaN)}. Its largest fall comes with the <span className="mono">{state.pieces[turn]}</span>{" "}
            in place {turn + 1}: from {measureText(before)} to {measureText(after)}. The harm is seen as it is done.{" "}
            {state.reward > after
              ? `The critic falls too far here, having met few such answers: in the end this one earns ${measureText(state.reward)}.`
              : `In the end the answer earns ${measureText(state.reward)}.`}
          </p>
        );
      },
    },
    {
      title: "Credit by surprise",
      formula: ({ lambda }) => ({
        tex: String.raw`\begin{aligned} \delta_t &= r_t + \gamma V_{t+1} - V_t \\ \hat A_t &= \sum_{l \ge 0} (\gamma \sym{lambda}{\lambda})^{l}\, \delta_{t+l} \end{aligned}`,
        spoken:
          "Delta t is the reward at t plus gamma times the next value minus this value; the advantage is the sum of later deltas, each discounted by gamma times lambda",
        symbols: { lambda: `lambda, ${measureText(lambda)}` },
      }),
      text: (state) => {
        const { gae, lambda, values, reward } = state;
        const [secondLast, last] = surprises(state).slice(-2);
        return (
          <p>
            V<sub>t</sub> is the critic's value before token t, r<sub>t</sub> the reward that comes with it (0 but at the last), γ how much
            later reward counts (1 here), δ<sub>t</sub> the surprise. Generalised advantage estimation adds up the surprises from a token
            on, each later one times λ = {measureText(lambda)} once more. The last token has {measureText(reward)} −{" "}
            {measureText(values.at(-1) ?? Number.NaN)} = {signedMeasureText(last ?? Number.NaN)}, the one before it{" "}
            {signedMeasureText(secondLast ?? Number.NaN)} and {measureText(lambda)} of that: {signedMeasureText(gae.at(-2) ?? Number.NaN)}.
            A digit is blamed for what comes after it, too, but not for what came before.
          </p>
        );
      },
    },
    {
      title: "Without looking ahead",
      set: { lambda: 0 },
      text: (state) => {
        const turn = worstToken(state);
        return (
          <p>
            With λ = 0 a token has its own surprise alone: the <span className="mono">{state.pieces[turn]}</span> in place {turn + 1} gets{" "}
            {signedMeasureText(state.gae[turn] ?? Number.NaN)}. Over all answers of the step a 9 gets {signedMeasureText(state.nines)} on
            average, a digit below 5 {signedMeasureText(state.small)}. Little noise, but all faith is in a critic that has seen {STEPS}{" "}
            steps and often misses. With λ = 1 it is the reward minus the value: right on average, whatever the critic says, and noisier.
            GRPO is near that end: one baseline for the whole answer, no second network to train or to store.
          </p>
        );
      },
    },
  ],
  playFrom: { lambda: 0 },
  play: (
    <p>
      Here are {MEMBERS} answers of the step, those first in which one digit makes the critic fall most. Which digits get the blame, and
      which of it is wrong? Then move λ to 1 and watch the last token: why does it not move?
    </p>
  ),
  transfer: {
    text: "Answers of 2,000 tokens, one reward at the end, and memory for one network only. What does going from PPO to GRPO give up, and what does it gain?",
    options: [
      {
        text: "It gives up nothing: GRPO's advantages are per token, too.",
        reason: "They are written on each token, but with one reward at the end it is the same number everywhere.",
      },
      {
        text: "It gives up the baseline, so the noise grows without bound; it gains the memory.",
        reason: "The group's mean is the baseline. It is another one, not none.",
      },
      {
        text: "It gives up credit per token; it gains the memory and a baseline that needs no training.",
        isRight: true,
        reason:
          "The group's mean is an honest baseline from the first step; which of the 2,000 tokens mattered has to come out over many answers.",
      },
    ],
  },
  sources: [
    {
      text: "Schulman et al. 2016, High-Dimensional Continuous Control Using Generalized Advantage Estimation, equation 16",
      href: "https://arxiv.org/abs/1506.02438",
    },
    { text: "Schulman et al. 2017, Proximal Policy Optimization Algorithms", href: "https://arxiv.org/abs/1707.06347" },
    { text: "Shao et al. 2024, DeepSeekMath, figure 4 (PPO and GRPO)", href: "https://arxiv.org/abs/2402.03300" },
  ],
  inLoop: ({ flat, gae, values, lambda }) => ({
    advantages_Q: `${signedMeasureText(flat)} for this answer`,
    A: `${signedMeasureText(flat)} at each token; PPO, λ = ${measureText(lambda)}: ${Array.from(gae, signedMeasureText).join(", ")}`,
    values_K: `a critic's: ${values.map(measureText).join(", ")}`,
  }),
  train: () => ({
    preset: "digit-sum-critic",
    "task.length": String(DIGITS),
    "task.target": String(MOST),
    "task.scale": String(SCALE),
    maxCompletionTokens: String(DIGITS),
    groupSize: String(GROUP_SIZE),
    promptsPerStep: "2",
    learningRate: "5e-5",
    steps: String(STEPS),
    valueEpochs: "8",
  }),
});
