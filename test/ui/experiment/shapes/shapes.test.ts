// A shape that is made up takes one entry: it is set up by an address, planned, named and told like the others; and none is
// named outside its own file.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { catalog } from "../../../../src/train/catalog.ts";
import { setupFromQuery, setupQuery } from "../../../../src/ui/experiment/plan/address.ts";
import { draftedOf, planOf } from "../../../../src/ui/experiment/plan/drafted.ts";
import { experimentTitle } from "../../../../src/ui/experiment/plan/varied.ts";
import { fork } from "../../../../src/ui/experiment/shapes/fork.ts";
import { SHAPES, shapeOf } from "../../../../src/ui/experiment/shapes/index.ts";
import { race } from "../../../../src/ui/experiment/shapes/race.ts";
import { runs } from "../../../../src/ui/experiment/shapes/runs.ts";
import type { Shape } from "../../../../src/ui/experiment/shapes/shape.ts";

const ladder: Shape = {
  ...race,
  id: "ladder",
  title: "Ladder",
  usual: "groupSize",
  seeds: 2,
  most: { fields: 2, combinations: 9, runs: 18, seeds: 2 },
  values: "list",
  words: { ...race.words, what: "ladder", combination: "rung", combinations: "rungs" },
};

/** With a field for each value, as races have, of two settings. */
const grid: Shape = { ...ladder, id: "grid", title: "Grid", values: "each" };

/** A second shape that branches a run, and a second one of kept runs. */
const again: Shape = { ...fork, id: "again", title: "Again" };
const album: Shape = { ...runs, id: "album", title: "Album" };

afterEach(() => {
  for (const shape of [ladder, grid, again, album]) if (SHAPES.includes(shape)) (SHAPES as Shape[]).splice(SHAPES.indexOf(shape), 1);
});

it("every shape has an id of its own", () => {
  expect(new Set(SHAPES.map(({ id }) => id)).size).toBe(SHAPES.length);
});

it("an address keeps both settings that vary, however their values are entered", () => {
  (SHAPES as Shape[]).push(grid);
  const address = new URLSearchParams("preset=digit-sum-table&steps=30&shape=grid&over=klCoef:0,0.1&over=groupSize:4,8");
  const { setup, problem } = setupFromQuery(catalog, "compare", address);
  expect(problem).toBe(null);
  expect(setup.over.map(({ field }) => field)).toEqual(["klCoef", "groupSize"]);
  expect(setupFromQuery(catalog, "compare", setupQuery(catalog, setup))).toEqual({ setup, problem: null });
  expect(planOf(draftedOf(catalog, setup, { presetId: "", edits: {} }), "grid 1", () => "run").combinations).toHaveLength(4);
});

it("a made-up shape is found everywhere by its one entry", () => {
  (SHAPES as Shape[]).push(ladder);
  expect(shapeOf("ladder")).toBe(ladder);
  const address = new URLSearchParams("preset=digit-sum-table&steps=30&shape=ladder&over=groupSize:4,8,16");
  const { setup, problem } = setupFromQuery(catalog, "compare", address);
  expect([setup.kind, setup.seeds, problem]).toEqual(["ladder", 2, null]);
  expect(setupFromQuery(catalog, "compare", setupQuery(catalog, setup))).toEqual({ setup, problem: null });
  const plan = planOf(draftedOf(catalog, setup, { presetId: "", edits: {} }), "ladder 1", () => "run");
  expect([plan.shape, plan.combinations.length, plan.runs.length]).toEqual(["ladder", 3, 6]);
  expect(experimentTitle(catalog, plan)).toBe("Ladder 1: Group size");
  const tooMany = { ...setup, over: [{ field: "groupSize", values: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }] };
  expect(draftedOf(catalog, tooMany, { presetId: "", edits: {} }).refusals).toEqual(["A ladder must have at most 9 rungs, got 10"]);
});

it.each([
  [again, "shape=again&fork=12&vary=learningRate&values=0.01", { forkStep: 12, over: [{ field: "learningRate", values: [0.01] }] }],
  [again, "shape=again&fork=last&vary=learningRate", { forkStep: null }],
  [album, "shape=album&runs=one,two", { runs: ["one", "two"] }],
] as const)("a second shape that is set up as $id is, is kept apart from the first", (shape, text, chosen) => {
  (SHAPES as Shape[]).push(shape);
  const { setup, problem } = setupFromQuery(catalog, "compare", new URLSearchParams(text));
  expect([setup, problem]).toMatchObject([{ kind: shape.id, ...chosen }, null]);
  expect(setupFromQuery(catalog, "compare", setupQuery(catalog, setup))).toEqual({ setup, problem });
  expect(setupQuery(catalog, { ...setup, kind: shape === again ? "fork" : "runs" }).has("shape")).toBe(false);
});

it.each(SHAPES.map(({ id }) => id))("%s is named nowhere but in its own file", (id) => {
  const root = join(import.meta.dirname, "../../../../src/ui");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.tsx?$/.test(path) && !path.startsWith("experiment/shapes/"),
  );
  // Compared with, looked up, set, or brought in by itself; the screens of the same name are gone to and asked about as screens.
  const named = new RegExp(`(kind|shape|shape\\.id|\\bid) ?(===|!==|:) ?"${id}"|shapeOf\\("${id}"\\)|shapes/${id}\\.ts`);
  const about = /^(runs\/list\/table\/RowMenu|kit\/words\/terms\/)/;
  expect(files.filter((path) => !about.test(path) && named.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
});
