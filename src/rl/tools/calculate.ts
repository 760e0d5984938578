// The calculator: sums, differences, products and quotients with brackets, by recursive descent.
import { TextCursor } from "../data/textCursor.ts";
import { defineTool, failure } from "./tool.ts";

/** Longer expressions are refused, which also bounds how deep brackets can nest. */
const MAX_LENGTH = 200;

/** Reads an expression from left to right; owned state is the place. */
class Reader extends TextCursor {
  /** The next sign if it is one of these, else null. */
  #take(signs: string): string | null {
    this.match(/ +/y);
    const sign = this.text[this.at];
    if (sign === undefined || !signs.includes(sign)) return null;
    this.at += 1;
    return sign;
  }

  #primary(): number {
    if (this.#take("-")) return -this.#primary();
    if (this.#take("(")) {
      const value = this.#sum();
      return this.#take(")") ? value : Number.NaN;
    }
    this.#take("");
    return Number(this.match(/\d+(\.\d+)?/y)?.[0] ?? Number.NaN);
  }

  #product(): number {
    let value = this.#primary();
    for (let sign = this.#take("*/"); sign; sign = this.#take("*/")) {
      const other = this.#primary();
      // A division by zero spoils the whole, however it goes on.
      value = sign === "*" ? value * other : other === 0 ? Number.NaN : value / other;
    }
    return value;
  }

  #sum(): number {
    let value = this.#product();
    for (let sign = this.#take("+-"); sign; sign = this.#take("+-")) {
      const other = this.#product();
      value = sign === "+" ? value + other : value - other;
    }
    return value;
  }

  /** The value; NaN where the text is no expression or divides by zero. */
  read(): number {
    const value = this.#sum();
    this.#take("");
    return this.at === this.text.length ? value : Number.NaN;
  }
}

/** Value of an expression, or null where the text is none or divides by zero. */
export function evaluateExpression(text: string): number | null {
  const value = text.length > MAX_LENGTH ? Number.NaN : new Reader(text).read();
  return Number.isFinite(value) ? value : null;
}

/** A number as people write it: at most six decimals, no exponent, no negative zero. */
function written(value: number): string {
  if (Math.abs(value) >= 1e15) return BigInt(Math.round(value)).toString();
  return String(Number(value.toFixed(6)) || 0);
}

/** The calculator: sums, differences, products and quotients with brackets, answered with at most six decimals. */
export const calculate = defineTool({
  name: "calculate",
  description: "Computes an expression.",
  parameters: { expression: "string" },
  run({ expression }) {
    const value = evaluateExpression(expression);
    return value === null ? failure("not an expression") : { content: written(value) };
  },
});
