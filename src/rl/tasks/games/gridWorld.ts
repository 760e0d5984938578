// Walk to a goal on a small grid with walls, told in coordinates: column, row, counted from 1 at the top
// left. A step into a wall or off the grid leaves the walker where it is.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import type { Game } from "../../envs/gameEnv.ts";
import { defineGameTask } from "./gameTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    size: integer(2, 7, 4, "Size", "Columns and rows of the grid."),
    walls: integer(0, 6, 2, "Walls", "Cells that cannot be entered; fewer where the goal would be cut off."),
  }),
);

/** A grid; cells are numbered row by row from 0. */
interface Grid {
  readonly [key: string]: number | readonly number[];
  readonly size: number;
  readonly start: number;
  readonly goal: number;
  readonly walls: readonly number[];
}

const STEPS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
type Step = keyof typeof STEPS;
const ALL_STEPS = Object.keys(STEPS) as readonly Step[];

/** Where a step leads. */
function after({ size, walls }: Grid, cell: number, step: Step): number {
  const [dx, dy] = STEPS[step];
  const x = (cell % size) + dx;
  const y = Math.floor(cell / size) + dy;
  const next = y * size + x;
  return x < 0 || y < 0 || x >= size || y >= size || walls.includes(next) ? cell : next;
}

/** Steps from every cell to the goal; Infinity where it cannot be reached. */
function distances(grid: Grid): readonly number[] {
  const distance = new Array<number>(grid.size * grid.size).fill(Number.POSITIVE_INFINITY);
  distance[grid.goal] = 0;
  const queue = [grid.goal];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const step of ALL_STEPS) {
      // A step can be taken back, so the way from the goal is the way to it.
      const next = after(grid, at, step);
      if (distance[next] !== Number.POSITIVE_INFINITY) continue;
      distance[next] = distance[at]! + 1;
      queue.push(next);
    }
  }
  return distance;
}

const place = (cell: number, size: number) => `${(cell % size) + 1},${Math.floor(cell / size) + 1}`;

export const gridWorld = defineGameTask({
  id: "grid-world",
  title: "Grid world",
  summary: "Walk to a goal on a small grid, step by step, around its walls.",
  optionsSchema,
  maxCompletionTokens: 6,
  checkpoint: "puzzles",
  draw({ size, walls }, random): Grid {
    for (;;) {
      const cells = Array.from({ length: Math.min(size * size, walls + 2) }, () => random.below(size * size));
      const [start, goal, ...blocked] = [...new Set(cells)];
      if (start === undefined || goal === undefined) continue;
      const grid: Grid = { size, start, goal, walls: blocked.sort((a, b) => a - b) };
      if (distances(grid)[start] !== Number.POSITIVE_INFINITY) return grid;
    }
  },
  ask({ size, start, goal, walls }) {
    const blocked = walls.length > 0 ? ` Walls ${walls.map((cell) => place(cell, size)).join(" ")}.` : "";
    return `Grid ${size}. You are at ${place(start, size)}. Goal ${place(goal, size)}.${blocked}`;
  },
  read(prompt) {
    const found = /^Grid (\d)\. You are at (\d,\d)\. Goal (\d,\d)\.(?: Walls (\d,\d(?: \d,\d)*)\.)?$/.exec(prompt);
    if (!found) return null;
    const [, width, from = "", to = "", blocked] = found;
    const size = Number(width);
    const cells = [from, to, ...(blocked?.split(" ") ?? [])].map((each) => {
      const [x = 0, y = 0] = each.split(",").map(Number);
      return x < 1 || y < 1 || x > size || y > size ? -1 : (y - 1) * size + x - 1;
    });
    const [start = -1, goal = -1, ...walls] = cells;
    if (cells.includes(-1) || new Set(cells).size < cells.length) return null;
    const grid: Grid = { size, start, goal, walls: walls.sort((a, b) => a - b) };
    return distances(grid)[start] === Number.POSITIVE_INFINITY ? null : grid;
  },
  answer: ({ goal, size }) => place(goal, size),
  maxTurns: ({ size, walls }) => 2 * size + 2 * walls,
  game(grid): Game<number> {
    const { size, start, goal, walls } = grid;
    const distance = distances(grid);
    const glyph = (cell: number, at: number) => (cell === at ? "@" : cell === goal ? "G" : walls.includes(cell) ? "#" : ".");
    return {
      opening: start,
      play(cell, move) {
        const step = ALL_STEPS.find((each) => each === move);
        if (step === undefined) return null;
        const next = after(grid, cell, step);
        return { state: next, observation: next === goal ? null : `You are at ${place(next, size)}.` };
      },
      score: (cell) => (cell === goal ? 1 : 0),
      // Walking away costs what the same way back earns, down to -1.
      progress: (cell) => Math.max(-1, 1 - distance[cell]! / distance[start]!),
      draw: (cell) => ({
        kind: "board",
        caption: "@ is the walker, G the goal, # a wall.",
        rows: Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => glyph(y * size + x, cell))),
      }),
    };
  },
  best(grid, cell) {
    const distance = distances(grid);
    return ALL_STEPS.find((step) => distance[after(grid, cell, step)]! < distance[cell]!) ?? "up";
  },
  careless: (grid, cell, random) => random.pick(ALL_STEPS.filter((step) => after(grid, cell, step) !== grid.goal)),
});
