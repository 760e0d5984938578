// Lesson 8: DAPO is four changes. Each can be switched on by itself in the reader's run, beside the same run without.
import { shareText } from "../../../protocol/quantities.ts";
import { overlongPunishment } from "../../../rl/rewards/combineParts.ts";
import { oneDigitRun, RIGHT_DIGIT, tableAddress } from "../../experiment/lab/labRun.ts";
import { Term } from "../../kit/words/Term.tsx";
import { Plot } from "../figures/Plot.tsx";
import { choiceControl, defineLesson, oneOf, type Values, verdictOn } from "../lesson/lesson.ts";
import {
  type Curve,
  type DapoState,
  GROUPS,
  heldText,
  meanOfCurve,
  type RunCurves,
  SETTLED,
  STEPS,
  settings,
  settledText,
  stateOf,
  TRIES,
} from "./dapoRuns.ts";

const REFILL_PHASE = 1;
const OVERLONG_PHASE = 3;
const LIMIT = 16;
const BUFFER = 4;
const OVERLONG = [
  {
    name: "R length",
    look: "main" as const,
    points: Array.from({ length: 13 }, (_, i) => [8 + i, overlongPunishment(8 + i, LIMIT, BUFFER)] as const),
  },
];

const CURVES = ["right", "entropy", "dead"] as const;
const PLAIN: Values = { higher: 0, tokens: 0, refill: 0 };
const toggle = (id: string, label: string) => choiceControl(id, label, ["off", "on"]);

function Pair({
  state,
  read,
  name,
  top,
}: {
  readonly state: DapoState;
  readonly read: (curves: RunCurves) => Curve;
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

const right = (state: DapoState) => <Pair state={state} read={(curves) => curves.right} name="right answers, of the groups kept" top={1} />;
const dead = (state: DapoState) => <Pair state={state} read={(curves) => curves.dead} name="dead groups" top={1} />;

export const dapo = defineLesson({
  id: "dapo",
  title: "Four changes under one name",
  question: "DAPO is GRPO without a KL and with four changes. Which of them does a given run feel, and how?",
  minutes: 7,
  intro: (
    <>
      <p>
        The run of one digit again: 6 is right, all else wrong. Groups are small, four answers, so many have no{" "}
        <Term id="spread">spread</Term>. Each step samples {GROUPS} groups and takes four inner epochs over them. The four changes:
      </p>
      <ol className="lesson-list">
        <li>
          <b>Clip higher</b>: the upper clip range is 0.28 instead of 0.2.
        </li>
        <li>
          <b>Token mean</b>: the loss is the mean over all tokens, not over answers of the mean over their tokens.
        </li>
        <li>
          <b>Dynamic sampling</b>: groups with equal rewards are thrown away, and groups of further prompts sampled in their place.
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
    ) : phase === OVERLONG_PHASE ? (
      <Plot title="Overlong shaping" x={[8, 20]} y={[-1, 0]} xName="tokens of the answer" yName="added to its reward" lines={OVERLONG} />
    ) : (
      <>
        {/* What a phase is about stands first: on a phone only the upper two are in sight. */}
        {phase === REFILL_PHASE && dead(state)}
        {phase !== REFILL_PHASE && right(state)}
        <Pair state={state} read={({ entropy }) => entropy} name="entropy" top={2.4} />
        {phase === REFILL_PHASE ? right(state) : dead(state)}
      </>
    ),
  table: ({ plain, changed }) => ({
    head: ["step", "right, GRPO", "right, switched", "entropy, GRPO", "entropy, switched", "dead, GRPO", "dead, switched"],
    rows: (plain?.right ?? []).map(([step], i) => [
      String(step),
      ...CURVES.flatMap((curve) => [plain, changed].map((run) => run?.[curve][i]?.[1] ?? Number.NaN)),
    ]),
  }),
  prediction: {
    text: (
      <p>
        Every answer of this run has exactly one token. One of these three switches cannot change anything in it, not in the last bit.
        Which?
      </p>
    ),
    ask: oneOf(["Clip higher", "Token mean", "Dynamic sampling"]),
    set: { tokens: 1 },
  },
  judge: (answer, { isSame }) => {
    const numbers = isSame
      ? "Your two runs, with and without the token mean, have the same reward, entropy and gradient norm in all steps, to the last bit."
      : "Your two runs differ in rounding only.";
    const why = "Where all answers have the same length, the mean over tokens is the mean over answers of the mean over their tokens.";
    const reasons = [
      `With four inner epochs and this learning rate, ratios do pass 1.2, so a wider clip lets more through. It is the token mean: ${why}`,
      why,
      `Groups of four are often all wrong here, so refilling them changes what is learnt from at once. It is the token mean: ${why}`,
    ];
    return verdictOn(answer, 1, reasons, numbers);
  },
  phases: [
    {
      title: "Token mean: nothing here",
      set: { higher: 0, tokens: 1, refill: 0 },
      text: ({ isSame }) => (
        <p>
          The two curves lie on each other{isSame ? ", to the last bit" : ""}. The token mean matters where answers differ in length, as in
          the lesson on divisions. The fourth change, a reward for staying short, needs such answers, too.
        </p>
      ),
    },
    {
      title: "Dynamic sampling",
      set: { higher: 0, tokens: 0, refill: 1 },
      text: ({ plain, changed }) => (
        <>
          <p>
            The trainer samples up to {TRIES} rounds, the first included, and then keeps groups that are still dead. In the first step{" "}
            {shareText(plain?.dead[0]?.[1] ?? Number.NaN)} of the groups had equal rewards; refilled,{" "}
            {shareText(changed?.dead[0]?.[1] ?? Number.NaN)}. It is not free: {Math.round(meanOfCurve(changed?.extra))} more groups were
            sampled per step, on average, than the {GROUPS} that count.
          </p>
          <p>
            The curve of right answers counts only groups that were kept, so it cannot tell which run learns faster: in step 1 the policies
            are the same, and it says {shareText(changed?.right[0]?.[1] ?? Number.NaN)} and {shareText(plain?.right[0]?.[1] ?? Number.NaN)}.
            The <Term id="entropy">entropy</Term> is the policy's own, and falls as the policy settles on the 6: below {SETTLED}{" "}
            {settledText(changed)}, without the switch {settledText(plain)}.
          </p>
        </>
      ),
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
          So the upper clip keeps rare tokens rare, also those that turn out to be right, as the 6 here at first. In the first ten steps of
          your run it held {heldText(plain)} of the tokens, at 0.28 only {heldText(changed)}, and the entropy falls below {SETTLED}{" "}
          {settledText(changed)} instead of {settledText(plain).replace("in step", "step")}. Where many tokens are rare and good, as in long
          texts, the DAPO paper sees entropy live longer with it.
        </p>
      ),
    },
    {
      title: "Overlong shaping",
      set: { higher: 0, tokens: 0, refill: 0 },
      formula: () => ({
        tex: String.raw`\begin{aligned} u &= |y| - (L_{\max} - L_{\text{cache}}) \\ R_{\text{length}} &= -\min\bigl(1,\; \max(0, u) / L_{\text{cache}}\bigr) \end{aligned}`,
        spoken:
          "u is the length of y minus the difference of L max and L cache. The length reward is minus the smaller of one and the larger of zero and u, over L cache",
      }),
      text: () => (
        <p>
          The fourth change is a reward for the length |y| of an answer. L<sub>max</sub> is the limit, here 16 tokens, and L<sub>cache</sub>{" "}
          a buffer before it, here 4. The trainer's function gives{" "}
          {[12, 13, 14, 15, 16]
            .map((length) => `${overlongPunishment(length, LIMIT, BUFFER)} at ${length} tokens`)
            .join(", ")
            .replaceAll("-", "−")}
          . An answer that comes near the limit is warned by degrees before it is cut off there.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Switch them on one by one, then all three. Which curve moves most, and with which switch is the entropy gone earliest? Here a single
      answer is right and that is the aim; where several are, it can be too early.
    </p>
  ),
  transfer: {
    text: "You train on short arithmetic answers of about equal length, one inner epoch per batch, and most prompts are either always or never solved. Which part of DAPO is worth trying first?",
    options: [
      { text: "Clip higher.", reason: "With one inner epoch per batch every ratio is 1: nothing is ever clipped." },
      { text: "Token mean.", reason: "With answers of equal length it is the same as GRPO's mean." },
      {
        text: "Dynamic sampling.",
        isRight: true,
        reason:
          "Dead groups are the problem described. With one inner epoch all ratios are 1, so no clip acts, and equal lengths make the token mean idle.",
      },
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
  train: (values) => tableAddress({ ...RIGHT_DIGIT, ...settings(values) }),
});
