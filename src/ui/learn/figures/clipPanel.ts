// The clipped objective over the ratio, as the trainer computes it, with the tokens of a run on it.
import { pushesOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import type { PlotMark } from "./FigurePlot.tsx";

/** Objective and clip state of tokens, each as a sequence of its own, as the trainer computes them. */
export function clippedTokens(ratios: readonly number[], advantages: readonly number[], clip: number) {
  const settings = settingsOf("grpo", { clipLow: clip, clipHigh: clip, klCoef: 0 });
  return ratios.map((ratio, i) => {
    const { loss, isHeld_K } = pushesOf({ advantages_K: [advantages[i]!], ratios_K: [ratio], lengths: [1] }, settings);
    // What the token adds to the objective, before it is averaged.
    return { ratio, advantage: advantages[i]!, value: -loss, isHeld: isHeld_K[0]! };
  });
}

const GRID = Array.from({ length: 81 }, (_, i) => 0.4 + i * 0.02);

/** The objective over the ratio for an advantage of one sign, with tokens of that sign on it, if any are to be seen. */
export function clipPanel(clip: number, sign: number, tokens: ReturnType<typeof clippedTokens> | null): PlotMark {
  const signs = GRID.map(() => sign);
  const curve = clippedTokens(GRID, signs, clip);
  const own = (isClipped: boolean) =>
    (tokens ?? [])
      .filter(({ advantage, isHeld }) => Math.sign(advantage) === sign && isHeld === isClipped)
      .map(({ ratio, value, advantage }) => [ratio, value / Math.abs(advantage)] as const);
  return {
    kind: "plot",
    title: sign > 0 ? "Better than its group" : "Worse than its group",
    x: [0.4, 2, "ratio ρ"],
    xTicks: [0.4, 1, 2],
    y: sign > 0 ? [0, 2, "objective / A, for A > 0"] : [-2, 0, "objective / |A|, for A < 0"],
    height: 180,
    rules: [
      { x: 1 - clip, text: "1 − ε" },
      { x: 1 + clip, text: "1 + ε" },
    ],
    lines: [{ name: "the trainer's objective", look: "main", points: curve.map(({ ratio, value }) => [ratio, value] as const) }],
    dots: tokens
      ? [
          { name: "tokens with a push", look: sign > 0 ? "up" : "down", points: own(false) },
          { name: "clipped", look: "held", points: own(true) },
        ]
      : [],
  };
}
