// What a product takes on its two sides, as WGSL that brings four neighbouring values: activations, activations behind an
// RMSNorm, rows of a matrix in whichever form it lies. A gather, a norm or a transpose so costs no dispatch of its own.
import { type KernelBuffer, read, write } from "../kernel.ts";
import { baseReader, type StoredForm } from "./storedForm.ts";

/** One side of a product: lines of values. */
export interface Operand {
  /** What runs through a line: the terms that are summed, or the rows or columns of the result. */
  readonly along: "terms" | "results";
  readonly buffers: readonly KernelBuffer[];
  readonly offsets: readonly string[];
  readonly declarations: string;
  /** WGSL: four neighbouring values, the `unit`-th of `line`; of the left operand 0 past a line's end. */
  readonly four: string;
  /** Lines go through an RMSNorm whose weights lie in `vectors` at op.norm; 1 / rms of each goes to `inverse_rms`. */
  readonly norm?: { readonly width: number; readonly eps: string };
}

/** WGSL: four weights of a norm. */
const normFour = `fn norm4(unit: u32) -> vec4f {
  let at = op.norm + 4u * unit;
  return vec4f(vectors[at], vectors[at + 1u], vectors[at + 2u], vectors[at + 3u]);
}`;

/** WGSL: four neighbouring values of a line of a buffer, 0 past its end. */
function fourOf(name: string, width: number, line: string): string {
  const at = (i: number) => `select(0f, ${name}[min(at + ${i}u, end - 1u)], at + ${i}u < end)`;
  if (width % 4 === 0) return `let four = ${name}[${line} * ${width / 4}u + unit];`;
  return `let end = (${line} + 1u) * ${width}u;
  let at = end - ${width}u + 4u * unit;
  let four = vec4f(${[0, 1, 2, 3].map(at).join(", ")});`;
}

/** Lines of a buffer of activations. @param factor WGSL, in `line` and `unit` */
export function activations(
  name: string,
  width: number,
  { along = "terms", line = "line", factor = "1f" }: { along?: Operand["along"]; line?: string; factor?: string } = {},
): Operand {
  return {
    along,
    offsets: [],
    declarations: "",
    buffers: [read(name, width % 4 === 0 ? "array<vec4f>" : "array<f32>")],
    four: `${fourOf(name, width, line)}\n  return four${factor === "1f" ? "" : ` * ${factor}`};`,
  };
}

/** RMSNorm of lines of x as the product goes through them. @param line WGSL, in `line` */
export function normedLines(width: number, eps: string, line = "line"): Operand {
  const x = activations("x", width, { line });
  const buffers = [...x.buffers, read("vectors"), write("inverse_rms")];
  return { ...x, buffers, offsets: ["norm"], declarations: normFour, norm: { width, eps } };
}

/** The same lines before they are scaled by `inverse_rms`, which is known: products so have the sums, to the bit, that normedLines had. */
export function weighedLines(width: number, line: string): Operand {
  const x = activations("x", width, { line, factor: "norm4(unit)" });
  return { ...x, buffers: [...x.buffers, read("vectors"), read("inverse_rms")], offsets: ["norm"], declarations: normFour };
}

/** Rows of so many values of a matrix, each along the terms or the results. @param first WGSL: the row that is line 0 */
export function matrixRows(form: StoredForm, values: number, along: Operand["along"], first = "0u"): Operand {
  const { type, code } = baseReader(form, values);
  return { along, buffers: [read("base", type)], offsets: ["matrix"], declarations: code, four: `return base4(${first} + line, unit);` };
}
