// Which lines of the readable loop run in each phase of each lesson. A line is named by a piece of it that stands in
// the file once, so a line that is rewritten is missed by the test and not by the reader.

export interface LoopPlace {
  readonly at: readonly string[];
  /** What the lesson does otherwise than these lines. */
  readonly note?: string;
  /** These lines do not run in the lesson: they stand where it does something else. */
  readonly isInstead?: true;
}

const DRAW = "const groups_P = await rollOut(";
const BUILD = "const envs_P_G = examples.map(";
const SAMPLE = "const sampled = await open.sample(";
const OWN_TOKENS = "const tokens = own(sampled.tokens_BT);";
const ONE_TURN = "env.step({ message })";
const MASK = "mask: tokens.map(() => 1),";
const SCORE = "const judged_P_G = await scoreGroups(";
const MEAN_REWARD = "const meanReward = mean(";
const COMPARE = "const advantages_Q = rewards_P_G.flatMap(";
const CENTRE = "const centre = mean(rewards_G);";
const EQUAL = "if (Math.max(...rewards_G) - Math.min(";
const STD = "const std = Math.sqrt(";
const RELATIVE = "(reward - centre) / (std + 1e-4)));";
const PASSES = "for (let epoch = 0;";
const UPDATE = "const update = await model.update(";
const NORM = "gradNorm += update.gradNorm;";
const A = "const A = advantages_Q[q]!;";
const WEIGHT = "const weight = 1 / (";
const RATIO = "const w = exp(";
const CLIPPED = "const clipped = Math.max(";
const POLICY_LOSS = "policy += weight * ";
const HELD = "const isHeld = A > 0 ?";
const PUSH = "const push = isHeld ? 0 :";
const LOG_RATIO = "const d = logprob - ";
const K3 = "const D = expm1(";
const KL_LOSS = "kl += klCoef * weight * D;";
const PULL = "const pull = klCoef";
const GRADIENT = "gradient_K[k - firstToken] = pull + push;";
const NO_CRITIC = "entropies_K: null, values_K: null };";

const REINFORCE = "REINFORCE has the reward itself where GRPO has A.";
const BASELINE = "This lesson subtracts b where GRPO subtracts centre, and divides by nothing.";
const PER_TOKEN = "PPO has an advantage of its own for each token k where GRPO has one A for the whole answer.";

/** By the lessons' ids, one place for each phase. */
export const LOOP_PLACES: Readonly<Record<string, readonly LoopPlace[]>> = {
  "policy-gradient": [{ at: [SAMPLE] }, { at: [SCORE] }, { at: [PUSH], note: REINFORCE }, { at: [UPDATE] }],
  baseline: [
    { at: [CENTRE, RELATIVE], note: BASELINE },
    { at: [CENTRE, RELATIVE], note: BASELINE },
    { at: [CENTRE, GRADIENT], note: "What centre is does not move the gradient's average, as long as it knows nothing of the draw." },
    { at: [CENTRE, RELATIVE], note: BASELINE },
  ],
  "group-advantage": [
    { at: [SCORE] },
    { at: [CENTRE] },
    { at: [STD, RELATIVE] },
    { at: [CENTRE, RELATIVE], note: "RLOO has the mean of the others for centre, and divides by nothing." },
  ],
  "dead-groups": [{ at: [EQUAL] }, { at: [A, PUSH] }, { at: [EQUAL, NORM] }, { at: [BUILD, EQUAL] }],
  ratio: [{ at: [RATIO, POLICY_LOSS, NORM] }, { at: [PASSES, RATIO, CLIPPED] }, { at: [HELD, PUSH] }],
  kl: [
    { at: [LOG_RATIO, K3], note: "d is k1, D is k3." },
    {
      at: [LOG_RATIO],
      note: "k1 in the loss would be d itself, with the derivative 1 at each token; k2 would be d²/2, with the derivative d.",
    },
    { at: [K3, PULL], note: "pull is the derivative of k3, times its weight in the loss." },
    { at: [KL_LOSS, PULL] },
  ],
  "length-bias": [
    { at: [A, WEIGHT, PUSH] },
    { at: [WEIGHT, PUSH], note: "DAPO divides by the tokens of the whole batch, whatever the answer's length." },
    { at: [WEIGHT, PUSH], note: "Dr. GRPO divides by 40 · Q, the length limit in place of the answer's length." },
    { at: [RELATIVE] },
  ],
  dapo: [
    { at: [WEIGHT], note: "The token mean divides by the tokens of all answers; where each has one token that is the same number." },
    { at: [DRAW, EQUAL], note: "Dynamic sampling throws such a group away and draws again, before anything is compared." },
    { at: [CLIPPED, HELD], note: "DAPO has one ε for the lower end of the clip and a larger one for the upper." },
    { at: [SCORE], note: "The punishment is added to what scoreGroups gives." },
  ],
  "reward-hacking": [
    { at: [SCORE, MEAN_REWARD], note: "No line of the loop knows which answers are truly right." },
    { at: [SAMPLE] },
    { at: [SCORE] },
    { at: [SCORE, MEAN_REWARD] },
  ],
  "tool-mask": [
    { at: [ONE_TURN], isInstead: true, note: "Here the trainer inserts the reply and samples on; the readable loop stops at one turn." },
    {
      at: [MASK],
      isInstead: true,
      note: "One turn is all the policy's own. With a reply in it, the trainer writes 0 at each inserted token.",
    },
    { at: [WEIGHT, PUSH], note: "The loop would go over the inserted tokens as over all others." },
    { at: [OWN_TOKENS], note: "The ids are kept as they were sampled; text is never encoded again." },
  ],
  critic: [
    { at: [COMPARE, A] },
    { at: [NO_CRITIC], isInstead: true, note: "GRPO's loss asks nothing of a critic. PPO's carries a second gradient, to the values." },
    { at: [A], isInstead: true, note: PER_TOKEN },
    { at: [A], isInstead: true, note: PER_TOKEN },
  ],
  "few-numbers": [
    { at: [UPDATE], note: "The loop does not know which numbers the model moves." },
    { at: [UPDATE, NORM] },
    { at: [UPDATE, NORM] },
    { at: [CENTRE], note: "This is all that an update is told of an answer." },
  ],
};
