// Route a question to the right expert, as in Router-R1: specialists are cheap and know their domain, a
// generalist is dear and knows all. The policy cannot answer by itself; it has to learn whom to ask.

import { choice, integer, number, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { makeName, makeWord } from "../../data/names.ts";
import { isOwnPrompt } from "../../data/ownPrompt.ts";
import { splitProblems } from "../../data/splitProblems.ts";
import { routerEnv } from "../../envs/routerEnv.ts";
import type { Random } from "../../random.ts";
import { em, f1, isExact } from "../../rewards/match/textMatch.ts";
import { formatPenalty, formatSlip, routerReward, transcriptOf } from "../../rewards/routerReward.ts";
import type { Speaker } from "../../rollout/demonstration.ts";
import type { Example } from "../../types.ts";
import { SHORT_ANSWERS } from "../classic/textTask.ts";
import { defineTask } from "../task.ts";
import { adviceOf, cheapestExpert, DOMAINS, type Domain, EXPERTS, type Expert, expertNamed, type Inquiry, knows } from "./experts.ts";

const optionsSchema = z.strictObject(
  section("task", {
    form: choice(
      ["recipe", "dominant"],
      "recipe",
      "Reward form",
      "The recipe adds metric, penalty and cost; in the dominant form a broken format is -1 whatever the answer.",
    ),
    metric: choice(["em", "f1"], "em", "Metric", "Judge the answer by exact match or by token F1.", {
      titles: { em: "Exact match", f1: "Token F1" },
    }),
    costCoefficient: number(0, 1, 0, "Cost coefficient", "Weight of what the experts cost."),
    skill: number(
      0.5,
      1,
      0.9,
      "Skill",
      "Share of the problems of its domain that a specialist knows; the generalist knows half of the rest too.",
    ),
    maxCalls: integer(1, 8, 4, "Most calls", "Experts that are asked in one conversation."),
  }),
);

const SYSTEM = `Ask experts: ${EXPERTS.map(({ name, domain, price }) => `${name} ${domain} ${price}`).join(", ")}.`;
const DEAREST = Math.max(...EXPERTS.map(({ price }) => price));
const isExpert = (name: string) => expertNamed(name) !== null;
const rewardRule = routerReward(isExpert);
const penaltyRule = formatPenalty(isExpert);

/** A question with its domain and answer; the query is what an expert is asked. */
interface Question {
  readonly [key: string]: string;
  readonly domain: Domain;
  readonly question: string;
  readonly query: string;
  readonly answer: string;
}

function drawQuestion(random: Random): Question {
  const domain = random.pick(DOMAINS);
  if (domain === "sums") {
    const a = 11 + random.below(89);
    const b = 11 + random.below(89);
    return { domain, question: `What is ${a} * ${b}?`, query: `${a} * ${b}`, answer: String(a * b) };
  }
  if (domain === "words") {
    const word = [...makeWord(3 + random.below(3), random)];
    return { domain, question: `Reverse ${word.join("-")}.`, query: word.join("-"), answer: word.toReversed().join("-") };
  }
  const town = makeName(random);
  return { domain, question: `In which land is ${town}?`, query: town, answer: makeName(random) };
}

const inquiryOf = (id: string, { domain, answer }: Question): Inquiry => ({ id, domain, answer });

/** Asks one expert and passes on what that one says. */
function router({ domain, query }: Question, { name }: Expert): Speaker {
  return ({ messages }) => {
    const last = messages.at(-1);
    const content =
      last?.role === "tool" ? `<answer>${last.content}</answer>` : `<think>${domain}</think><search>${name}: ${query}</search>`;
    return { role: "assistant", content };
  };
}

export const routing = defineTask({
  id: "router",
  title: "Router",
  summary: "Ask the expert who knows, at the lowest price, and pass the answer on.",
  rendererKind: "chat",
  severalTurns: true,
  optionsSchema,
  rewards: [rewardRule, em, f1, penaltyRule].map((rule) => (rule === em ? { ...em, weight: 0 } : rule)),
  config: { ...SHORT_ANSWERS, checkpoint: "search", maxCompletionTokens: 40 },
  create({ form, metric, costCoefficient, skill, maxCalls }, seed) {
    const { trainLoader, evaluation, problemOf } = splitProblems<Question>(
      {
        label: "router",
        draw(random) {
          // A problem that nobody knows teaches nothing, and one that everybody knows asks nothing.
          for (;;) {
            const question = drawQuestion(random);
            const inquiry = inquiryOf(question.question, question);
            if (cheapestExpert(inquiry, skill) && EXPERTS.some((expert) => !knows(expert, inquiry, skill))) return question;
          }
        },
        key: ({ question }) => question,
        pose: ({ question, answer }) => ({
          messages: [
            { role: "system", content: SYSTEM },
            { role: "user", content: question },
          ],
          answer,
        }),
      },
      seed,
    );
    const inquiryAbout = (example: Example) => {
      const question = problemOf(example);
      return inquiryOf(question.question, question);
    };
    return {
      trainLoader,
      evaluation,
      envs: {
        build(example) {
          // What somebody else asks is no expert's domain.
          const inquiry = isOwnPrompt(example) ? null : inquiryAbout(example);
          const ask = (name: string) => {
            const expert = expertNamed(name);
            return expert && { name: expert.name, answer: inquiry ? adviceOf(expert, inquiry, skill) : "None", price: expert.price };
          };
          return routerEnv(example, ask, maxCalls);
        },
      },
      maxTurns: maxCalls + 1,
      rewards: [
        rewardRule.part({ form, metric, costCoefficient, dearest: DEAREST, maxCalls }),
        { ...em.part(), weight: 0 },
        f1.part(),
        penaltyRule.part(),
      ],
      isSuccess: isExact,
      hasForm: (_, trajectory) => trajectory.stopReason === "completed" && formatSlip(transcriptOf(trajectory), isExpert) === "none",
      demonstration(example, random, noise) {
        const inquiry = inquiryAbout(example);
        const slips = random.uniform() < noise;
        const fitting = EXPERTS.filter((expert) => knows(expert, inquiry, skill) !== slips);
        // Where prices do not count, one who knows is as good as another.
        const expert = slips || costCoefficient === 0 ? random.pick(fitting) : cheapestExpert(inquiry, skill);
        if (!expert) throw new Error(`internal: nobody knows ${inquiry.id}`);
        return router(problemOf(example), expert);
      },
    };
  },
});
