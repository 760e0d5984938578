// Two agents in one conversation: a solver answers, a checker works the problem out for itself and says
// whether that is right, and where it is not the solver answers once more. Both are the same policy; who
// speaks is told by what was asked last.
import type { Env, Example, Message } from "../types.ts";
import { dialogueEnv } from "./dialogue.ts";

export const SOLVER = "solver";
export const CHECKER = "checker";

/** What the two are told. */
const CHECK = "Is this right? Work it out, then say yes or no.";
const AGAIN = "The checker says no. Answer again.";

const said = (content: string): Message => ({ role: "user", content });

/** What the checker's words mean, of which the last one counts; null for anything but yes or no. */
export function verdictOf(content: string): boolean | null {
  const word = content.trim().toLowerCase().replace(/\.$/, "").split(/\s+/).at(-1);
  return word === "yes" ? true : word === "no" ? false : null;
}

/**
 * A fresh conversation. A turn earns 1 where it is right: an answer that is, a verdict that agrees with it.
 * @param isRight whether a text answers the example. @param rounds answers the solver may give.
 */
export function checkingEnv(example: Example, isRight: (content: string) => boolean, rounds: number): Env {
  let answers = 0;
  let isAnswered = false;
  let verdicts = 0;
  let agreed = 0;
  let first = false;

  function solve(content: string) {
    answers += 1;
    isAnswered = isRight(content);
    if (answers === 1) first = isAnswered;
    const turn = { reward: isAnswered ? 1 : 0 };
    // The last answer stands unchecked.
    if (answers === rounds) return { messages: null, turn };
    return { messages: [said(CHECK)], agent: CHECKER, turn };
  }

  function check(content: string) {
    const verdict = verdictOf(content);
    if (verdict === null) return { messages: null, stopReason: "parse-error", turn: { reward: 0 } } as const;
    verdicts += 1;
    if (verdict === isAnswered) agreed += 1;
    const turn = { reward: verdict === isAnswered ? 1 : 0 };
    return verdict ? { messages: null, turn } : { messages: [said(AGAIN)], agent: SOLVER, turn };
  }

  let speaker = SOLVER;
  return dialogueEnv({
    opening: { messages: example.messages, agent: SOLVER },
    respond({ content }) {
      const reply = speaker === SOLVER ? solve(content) : check(content);
      speaker = speaker === SOLVER ? CHECKER : SOLVER;
      return reply;
    },
    metrics: () => ({
      first_accuracy: first ? 1 : 0,
      solver_reward: isAnswered ? 1 : 0,
      ...(verdicts > 0 ? { checker_reward: agreed / verdicts } : {}),
    }),
  });
}
