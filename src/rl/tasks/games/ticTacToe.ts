// Tic-tac-toe as X against a scripted opponent, which takes the first free cell of an order of its own,
// or wins and blocks first where it is told to. Only games that X can win are drawn.

import { choice, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import type { Game } from "../../envs/gameEnv.ts";
import { defineGameTask } from "./gameTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    opponent: choice(
      ["order", "careful"],
      "order",
      "Opponent",
      "It takes the first free cell of its own secret order; a careful one completes or blocks a line first.",
    ),
  }),
);

const LINES = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
] as const;

/** Nine cells row by row: "X", "O" or ".". */
type Board = string;

interface Match {
  readonly [key: string]: string | readonly number[];
  /** Cells 0 to 8 in the order in which the opponent takes them. */
  readonly order: readonly number[];
  readonly opponent: "order" | "careful";
}

const EMPTY: Board = ".........";
const has = (board: Board, player: string) => LINES.some((line) => line.every((cell) => board[cell] === player));
const put = (board: Board, cell: number, player: string): Board => board.slice(0, cell) + player + board.slice(cell + 1);
const freeCells = (board: Board) => [...board].flatMap((mark, cell) => (mark === "." ? [cell] : []));
const isOver = (board: Board) => has(board, "X") || has(board, "O") || !board.includes(".");

/** The cell that the opponent takes. */
function reply({ order, opponent }: Match, board: Board): number {
  const free = order.filter((cell) => board[cell] === ".");
  const completing = (player: string) => free.find((cell) => has(put(board, cell, player), player));
  const urgent = opponent === "careful" ? (completing("O") ?? completing("X")) : undefined;
  return urgent ?? free[0]!;
}

/** The board after a move of X and the opponent's reply, if there is one. */
function after(match: Match, board: Board, cell: number): Board {
  const moved = put(board, cell, "X");
  return isOver(moved) ? moved : put(moved, reply(match, moved), "O");
}

/** Moves of X that a game of the wanted kind can still follow. */
function movesTowards(match: Match, board: Board, wantsWin: boolean): readonly number[] {
  return freeCells(board).filter((cell) => canEnd(match, after(match, board, cell), wantsWin));
}

function canEnd(match: Match, board: Board, wantsWin: boolean): boolean {
  if (isOver(board)) return has(board, "X") === wantsWin;
  return freeCells(board).some((cell) => canEnd(match, after(match, board, cell), wantsWin));
}

/** Whether X can win with so many further moves. */
function winsWithin(match: Match, board: Board, moves: number): boolean {
  if (isOver(board)) return has(board, "X");
  return moves > 0 && freeCells(board).some((cell) => winsWithin(match, after(match, board, cell), moves - 1));
}

export const ticTacToe = defineGameTask({
  id: "tic-tac-toe",
  title: "Tic-tac-toe",
  summary: "Get three in a row against a scripted opponent.",
  optionsSchema,
  checkpoint: "games",
  maxCompletionTokens: 4,
  draw({ opponent }, random): Match {
    for (;;) {
      const match: Match = { order: random.shuffled([0, 1, 2, 3, 4, 5, 6, 7, 8]), opponent };
      if (canEnd(match, EMPTY, true)) return match;
    }
  },
  ask: () => "Tic-tac-toe. You are X. Say a cell from 1 to 9.",
  // There is one question, which any of the problems asks.
  read: () => null,
  answer: () => "",
  maxTurns: () => 5,
  game: (match): Game<Board> => ({
    opening: EMPTY,
    play(board, move) {
      const cell = /^[1-9]$/.test(move) ? Number(move) - 1 : -1;
      if (board[cell] !== ".") return null;
      const next = after(match, board, cell);
      if (isOver(next)) return { state: next, observation: null };
      const taken = [...next].findIndex((mark, i) => mark === "O" && board[i] === ".");
      return { state: next, observation: `O ${taken + 1}` };
    },
    score: (board) => (has(board, "X") ? 1 : has(board, "O") || board.includes(".") ? 0 : 0.5),
    progress: (board) => (has(board, "X") ? 1 : has(board, "O") ? -1 : 0),
    draw: (board) => ({
      kind: "board",
      caption: "The policy plays X.",
      rows: [0, 3, 6].map((from) => [...board.slice(from, from + 3)]),
    }),
  }),
  best(match, board) {
    const free = freeCells(board);
    for (let moves = 0; moves < free.length; moves++) {
      const cell = free.find((each) => winsWithin(match, after(match, board, each), moves));
      if (cell !== undefined) return String(cell + 1);
    }
    throw new Error(`internal: X cannot win on ${board}`);
  },
  careless: (match, board, random) => String(random.pick(movesTowards(match, board, false)) + 1),
});
