// Groups whose answers all earn the same have advantages of 0 and teach nothing (Yu et al. 2025, DAPO,
// arXiv 2503.14476, section 3.2). Here none of them is right: the reward is out of reach, and what the answers look like says why.
import { measureText, shareText } from "../../protocol/quantities.ts";
import { paysForAnswers } from "../../protocol/run/paidParts.ts";
import { EQUAL } from "../verdict/history.ts";
import { type Diagnosis, NOISE_NATS, type RunEvidence, SIZES } from "./diagnosis.ts";
import { partialReward } from "./nearMisses.ts";
import { ofAnswers, type Recent, recentOf } from "./recent.ts";

/** The share that could still be right where none was, from which a run is too short to say. */
const RARE = 0.1;
/** Without a sign of why, a success may only be rare: so many steps of nothing are waited for. */
const PATIENCE = 12;
/** Shares of tied and of wrong groups from which few other ones count no more; after so many steps. */
const FLAT = 0.8;
const WRONG = 0.8;
const STEPS = 20;
/** Share of the answers from which a sign tells of all. */
const MOST = 0.5;

interface Looks {
  /** What the answers look like, where that is known. */
  readonly seen: readonly string[];
  /** Whether most of them are no answers at all. */
  readonly isTelling: boolean;
}

function looksOf(run: RunEvidence, recent: Recent): Looks {
  const [cut, empty, entropy] = (["completions/clipped_ratio", "completions/empty_ratio", "entropy"] as const).map(recent.mean);
  const form = run.evaluations.at(-1)?.formRate ?? Number.NaN;
  const { maxCompletionTokens: limit } = run.config;
  const isUnpaid = run.rewards?.every(({ weight }) => weight === 0) ?? false;
  const signs = [
    { isSeen: isUnpaid, isTelling: true, text: "no part of the reward has a weight other than 0" },
    {
      isSeen: cut! > 0,
      isTelling: cut! > MOST,
      text: `${shareText(cut!)} of the answers were cut off${limit ? ` at ${limit} tokens` : ""}`,
    },
    { isSeen: empty! > 0, isTelling: empty! > MOST, text: `${shareText(empty!)} were empty` },
    {
      isSeen: form < 1,
      isTelling: form < 1 - MOST,
      text: `${shareText(form)} of the likeliest answers to held-out problems had the form that the task asks for`,
    },
    {
      isSeen: entropy! > NOISE_NATS,
      isTelling: entropy! > NOISE_NATS,
      text: `the entropy was ${measureText(entropy!)} nats a token: the answers are noise`,
    },
  ].filter(({ isSeen }) => isSeen);
  return { seen: signs.map(({ text }) => text), isTelling: signs.some(({ isTelling }) => isTelling) };
}

/** Whether hardly an answer earns what others do not, or none at all. */
function reach(run: RunEvidence, recent: Recent, { isTelling }: Looks): "none" | "hardly" | null {
  const [flat, wrong, right] = (["frac_reward_zero_std", "groups/all_wrong", "success_rate"] as const).map(recent.mean);
  const isLow = recent.mean("reward_std") <= EQUAL && recent.mean("reward") <= EQUAL;
  const isLong = isTelling || recent.steps >= PATIENCE;
  if (isLow && isLong && flat === 1 && !(right! > 0 && paysForAnswers(run.rewards)) && ofAnswers(0, recent)[1] < RARE) return "none";
  return recent.steps >= STEPS && flat! >= FLAT && wrong! >= WRONG && partialReward(run) === null ? "hardly" : null;
}

export const nothingEarned: Diagnosis = {
  id: "nothing-earned",
  title: "Nothing earns anything",
  explains:
    "An advantage compares an answer with the others of its group. Where all answers of a group earn the same, every advantage is 0 and the update learns nothing from them. Here all answers are equally bad: hardly any earns more than the others.",
  leadsTo: ["tied-groups", "near-misses"],
  knowsUnpaid: true,
  needs: { metrics: ["reward", "reward_std", "frac_reward_zero_std"], settings: SIZES },
  find(run) {
    const recent = recentOf(run);
    const looks = recent && looksOf(run, recent);
    const how = looks && reach(run, recent, looks);
    if (!how) return null;
    const seen = looks.seen.join("; ").replace(/^./, (letter) => ` ${letter.toUpperCase()}`);
    const isOnServer = run.config.backend === "tinker";
    const isNoise = recent.mean("entropy") > NOISE_NATS;
    const norm = recent.mean("grad_norm");
    const flat = recent.mean("frac_reward_zero_std");
    const wrong = recent.mean("groups/all_wrong");
    const earned =
      how === "none"
        ? `${recent.when} none of ${recent.answers.toLocaleString("en")} answers earned anything: every reward was ${measureText(recent.mean("reward"))}`
        : `${recent.when} ${shareText(flat)} of the groups had equal rewards, and in ${shareText(wrong)} no answer was right`;
    return {
      remedy: null,
      evidence: `${earned}${Number.isFinite(norm) ? `; the gradient norm was ${measureText(norm)}` : ""}.${seen === "" ? "" : `${seen}.`}`,
      tries: [
        ...(run.rewards?.every(({ weight }) => weight === 0) ? ["A weight for a part of the reward."] : []),
        ...(isNoise ? ["A start that knows the task's form: a checkpoint that was trained for it, or supervised training first."] : []),
        "An easier task first, or a curriculum, so that some answers are right from the start.",
        "A reward that gives something for being near.",
        // A server scores at temperature 1 alone.
        `More completions in a group, ${isOnServer ? "" : "a higher temperature, "}no top-k: rare successes need many and different tries.`,
        ...(isNoise ? [] : ["A warm start on worked examples, or a few examples shown before each question."]),
      ],
    };
  },
};
