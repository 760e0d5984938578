// Lesson 8: DAPO is four changes. Each can be switched on by itself in the reader's run, beside the same run without.
import { shareText } from "../../../protocol/quantities.ts";
import { overlongPunishment } from "../../../rl/rewards/overlong.ts";
import { Term } from "../../words/Term.tsx";
import { Plot } from "../figures/Plot.tsx";
import type { LabRuns } from "../labRun.ts";
import { defineLesson, type Values } from "../lesson.ts";
import { metricOf, oneDigitAddress, oneDigitRun } from "../tableTask.ts";

const STEPS = 40;
/** Rounds of sampling in one step at most. */
const TRIES = 3;

/** The settings of a run with some of the four switches on. */
function settings({ higher, tokens, refill }: Values) {
  return {
    clipHigh: higher ? 0.28 : 0.2,
    aggregation: tokens ? "token-mean" : "sequence-mean",
    dynamicSampling: refill === 1,
    dynamicSamplingMax: TRIES,
    promptsPerStep: 8,
    groupSize: 4,
    innerEpochs: 4,
    steps: STEPS,
    learningRate: 2,
  } as const;
}

type Curve = readonly (readonly [number, number])[];

interface Course {
  readonly right: Curve;
  readonly entropy: Curve;
  readonly dead: Curve;
  readonly extra: Curve;
  /** The first step with nine of ten answers right, in words. */
  readonly ripe: string;
}

interface DapoState {
  readonly plain: Course | null;
  readonly changed: Course | null;
  readonly isSame: boolean;
  readonly switches: readonly string[];
}

function ripeText(right: Curve): string {
  const first = right.find(([, share]) => share >= 0.9);
  return first ? `in step ${first[0]}` : `not within ${STEPS} steps`;
}

function course(run: LabRuns[number] | undefined): Course | null {
  if (!run) return null;
  const { records } = run;
  return {
    right: metricOf(records, "success_rate"),
    entropy: metricOf(records, "entropy"),
    dead: metricOf(records, "frac_reward_zero_std"),
    extra: metricOf(records, "sampling/extra_groups"),
    ripe: ripeText(metricOf(records, "success_rate")),
  };
}

function stateOf(values: Values, [plain, changed]: LabRuns): DapoState {
  const switches = [values.higher ? "clip higher" : "", values.tokens ? "token mean" : "", values.refill ? "dynamic sampling" : ""].filter(
    Boolean,
  );
  const same = (name: string) => {
    const [a, b] = [metricOf(plain?.records ?? [], name), metricOf(changed?.records ?? [], name)];
    return a.length > 0 && a.every(([, value], i) => Object.is(value, b[i]?.[1]));
  };
  return { plain: course(plain), changed: course(changed), isSame: same("reward") && same("entropy") && same("grad_norm"), switches };
}

const PLAIN: Values = { higher: 0, tokens: 0, refill: 0 };
const toggle = (id: string, label: string) => ({ id, label, min: 0, max: 1, step: 1, initial: 0, options: ["off", "on"] });

function Pair({
  state,
  read,
  name,
  top,
}: {
  readonly state: DapoState;
  readonly read: (course: Course) => Curve;
  readonly name: string;
  readonly top: number;
}) {
  const { plain, changed, switches } = state;
  return (
    <Plot
      title={name}
      x={[1, STEPS]}
      y={[0, top]}
      xName="step"
      yName={name}
      height={132}
      lines={[
        ...(plain ? [{ name: "GRPO", look: "faint" as const, points: read(plain) }] : []),
        ...(changed && switches.length > 0 ? [{ name: `with ${switches.join(", ")}`, look: "main" as const, points: read(changed) }] : []),
      ]}
    />
  );
}

export const dapo = defineLesson<DapoState>({
  id: "dapo",
  title: "Four changes under one name",
  question: "DAPO is GRPO with four changes. Which of them does a given run feel, and how?",
  minutes: 7,
  intro: (
    <>
      <p>
        The run of one digit again: 6 is right, all else wrong. Groups are small, four answers, so many have no{" "}
        <Term id="spread">spread</Term>. Each step takes four inner epochs over its samples. The four changes:
      </p>
      <ol className="lesson-list">
        <li>
          <b>Clip higher</b>: the upper clip range is 0.28 instead of 0.2.
        </li>
        <li>
          <b>Token mean</b>: the loss is the mean over all tokens, not over answers of the mean over their tokens.
        </li>
        <li>
          <b>Dynamic sampling</b>: groups with equal rewards are thrown away and sampled anew.
        </li>
        <li>
          <b>Overlong shaping</b>: the reward falls softly over the last tokens before the length limit.
        </li>
      </ol>
    </>
  ),
  controls: [toggle("higher", "Clip higher"), toggle("tokens", "Token mean"), toggle("refill", "Dynamic sampling")],
  runs: (values) => [
    { config: oneDigitRun(settings(PLAIN)), inspect: [] },
    { config: oneDigitRun(settings(values)), inspect: [] },
  ],
  state: stateOf,
  figureTitle: "One seed, with and without the switches",
  figure: (state, { phase }) =>
    phase < 0 ? (
      <p>Two runs of {STEPS} steps from the same seed will be drawn here.</p>
    ) : (
      <>
        <Pair state={state} read={({ right }) => right} name="share of right answers" top={1} />
        <Pair state={state} read={({ entropy }) => entropy} name="entropy" top={2.4} />
        <Pair state={state} read={({ dead }) => dead} name="dead groups" top={1} />
      </>
    ),
  table: ({ plain, changed }) => ({
    head: ["step", "right, GRPO", "right, switched", "entropy, GRPO", "entropy, switched", "dead, GRPO", "dead, switched"],
    rows: (plain?.right ?? []).map(([step, right], i) => [
      String(step),
      right,
      changed?.right[i]?.[1] ?? Number.NaN,
      plain?.entropy[i]?.[1] ?? Number.NaN,
      changed?.entropy[i]?.[1] ?? Number.NaN,
      plain?.dead[i]?.[1] ?? Number.NaN,
      changed?.dead[i]?.[1] ?? Number.NaN,
    ]),
  }),
  prediction: {
    text: (
      <p>
        Every answer of this run has exactly one token. One of these three switches cannot change anything in it, not in the last bit.
        Which?
      </p>
    ),
    ask: { kind: "choice", options: ["Clip higher", "Token mean", "Dynamic sampling"] },
    set: { tokens: 1 },
  },
  judge: (answer, { isSame }) => {
    const numbers = isSame
      ? "Your two runs, with and without the token mean, have the same reward, entropy and gradient norm in all steps, to the last bit."
      : "Your two runs differ in rounding only.";
    const why = "Where all answers have the same length, the mean over tokens is the mean over answers of the mean over their tokens.";
    if (answer === 1)
      return {
        isRight: true,
        reason: (
          <p>
            {why} {numbers}
          </p>
        ),
      };
    return {
      isRight: false,
      reason: (
        <p>
          {answer === 0
            ? "With four inner epochs and this learning rate, ratios do pass 1.2, so a wider clip lets more through."
            : "Groups of four are often all wrong here, so refilling them changes what is learnt from at once."}{" "}
          It is the token mean: {why} {numbers}
        </p>
      ),
    };
  },
  phases: [
    {
      title: "Token mean: nothing here",
      set: { higher: 0, tokens: 1, refill: 0 },
      text: ({ isSame }) => (
        <p>
          The two curves lie on each other{isSame ? ", to the last bit" : ""}. The token mean matters where answers differ in length, as in
          the lesson on divisions. Overlong shaping is idle here for the same reason.
        </p>
      ),
    },
    {
      title: "Dynamic sampling",
      set: { higher: 0, tokens: 0, refill: 1 },
      text: ({ plain, changed }) => {
        const extra = changed?.extra ?? [];
        const mean = extra.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, extra.length);
        return (
          <p>
            In the first step {shareText(plain?.dead[0]?.[1] ?? Number.NaN)} of the groups had equal rewards; refilled,{" "}
            {shareText(changed?.dead[0]?.[1] ?? Number.NaN)}: the trainer stops after {TRIES} rounds of sampling and keeps what is still
            flat. Nine of ten answers are right {changed?.ripe}, without it {plain?.ripe}. It is not free: {Math.round(mean)} more groups
            were sampled per step than the 8 that count.
          </p>
        );
      },
    },
    {
      title: "Clip higher",
      set: { higher: 1, tokens: 0, refill: 0 },
      formula: () => ({
        tex: String.raw`\operatorname{clip}\bigl(\rho,\; 1 - \varepsilon_{\text{low}},\; 1 + \varepsilon_{\text{high}}\bigr), \qquad \varepsilon_{\text{low}} = 0.2,\ \varepsilon_{\text{high}} = 0.28`,
        spoken: "Clip rho to between one minus epsilon low and one plus epsilon high, 0.2 and 0.28",
      }),
      text: ({ plain, changed }) => (
        <p>
          A token of probability 0.01 may rise to 0.012 before a clip of 0.2 holds it; one of 0.9 is never held, since it can only reach 1.
          So the upper clip keeps rare tokens rare. A higher one lets exploration live. In your run nine of ten are right {changed?.ripe},
          without it {plain?.ripe}. One seed tells two runs apart, not two settings.
        </p>
      ),
    },
    {
      title: "Overlong shaping",
      formula: () => ({
        tex: String.raw`R_{\text{length}}(y) = \begin{cases} 0, & |y| \le L_{\max} - L_{\text{cache}} \\ \dfrac{(L_{\max} - L_{\text{cache}}) - |y|}{L_{\text{cache}}}, & L_{\max} - L_{\text{cache}} < |y| \le L_{\max} \\ -1, & L_{\max} < |y| \end{cases}`,
        spoken: "The length reward is zero up to L max minus L cache, then falls linearly, and is minus one beyond L max",
      }),
      text: () => (
        <p>
          The fourth change is a reward. With a limit of 16 tokens and a buffer of 4, the trainer's function gives{" "}
          {[12, 13, 14, 15, 16]
            .map((length) => `${overlongPunishment(length, 16, 4)} at ${length} tokens`)
            .join(", ")
            .replaceAll("-", "−")}
          . A cut-off answer is not simply wrong; it is told how far it ran over.
        </p>
      ),
    },
  ],
  play: <p>Switch on all three. Which curve moves most, and which switch is it? Watch the entropy: what ends it early?</p>,
  transfer: {
    text: "You train on short arithmetic answers of about equal length, one inner epoch per batch, and most prompts are either always or never solved. Which part of DAPO is worth trying first?",
    options: [
      {
        text: "Dynamic sampling.",
        isRight: true,
        reason:
          "Dead groups are the problem described. With one inner epoch all ratios are 1, so no clip acts, and equal lengths make the token mean idle.",
      },
      { text: "Clip higher.", reason: "With one inner epoch per batch every ratio is 1: nothing is ever clipped." },
      { text: "Token mean.", reason: "With answers of equal length it is the same as GRPO's mean." },
    ],
  },
  sources: [
    { text: "Yu et al. 2025, DAPO, sections 3.1 to 3.4 and equation 13", href: "https://arxiv.org/abs/2503.14476" },
    { text: "The lesson on what the divisions favour shows the token mean at work" },
  ],
  inLoop: ({ plain, changed }, { higher, tokens }) => ({
    clip: higher ? "0.2 below 1, 0.28 above" : "0.2 either way",
    weight: `1/32 at each of 32 tokens, as a mean over ${tokens ? "tokens" : "answers"}`,
    rewards_G: `all equal in ${shareText(changed?.dead[0]?.[1] ?? Number.NaN)} of the groups of step 1; ${shareText(plain?.dead[0]?.[1] ?? Number.NaN)} under GRPO`,
    rewards: "nothing is overlong here",
  }),
  train: (values) => {
    const { clipHigh, aggregation, dynamicSampling } = settings(values);
    return oneDigitAddress({
      clipHigh: String(clipHigh),
      aggregation,
      dynamicSampling: String(dynamicSampling),
      promptsPerStep: "8",
      groupSize: "4",
      innerEpochs: "4",
      steps: String(STEPS),
      learningRate: "2",
    });
  },
});
