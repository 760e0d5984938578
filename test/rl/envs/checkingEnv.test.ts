import { describe, expect, it } from "vitest";
import { CHECKER, checkingEnv, SOLVER, verdictOf } from "../../../src/rl/envs/checkingEnv.ts";
import type { Example, Message } from "../../../src/rl/types.ts";

const example: Example = { id: "e", messages: [{ role: "user", content: "What is 3 + 4?" }], answer: "7" };
const said = (content: string): { readonly message: Message } => ({ message: { role: "assistant", content } });

/** Who was asked to speak before each turn, and the environment after the last. */
function converse(turns: readonly string[], rounds = 2) {
  const env = checkingEnv(example, (content) => content === "7", rounds);
  let state: ReturnType<typeof env.step> = env.start();
  const speakers: (string | undefined)[] = [];
  for (const turn of turns) {
    speakers.push(state?.agent);
    state = env.step(said(turn));
  }
  return { speakers, isOver: state === null, report: env.report!() };
}

describe("a solver and a checker", () => {
  it("take turns until the checker accepts", () => {
    const { speakers, isOver, report } = converse(["8", "no", "7"]);
    expect(speakers).toEqual([SOLVER, CHECKER, SOLVER]);
    expect(isOver).toBe(true);
    expect(report.turns.map(({ agent, reward }) => [agent, reward])).toEqual([
      [SOLVER, 0],
      [CHECKER, 1],
      [SOLVER, 1],
    ]);
    expect(report.metrics).toEqual({ turns: 3, first_accuracy: 0, solver_reward: 1, checker_reward: 1 });
  });

  it("are judged by the last answer, and the checker by its verdicts", () => {
    expect(converse(["8", "yes"]).report.metrics).toMatchObject({ solver_reward: 0, checker_reward: 0 });
    expect(converse(["7", "no", "8"]).report.metrics).toMatchObject({ first_accuracy: 1, solver_reward: 0, checker_reward: 0 });
    expect(converse(["8", "no", "9", "no", "7"], 3).report.metrics).toMatchObject({ solver_reward: 1, checker_reward: 1 });
  });

  it("may work the problem out before the verdict, whose word is the last", () => {
    expect(converse(["8", "7 no", "7"]).report.metrics).toMatchObject({ solver_reward: 1, checker_reward: 1 });
    expect([verdictOf("7 yes"), verdictOf("No, yes."), verdictOf("yes 7")]).toEqual([true, true, null]);
  });

  it("end with a parse error where the checker says neither", () => {
    const { isOver, report } = converse(["7", "perhaps"]);
    expect(isOver).toBe(true);
    expect(report.stopReason).toBe("parse-error");
  });

  it("are no two where the solver may answer once", () => {
    const { isOver, report } = converse(["7"], 1);
    expect(isOver).toBe(true);
    expect(report.metrics).toEqual({ turns: 1, first_accuracy: 1, solver_reward: 1 });
  });

  it("say yes and no in any case", () => expect(["Yes.", " no ", "nope"].map(verdictOf)).toEqual([true, false, null]));
});
