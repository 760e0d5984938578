// What the answers of a first step say of a run before it is started: whether there is anything in them to learn from, and
// if not, what to change first. The diagnoses of a run that goes on ask for two steps and for shares that are sure;
// before the start there is one step, and nothing is lost by a warning.
import type { RunConfig } from "../../protocol/config.ts";
import type { TriedStep } from "../../protocol/custom/tried.ts";
import { counted, measureText, shareText } from "../../protocol/quantities.ts";
import { noSpreadChance } from "../advantage/statistics.ts";
import { positionalReward } from "../rewards/customReward.ts";
import { cutOff as cutOffRun, moreTokens } from "./cutOff.ts";
import type { Diagnosis, Finding } from "./diagnosis.ts";
import { nothingEarned as nothingEarnedRun } from "./nothingEarned.ts";
import { LARGEST_GROUP, tiedGroups as tiedGroupsRun } from "./tiedGroups.ts";

export interface FirstFinding extends Finding {
  readonly id: string;
  readonly title: string;
}

export interface FirstStep {
  /** What was counted, in a sentence or two. */
  readonly says: string;
  /** What keeps the step from teaching anything, the likeliest cause first; nothing where it teaches. */
  readonly findings: readonly FirstFinding[];
}

/** From so many answers cut off the limit is named as a cause, and from so many groups without spread their size. */
const MANY = 0.5;
/** Fewer answers than these that earn something are few. */
const FEW = 0.25;

/** A cause has one name, before the start and in the run. */
const named = ({ id, title }: Diagnosis): Pick<FirstFinding, "id" | "title"> => ({ id, title });

interface FirstCounts extends TriedStep {
  readonly config: RunConfig;
  readonly answers: number;
  readonly cut: number;
  readonly tied: number;
}

/** A reward that is written for other arguments than it gets, where nothing earns anything. */
function wrongCall({ config, earning }: FirstCounts): FirstFinding | null {
  const wrong = Object.values(config.customRewards).flatMap(({ source }) => positionalReward(source) ?? []);
  if (earning > 0 || wrong.length === 0) return null;
  const [evidence = ""] = wrong;
  return { id: "wrong-call", title: "The reward expects other arguments", evidence, tries: [], remedy: null, isCause: true };
}

function cutOff({ config, answers, cut, scored, earning, prompts, tied }: FirstCounts): FirstFinding | null {
  if (cut < MANY * answers || (earning >= FEW * scored && tied < MANY * prompts)) return null;
  const limit = config.maxCompletionTokens;
  const remedy = moreTokens({ config });
  return {
    ...named(cutOffRun),
    evidence: `${cut} of ${answers} answers were cut off at ${counted(limit, "token")}, before their end.`,
    tries: [
      ...(remedy ? [`A completion limit of ${remedy.settings.maxCompletionTokens}.`] : []),
      "Part credit: a reward that pays for a good beginning too.",
      "A system prompt or an example that asks for short answers.",
    ],
    remedy,
    isCause: true,
  };
}

function nothingEarned({ answers, scored, earning, metrics, prompts, tied }: FirstCounts): FirstFinding | null {
  if (scored === 0 || earning > 0 || tied < prompts) return null;
  return {
    ...named(nothingEarnedRun),
    evidence: `${answers} answers were sampled, and each earned ${measureText(metrics.reward ?? 0)}. Where all answers earn the same, there is nothing to learn from.`,
    tries: [
      "Part credit: a reward that also pays for coming near.",
      "A system prompt, or an example shown first, that asks for what is paid.",
      "More answers to each prompt, if the reward is rarely met but not never.",
    ],
    remedy: null,
  };
}

function nothingScored({ answers, scored }: FirstCounts): FirstFinding | null {
  if (scored > 0) return null;
  return {
    id: "nothing-scored",
    title: "Nothing says what an answer is worth",
    evidence: `None of ${answers} answers could be scored.`,
    tries: ["A reward.", "Answers to the prompts, so that they can be compared."],
    remedy: null,
    isCause: true,
  };
}

function allEarned({ scored, earning, metrics, prompts, tied }: FirstCounts): FirstFinding | null {
  if (earning === 0 || earning < scored || tied < prompts) return null;
  return {
    id: "all-earned",
    title: "All answers to a prompt earn the same",
    evidence: `In each of ${counted(prompts, "group")} all answers earned the same, ${measureText(metrics.reward ?? 0)} on average. So no answer is better than another, and there is nothing to learn from.`,
    tries: [
      "A reward that asks for more, or that tells good answers from better ones.",
      "Harder prompts, or a model that answers one prompt in several ways.",
    ],
    remedy: null,
  };
}

function tiedGroups({ config, prompts, groupSize, isWhole, tied, earning, scored }: FirstCounts): FirstFinding | null {
  if (tied < MANY * prompts || earning === 0 || (earning === scored && tied === prompts)) return null;
  const p = earning / scored;
  const twice = Math.min(LARGEST_GROUP, 2 * config.groupSize);
  const [now, then] = [config.groupSize, twice].map((size) => shareText(1 - noSpreadChance(p, size)));
  const chance =
    p < 1 && twice > config.groupSize
      ? ` If every answer earns something with a chance of ${shareText(p)}, ${now} of the groups of ${config.groupSize} have some that do and some that do not; of groups of ${twice}, ${then}.`
      : "";
  return {
    ...named(tiedGroupsRun),
    evidence: `In ${tied} of ${counted(prompts, "group")}${isWhole ? "" : ` of ${groupSize}`} all answers earn the same, so they teach nothing.${chance}`,
    tries: [
      `${twice} answers to each prompt.`,
      "Prompts that are neither too hard nor too easy.",
      "Part credit, so that answers differ in what they earn.",
    ],
    remedy: twice > config.groupSize ? { settings: { groupSize: twice } } : null,
  };
}

function countsText({ config, answers, scored, earning, cut, prompts, tied }: FirstCounts): string {
  const earns = `${earning} of ${scored} answers ${earning === 1 ? "earns" : "earn"} ${earning === 0 ? "anything" : "something"}`;
  const unscored = scored < answers ? `, ${answers - scored} could not be scored` : "";
  const cuts = cut === 0 ? "none is cut off" : `${shareText(cut / answers)} are cut off at ${counted(config.maxCompletionTokens, "token")}`;
  const spread = `${prompts - tied} of ${counted(prompts, "group")} ${prompts - tied === 1 ? "has" : "have"} better and worse answers to learn from.`;
  return `${earns}${unscored}, ${cuts}. ${spread}`;
}

/** What a tried step says. @param config of the run whose step it is. */
export function judgeFirstStep(tried: TriedStep, config: RunConfig): FirstStep {
  const { metrics, prompts, groupSize } = tried;
  const answers = prompts * groupSize;
  const counted = (share: number | undefined, of: number) => Math.round((share ?? 0) * of);
  const counts: FirstCounts = {
    ...tried,
    config,
    answers,
    cut: counted(metrics["completions/clipped_ratio"], answers),
    tied: counted(metrics.frac_reward_zero_std, prompts),
  };
  const found = [nothingScored, wrongCall, cutOff, nothingEarned, allEarned, tiedGroups].flatMap((find) => find(counts) ?? []);
  return { says: countsText(counts), findings: found };
}
