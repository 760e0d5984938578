// How the operands of a tiled matrix multiply come into a workgroup's tiles, a round of some terms at a time: straight, or
// turned on their way where their lines run across the terms.
import { type GemmSpec, partsOf, ranks } from "./gemmSpec.ts";
import { gemmThreads, inFours, leftLine, type Tile } from "./tile.ts";

/** WGSL: a round of a left operand whose lines are terms: a unit is four rows. */
function straightLeft(tile: Tile): string {
  const fours = tile.rows / 4;
  const at = `kk * ${leftLine(tile)}u`;
  return `for (var i = lid; i < ${fours * tile.depth}u; i += ${gemmThreads}u) {
        let r4 = i % ${fours}u;
        let kk = i / ${fours}u;
        var value = vec4f();
        if (m0 + 4u * r4 < rows && k0 + kk < k_end) { value = left4(k0 + kk, m0 / 4u + r4); }
        ${inFours(tile) ? `left_tile[${at} + r4] = value;` : `for (var j = 0u; j < 4u; j++) { left_tile[${at} + 4u * r4 + j] = value[j]; }`}
      }`;
}

/**
 * WGSL: a round of a left operand whose lines are rows. Where a thread's rows are fours, four rows of four terms are turned on
 * their way. With a norm, each thread sums the squares of what it brings, the same rows and units of them in every round.
 */
function turnedLeft(tile: Tile, hasNorm: boolean): string {
  const { rows, depth } = tile;
  const units = depth / 4;
  const line = leftLine(tile);
  const together = inFours(tile) ? 4 : 1;
  const values = Array.from({ length: together }, (_, j) => j);
  const stored = inFours(tile)
    ? `left_tile[(4u * unit + j) * ${line}u + r] = vec4f(given[0][j], given[1][j], given[2][j], given[3][j]);`
    : `left_tile[(4u * unit + j) * ${line}u + r] = given[0][j];`;
  return `for (var i = lid; i < ${(rows / together) * units}u; i += ${gemmThreads}u) {
        let unit = i % ${units}u;
        let r = i / ${units}u;
        var given: array<vec4f, ${together}>;
        for (var j = 0u; j < ${together}u; j++) {
          let m = m0 + ${together}u * r + j;
          given[j] = vec4f();
          if (m < rows && k0 + 4u * unit < k_end) { given[j] = left4(m, k0 / 4u + unit); }
        }
        ${hasNorm ? `let weights = norm4(k0 / 4u + unit);\n        ${values.map((j) => `squares[${j}] += dot(given[${j}], given[${j}]); given[${j}] *= weights;`).join(" ")}` : ""}
        for (var j = 0u; j < 4u; j++) { ${stored} }
      }`;
}

/** WGSL: a round of both operands. Of a right one whose lines are columns, four columns of four terms are turned on their way. */
export function round({ tile, left, right }: GemmSpec): string {
  const { columns, depth } = tile;
  const fours = columns / 4;
  const turned = `for (var i = lid; i < ${(fours * depth) / 4}u; i += ${gemmThreads}u) {
        let unit = i % ${depth / 4}u;
        let c4 = i / ${depth / 4}u;
        var turned: array<vec4f, 4>;
        for (var j = 0u; j < 4u; j++) {
          let c = n0 + 4u * c4 + j;
          turned[j] = vec4f();
          if (c < columns && k0 + 4u * unit < k_end) { turned[j] = right4(columnOf(c), k0 / 4u + unit); }
        }
        for (var j = 0u; j < 4u; j++) {
          right_tile[(4u * unit + j) * ${fours}u + c4] = vec4f(turned[0][j], turned[1][j], turned[2][j], turned[3][j]);
        }
      }`;
  const straight = `for (var i = lid; i < ${fours * depth}u; i += ${gemmThreads}u) {
        let c4 = i % ${fours}u;
        let kk = i / ${fours}u;
        var value = vec4f();
        if (n0 + 4u * c4 < columns && k0 + kk < k_end) { value = right4(k0 + kk, n0 / 4u + c4); }
        right_tile[i] = value;
      }`;
  const ofLeft = left.along === "results" ? straightLeft(tile) : turnedLeft(tile, left.norm !== undefined);
  return `${ofLeft}\n      ${right.along === "results" ? straight : turned}`;
}

/** WGSL: a round of the adapters' terms. */
export function addedRound(spec: GemmSpec): string {
  const { tile } = spec;
  const { rows, columns, depth } = tile;
  const rank = ranks(partsOf(spec));
  const together = inFours(tile) ? 4 : 1;
  const value = inFours(tile) ? "value" : "value[0]";
  return `for (var i = lid; i < ${(rows / together) * depth}u; i += ${gemmThreads}u) {
        let kk = i % ${depth}u;
        let r = i / ${depth}u;
        var value = vec4f();
        for (var j = 0u; j < ${together}u; j++) {
          let m = m0 + ${together}u * r + j;
          if (m < rows && k1 + kk < ${rank}u) { value[j] = inner[m * ${rank}u + k1 + kk]; }
        }
        left_tile[kk * ${leftLine(tile)}u + r] = ${value};
      }
      for (var i = lid; i < ${(columns / 4) * depth}u; i += ${gemmThreads}u) {
        let kk = i / ${columns / 4}u;
        var value = vec4f();
        for (var j = 0u; j < 4u; j++) {
          let c = n0 + 4u * (i % ${columns / 4}u) + j;
          if (c < columns && k1 + kk < ${rank}u) { value[j] = added(k1 + kk, columnOf(c)); }
        }
        right_tile[i] = value;
      }`;
}
