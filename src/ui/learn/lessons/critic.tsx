// Lesson 11: one answer under two kinds of credit. Rollouts and a critic's values are from a short run of PPO on a tiny
// transformer; advantages are the trainer's, once by GAE and once relative to the group.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import { SymbolNumber } from "../../formula/symbolScope.tsx";
import { Term } from "../../words/Term.tsx";
import { advantagesOf, settingsOf } from "../engineNumbers.ts";
import { Plot } from "../figures/Plot.tsx";
import type { LabPlan, LabRuns } from "../labRun.ts";
import { defineLesson, type Values } from "../lesson.ts";

const STEPS = 12;
const MEMBERS = 8;

const PLAN: LabPlan = {
  config: {
    task: "digit-sum",
    taskOptions: { length: 8, target: 60, scale: 8 },
    maxCompletionTokens: 8,
    algorithm: "ppo",
    model: "transformer",
    startFrom: "random",
    hiddenSize: 32,
    layers: 2,
    heads: 4,
    kvHeads: 4,
    intermediateSize: 88,
    promptsPerStep: 2,
    groupSize: 32,
    steps: STEPS,
    learningRate: 3e-4,
    klCoef: 0,
    optimizer: "adamw",
    evalProblems: 1,
    evalSamples: 1,
  },
  inspect: [STEPS],
};

/** GRPO's advantage of each answer of a group of equal lengths. */
export function groupCredit(rewards: readonly number[]): Float64Array {
  return advantagesOf({ rewards, lengths: rewards.map(() => 1) }, settingsOf("grpo", { klCoef: 0 })).advantages_Q;
}

/** PPO's advantage of each token of one answer, not whitened, so that the sums can be followed. */
export function criticCredit(reward: number, values: readonly number[], lambda: number) {
  const settings = settingsOf("ppo", { klCoef: 0, gaeLambda: lambda, whitenAdvantages: false });
  return advantagesOf({ rewards: [reward], lengths: [values.length] }, settings, values).advantages_K;
}

interface CriticState {
  readonly pieces: readonly string[];
  readonly values: readonly number[];
  readonly reward: number;
  readonly flat: number;
  readonly gae: Float64Array;
  readonly lambda: number;
  readonly isThere: boolean;
}

function stateOf({ member, lambda }: Values, [run]: LabRuns): CriticState {
  const members = run?.steps[0]?.groups[0]?.trajectories ?? [];
  const chosen = members[member!];
  if (!chosen) return { pieces: [], values: [], reward: 0, flat: 0, gae: new Float64Array(), lambda: lambda!, isThere: false };
  const values = chosen.channels.values ?? [];
  const reward = chosen.reward ?? 0;
  return {
    pieces: chosen.pieces,
    values,
    reward,
    flat: groupCredit(members.map((each) => each.reward ?? 0))[member!]!,
    gae: criticCredit(reward, values, lambda!),
    lambda: lambda!,
    isThere: true,
  };
}

/** The token whose value rises most to the next, the last one to the reward. */
function turningPoint({ values, reward }: CriticState): number {
  const rise = (t: number) => (values[t + 1] ?? reward) - values[t]!;
  return values.reduce((best, _, t) => (Math.abs(rise(t)) > Math.abs(rise(best)) ? t : best), 0);
}

export const critic = defineLesson<CriticState>({
  id: "critic",
  title: "Credit for each token",
  question: "PPO trains a second network, the critic, beside the policy. GRPO does without. What is lost?",
  minutes: 6,
  intro: (
    <p>
      Your run trains a tiny transformer by PPO for {STEPS} steps on eight digits that should add up to 60, <Term id="critic">critic</Term>{" "}
      included. The figure then takes one of its answers and gives credit to its eight tokens in both ways.
    </p>
  ),
  controls: [
    {
      id: "member",
      label: "Answer",
      min: 0,
      max: MEMBERS - 1,
      step: 1,
      initial: 0,
      options: Array.from({ length: MEMBERS }, (_, i) => `Answer ${i + 1}`),
    },
    { id: "lambda", label: "GAE λ", min: 0, max: 1, step: 0.05, initial: 0.95, show: measureText },
  ],
  runs: () => [PLAN],
  state: stateOf,
  figureTitle: "One answer, two kinds of credit",
  figure: (state, { phase }) => {
    const { pieces, values, gae, flat, reward, isThere } = state;
    if (!isThere) return <p>An answer of your run, with the critic's values, will stand here.</p>;
    const most = Math.max(1, Math.abs(flat), ...gae.map(Math.abs)) * 1.1;
    return (
      <>
        <p>
          The answer <b className="mono">{pieces.join("")}</b> earned <SymbolNumber name="reward">{measureText(reward)}</SymbolNumber>.
        </p>
        {phase >= 1 && (
          <Plot
            title="Values"
            x={[1, values.length]}
            y={[0, 1]}
            xName="token"
            yName="the critic's value before each token"
            height={130}
            lines={[{ name: "V", look: "second", points: values.map((value, t) => [t + 1, value]) }]}
          />
        )}
        <Plot
          title="Advantages"
          x={[1, values.length]}
          y={[-most, most]}
          xName="token"
          yName="advantage of each token"
          height={190}
          lines={[
            { name: "GRPO", look: "faint", points: values.map((_, t) => [t + 1, flat]) },
            ...(phase >= 2
              ? [{ name: "PPO, by GAE", look: "main" as const, points: values.map((_, t) => [t + 1, gae[t]!] as const) }]
              : []),
          ]}
        />
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
        An answer of eight digits was better than its group because its fifth digit put things right. Under GRPO with a reward at the end,
        how does the fifth token's advantage compare with the first's?
      </p>
    ),
    ask: {
      kind: "choice",
      options: ["It is larger: it did the good.", "It is the same.", "It is smaller: less is left to be won by then."],
    },
  },
  judge: (answer, { flat, gae }) => {
    const numbers = `In your run's answer every token has ${signedMeasureText(flat)} under GRPO; under PPO they reach from ${signedMeasureText(Math.min(...gae))} to ${signedMeasureText(Math.max(...gae))}.`;
    return {
      isRight: answer === 1,
      reason: (
        <p>
          {answer === 1
            ? "An outcome reward is one number for the whole answer, and GRPO has nothing by which to tell its tokens apart."
            : answer === 0
              ? "GRPO cannot see which token did the good: it compares whole answers. Only over many answers do good tokens turn up more often in good ones."
              : "That would need an idea of what is left to be won, which is what a critic has and GRPO has not."}{" "}
          {numbers}
        </p>
      ),
    };
  },
  phases: [
    {
      title: "One number for all",
      text: ({ flat, reward }) => (
        <p>
          The answer's reward of {measureText(reward)}, compared with the 32 answers of its group, gives {signedMeasureText(flat)}. GRPO
          writes that number on each of its tokens: a flat line.
        </p>
      ),
    },
    {
      title: "What the critic foresees",
      text: (state) => {
        const turn = turningPoint(state);
        return (
          <p>
            The critic is a second network, as large as the policy here, that predicts at each token what the answer will earn in the end.
            Before the first token it says {measureText(state.values[0] ?? Number.NaN)}. The largest change comes with token {turn + 1}, the
            digit <span className="mono">{state.pieces[turn]}</span>: from {measureText(state.values[turn] ?? Number.NaN)} to{" "}
            {measureText(state.values[turn + 1] ?? state.reward)}
            {turn === state.values.length - 1 ? ", the reward itself" : ""}.
          </p>
        );
      },
    },
    {
      title: "Credit by surprise",
      formula: ({ lambda }) => ({
        tex: String.raw`\delta_t = r_t + \gamma V_{t+1} - V_t, \qquad \hat A_t = \sum_{l \ge 0} (\gamma \sym{lambda}{\lambda})^{l}\, \delta_{t+l}`,
        spoken:
          "Delta t is the reward at t plus gamma times the next value minus this value; the advantage is the sum of later deltas, each discounted by gamma times lambda",
        symbols: { lambda: `lambda, ${measureText(lambda)}` },
      }),
      text: ({ gae }) => (
        <p>
          V<sub>t</sub> is the critic's value before token t, r<sub>t</sub> the reward that comes with it (0 but at the last), γ how much
          later reward counts (1 here), δ<sub>t</sub> the surprise. Generalised advantage estimation adds up the surprises from a token on,
          later ones less, by λ. Here the tokens' advantages reach from {signedMeasureText(Math.min(...gae))} to{" "}
          {signedMeasureText(Math.max(...gae))}. (PPO then whitens them over the batch; this is before.)
        </p>
      ),
    },
    {
      title: "Without looking ahead",
      set: { lambda: 0 },
      text: ({ gae }) => (
        <p>
          With λ = 0 a token is credited with the next value alone: {signedMeasureText(Math.min(...gae))} to{" "}
          {signedMeasureText(Math.max(...gae))}. Little noise, but all faith is in a critic that has seen {STEPS} steps. With λ = 1 it is
          the reward minus the value: right on average, whatever the critic says, and noisier. GRPO is near that end: one baseline for the
          whole answer, no second network to train or to store.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Go through the eight answers. Where does the critic change its mind? Move λ between 0 and 1 and watch the last token: why does it not
      move?
    </p>
  ),
  transfer: {
    text: "Answers of 2,000 tokens, one reward at the end, and memory for one network only. What does going from PPO to GRPO give up, and what does it gain?",
    options: [
      {
        text: "It gives up credit per token; it gains the memory and a baseline that needs no training.",
        isRight: true,
        reason:
          "The group's mean is an honest baseline from the first step; which of the 2,000 tokens mattered has to come out over many answers.",
      },
      {
        text: "Nothing: GRPO's advantages are per token, too.",
        reason: "They are written on each token, but with an outcome reward it is the same number everywhere.",
      },
      {
        text: "It gives up the baseline, so the noise grows without bound.",
        reason: "The group's mean is the baseline. It is another one, not none.",
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
  train: () => ({ preset: "digit-sum-critic" }),
});
