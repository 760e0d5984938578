// The advantage of one token as the run's baseline, scale and discount make it, with the engine's terms.

import { measureText, measureWith, signedMeasureText, signedMeasureWith } from "../../../../protocol/quantities.ts";
import type { AdvantageArithmetic } from "../../../../protocol/records.ts";
import { creditsTurns } from "../../../../rl/advantage/types.ts";
import { baselineOf, usesCritic } from "../../../../rl/baselines/index.ts";
import { asShown, fromWords, handDigits } from "../../../kit/words/arithmetic.ts";
import { comparedWith, normalizesParts } from "../../../kit/words/method.ts";
import type { TokenStory } from "../story/story.ts";
import { type FilledFormula, sym, texEquals, texFactor, texMeasure } from "./tex.ts";

/** The same expression by letters and by numbers, which are written with so many decimals; a sum needs brackets where it is multiplied. */
interface Expression {
  readonly letters: string;
  readonly numbers: (decimals: number) => string;
  readonly isSum: boolean;
  /** What the shown digits come to. */
  readonly ofShown: (decimals: number) => number;
}

function one(name: string, letters: string, value: number): Expression {
  return {
    letters: sym(name, letters),
    numbers: (decimals) => sym(name, texMeasure(value, decimals)),
    isSum: false,
    ofShown: (decimals) => asShown(value, decimals),
  };
}

function minus(a: Expression, name: string, letters: string, value: number): Expression {
  return {
    letters: `${a.letters} - ${sym(name, letters)}`,
    numbers: (decimals) => `${a.numbers(decimals)} - ${sym(name, texFactor(value, decimals))}`,
    isSum: true,
    ofShown: (decimals) => a.ofShown(decimals) - asShown(value, decimals),
  };
}

function over(a: Expression, name: string, letters: string, value: number): Expression {
  return {
    letters: `\\frac{${a.letters}}{${sym(name, letters)}}`,
    numbers: (decimals) => `\\frac{${a.numbers(decimals)}}{${sym(name, texMeasure(value, decimals))}}`,
    isSum: false,
    ofShown: (decimals) => a.ofShown(decimals) / asShown(value, decimals),
  };
}

function times(a: Expression, name: string, letters: string, value: number): Expression {
  const closed = (text: string) => (a.isSum ? `(${text})` : text);
  return {
    letters: `${closed(a.letters)}\\,${sym(name, letters)}`,
    numbers: (decimals) => `${closed(a.numbers(decimals))}\\cdot ${sym(name, texMeasure(value, decimals))}`,
    isSum: false,
    ofShown: (decimals) => a.ofShown(decimals) * asShown(value, decimals),
  };
}

type Whitening = Pick<AdvantageArithmetic, "shift" | "spread">;

function whitened(a: Expression, { shift, spread }: Whitening, isOn: boolean): Expression {
  return isOn ? over(minus(a, "shift", "\\mu", shift), "spread", "\\sigma", spread) : a;
}

function filled(
  { letters, numbers, ofShown }: Expression,
  advantage: number,
  spoken: (write: (value: number) => string) => string,
  symbols: FilledFormula["symbols"],
): FilledFormula {
  const { of, result, sign } = handDigits(advantage, ofShown);
  return {
    tex: `${sym("advantage", "A_t")} = ${letters}`,
    numbers: `${numbers(of)} ${texEquals(sign)} ${sym("advantage", texMeasure(advantage, result))}`,
    spoken: `The advantage is ${spoken((value) => measureWith(value, of))}, which is ${signedMeasureWith(advantage, result)}.`,
    symbols: { ...symbols, advantage: `advantage, ${signedMeasureText(advantage)}` },
  };
}

function whiteningSymbols({ shift, spread }: Whitening): FilledFormula["symbols"] {
  return { shift: `mean over the step, ${measureText(shift)}`, spread: `deviation over the step, ${measureText(spread)}` };
}

function byCritic({ criticReturn, facts, terms, story }: TokenStory): FilledFormula | null {
  const value = facts.criticValue;
  if (criticReturn === null || value === null || facts.advantage === null) return null;
  const { whitenAdvantages } = story.config;
  const whitening = terms ?? { shift: 0, spread: 1 };
  const difference = minus(one("from", "G^{\\lambda}_t", criticReturn), "value", "V_t", value);
  return filled(
    whitened(difference, whitening, whitenAdvantages),
    facts.advantage,
    (write) =>
      `the return ${write(criticReturn)} minus the critic's value ${write(value)}${whitenAdvantages ? ", whitened over the step" : ""}`,
    {
      from: `return from this token on, mixed by lambda, ${measureText(criticReturn)}`,
      value: `the critic's value, ${measureText(value)}`,
      ...whiteningSymbols(whitening),
    },
  );
}

/** Where a token's sum begins: the reward, what its parts add up to, or the return from the token on. */
export function sumStart({ facts, story }: TokenStory, terms: AdvantageArithmetic) {
  const { config } = story;
  const isNormalized = normalizesParts(config);
  const isOwnReturn = baselineOf(config).from === "nothing" && !isNormalized;
  // Tokens of one completion differ by their own return, or by their discount.
  const raw = (facts.advantage ?? 0) * terms.spread + terms.shift;
  const from = isOwnReturn ? raw * terms.scale : terms.from;
  const hasBaseline = isNormalized || baselineOf(config).from !== "nothing";
  const base = (from - (hasBaseline ? terms.baseline : 0)) / terms.scale;
  return { from, hasBaseline, isNormalized, isOwnReturn, fade: isOwnReturn || base === 0 ? 1 : raw / base };
}

/** Null before the terms are known, and for a token that has no advantage. */
export function advantageFormula(token: TokenStory): FilledFormula | null {
  const { facts, terms, story } = token;
  const { config } = story;
  if (usesCritic(config)) return byCritic(token);
  if (!terms || facts.advantage === null) return null;
  const { from, hasBaseline, isNormalized, isOwnReturn, fade } = sumStart(token, terms);
  const letter = isNormalized
    ? "\\textstyle\\sum_j w_j\\,\\hat r_j"
    : isOwnReturn
      ? "G_t"
      : creditsTurns(config)
        ? "R_{\\text{turn}}"
        : "r";
  let sum = one("from", letter, from);
  const baseline = baselineOf(config);
  if (isNormalized) sum = minus(sum, "baseline", "\\bar{\\hat r}", terms.baseline);
  else if (baseline.from !== "nothing") sum = minus(sum, "baseline", baseline.tex, terms.baseline);
  const isScaled = Math.abs(terms.scale - 1) > 1e-9;
  if (isScaled) sum = over(sum, "scale", "s", terms.scale);
  const isFaded = Math.abs(fade - 1) > 1e-6;
  if (isFaded) sum = times(sum, "fade", "\\gamma^{n}", fade);
  const spoken = (write: (value: number) => string) =>
    [
      write(from),
      hasBaseline ? ` minus ${write(terms.baseline)}` : "",
      isScaled ? `, divided by ${write(terms.scale)}` : "",
      isFaded ? `, times ${write(fade)}` : "",
      config.whitenAdvantages ? ", whitened over the step" : "",
    ].join("");
  return filled(whitened(sum, terms, config.whitenAdvantages), facts.advantage, spoken, {
    from: `${isOwnReturn ? "return from this token on" : fromWords(config)}, ${measureText(from)}`,
    ...(hasBaseline ? { baseline: `${comparedWith(config)?.one ?? "baseline"}, ${measureText(terms.baseline)}` } : {}),
    scale: `what it is divided by, ${measureText(terms.scale)}`,
    fade: `discount up to the end, ${measureText(fade)}`,
    ...whiteningSymbols(terms),
  });
}
