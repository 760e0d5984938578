// Rules of the games, played by hand through their environments.
import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../../src/model/renderers/chat.ts";
import { Random } from "../../../../src/rl/random.ts";
import { workOut } from "../../../../src/rl/rollout/demonstration.ts";
import { countdown } from "../../../../src/rl/tasks/games/countdown.ts";
import { gridWorld } from "../../../../src/rl/tasks/games/gridWorld.ts";
import { guessNumber } from "../../../../src/rl/tasks/games/guessNumber.ts";
import { guessWord } from "../../../../src/rl/tasks/games/guessWord.ts";
import { ticTacToe } from "../../../../src/rl/tasks/games/ticTacToe.ts";
import type { Task } from "../../../../src/rl/tasks/task.ts";
import type { Example } from "../../../../src/rl/types.ts";
import { labTokenizer } from "../../../model/renderers/tokenizerFixture.ts";

const renderer = createChatRenderer(labTokenizer());

/** The game of a problem played with these moves; the last one is repeated. */
function play(task: Task, problem: unknown, moves: readonly string[]) {
  const instance = task.create({}, 0);
  const example: Example = { id: `${task.entry.id}/${JSON.stringify(problem)}`, messages: [{ role: "user", content: "" }], answer: "" };
  let turn = 0;
  const speaker = () => ({ role: "assistant", content: moves[Math.min(turn++, moves.length - 1)]! }) as const;
  const limits = { maxTurns: instance.maxTurns ?? 1, maxPositions: 1024 };
  const { messages, stopReason, report } = workOut({ envs: instance.envs, renderer }, example, speaker, 0, limits);
  return {
    observations: messages.slice(1).flatMap(({ role, content }) => (role === "user" ? [content] : [])),
    earned: report!.turns.map(({ reward }) => reward!),
    boards: report!.turns.map(({ views }) => views![0]!),
    won: report!.metrics.won,
    stopReason,
  };
}

describe("guessing a number", () => {
  const problem = { largest: 7, secret: 5 };

  it("says higher and lower, and each halving earns the same", () => {
    const { observations, earned, won, stopReason } = play(guessNumber, problem, ["4", "6", "5"]);
    expect(observations).toEqual(["higher", "lower"]);
    expect(earned.map((each) => Math.round(1e6 * each))).toEqual([333333, 333333, 333333]);
    expect([won, stopReason]).toEqual([1, "completed"]);
  });

  it("earns nothing by a guess that was ruled out, and ends at the limit", () => {
    const { earned, won, stopReason } = play(guessNumber, problem, ["4", "3", "1"]);
    expect(earned.slice(1).every((each) => each === 0)).toBe(true);
    expect([won, stopReason]).toEqual([0, "max-turns"]);
  });

  it.each(["five", "-1", "", "5 6", "1234567"])("does not take %j for a guess", (move) =>
    expect(play(guessNumber, problem, [move])).toMatchObject({ stopReason: "parse-error", won: 0, earned: [0] }),
  );
});

describe("the grid world", () => {
  // Start at the top left, goal at the bottom right, a wall between them.
  const problem = { size: 3, start: 0, goal: 8, walls: [4] };

  it("walks around walls, and steps earn the way that they save", () => {
    const { observations, earned, boards, won } = play(gridWorld, problem, ["right", "down", "right", "down", "down"]);
    expect(observations).toEqual(["You are at 2,1.", "You are at 2,1.", "You are at 3,1.", "You are at 3,2."]);
    expect(earned).toEqual([0.25, 0, 0.25, 0.25, 0.25]);
    expect(boards[0]).toMatchObject({
      rows: [
        [".", "@", "."],
        [".", "#", "."],
        [".", ".", "G"],
      ],
    });
    expect(won).toBe(1);
  });

  it("keeps the walker on the grid and takes back what a step away costs", () => {
    const { observations, earned } = play(gridWorld, problem, ["up", "right", "left", "left"]);
    expect(observations.slice(0, 3)).toEqual(["You are at 1,1.", "You are at 2,1.", "You are at 1,1."]);
    expect(earned.slice(0, 4)).toEqual([0, 0.25, -0.25, 0]);
  });

  it("ends at a word that is no step", () => expect(play(gridWorld, problem, ["north"]).stopReason).toBe("parse-error"));
});

describe("guessing a word", () => {
  const problem = { words: "bad bed bod tip", secret: "bod" };

  it("counts letters in place and earns by what is ruled out", () => {
    const { observations, earned, boards, won } = play(guessWord, problem, ["tip", "bad", "bod"]);
    expect(observations).toEqual(["0 in place", "2 in place"]);
    expect(earned.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 12);
    expect(boards[1]).toMatchObject({
      rows: [
        ["t", "i", "p", "0"],
        ["b", "a", "d", "2"],
      ],
    });
    expect(won).toBe(1);
  });

  it("takes only words of the list", () => expect(play(guessWord, problem, ["bid"]).stopReason).toBe("parse-error"));
});

describe("countdown", () => {
  const problem = { numbers: [3, 4, 2], target: 24, shortest: 2 };

  it("puts results in place of numbers until the target is there", () => {
    const { observations, earned, won } = play(countdown, problem, ["3 * 4", "12 * 2"]);
    expect([observations, earned, won]).toEqual([["2, 12"], [0.5, 0.5], 1]);
  });

  it("takes back what was earned where the target gets out of reach", () => {
    const { earned, won, stopReason } = play(countdown, problem, ["3*4", "12+2"]);
    expect([earned, won, stopReason]).toEqual([[0.5, -0.5], 0, "completed"]);
  });

  it.each(["3 + 5", "3 + 3", "2 - 3", "3 / 2", "3 +", "3 ** 4", "0 / 0"])("does not allow %j", (move) =>
    expect(play(countdown, problem, [move]).stopReason).toBe("parse-error"),
  );
});

describe("tic-tac-toe", () => {
  const match = { order: [0, 1, 2, 3, 4, 5, 6, 7, 8], opponent: "order" };

  it("is won by three in a row", () => {
    const { observations, boards, won } = play(ticTacToe, match, ["7", "8", "9"]);
    expect(observations).toEqual(["O 1", "O 2"]);
    expect(boards[2]).toMatchObject({
      rows: [
        ["O", "O", "."],
        [".", ".", "."],
        ["X", "X", "X"],
      ],
    });
    expect(won).toBe(1);
  });

  it("is lost where the opponent comes first, and a draw is half a win", () => {
    expect(play(ticTacToe, match, ["5", "7", "9"])).toMatchObject({ won: 0, earned: [0, 0, -1], stopReason: "completed" });
    expect(play(ticTacToe, { ...match, order: [4, 1, 3, 8, 0, 2, 5, 6, 7] }, ["1", "8", "6", "3", "7"]).won).toBe(0.5);
  });

  it("meets a careful opponent that blocks", () => {
    expect(play(ticTacToe, { ...match, opponent: "careful" }, ["7", "8", "3"]).observations).toEqual(["O 1", "O 9"]);
  });

  it.each(["1 2", "0", "X", ""])("does not take %j for a cell", (move) =>
    expect(play(ticTacToe, match, [move]).stopReason).toBe("parse-error"),
  );

  it("does not take a cell twice", () => expect(play(ticTacToe, match, ["5", "5"]).stopReason).toBe("parse-error"));
});

it.each(["careful", "order"])("a %s opponent can be beaten in every match that is drawn", (opponent) => {
  const instance = ticTacToe.create({ opponent }, 2);
  const limits = { maxTurns: 5, maxPositions: 1024 };
  for (const example of instance.trainLoader().next(20)) {
    const speaker = instance.demonstration(example, new Random(0), 0);
    expect(workOut({ envs: instance.envs, renderer }, example, speaker, 0, limits).report!.metrics.won).toBe(1);
  }
});
