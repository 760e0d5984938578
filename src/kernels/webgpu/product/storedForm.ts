// How matrices lie on the GPU. Those of a frozen base are in the type that they were stored in, each row from a word of
// its own on; trained ones are floats, one row right behind the other. Both are read four values ("a unit") at a time and
// widened to floats in registers. No feature of the device is needed: halves are unpacked by WGSL itself. Blocks of a
// file that do not end with a word get one that does.

/** A form of rows, and how it is read. */
export interface StoredForm {
  readonly name: string;
  /** Units that share a record of words, and how many words those are. */
  readonly units: number;
  readonly words: number;
  /** WGSL type of the binding's elements, and the words of one. */
  readonly element: string;
  readonly elementWords: number;
  /** WGSL: body of `fn base4(row: u32, unit: u32) -> vec4f`, where `first` is the record's first element and `u` the unit in it. */
  readonly read: string;
  /** Bytes of the file's blocks that a record holds, and how many blocks those are. */
  readonly block: { readonly bytes: number; readonly count: number };
  /** Bytes of zeros behind the first two bytes of a block. */
  readonly gap: number;
}

const bfloats = "let w = base[first];\n  return bitcast<vec4f>(vec4u(w.x << 16u, w.x & 0xffff0000u, w.y << 16u, w.y & 0xffff0000u));";
const nibbles = "let nibbles = vec4f((vec4u(base[first + 1u + u % 4u]) >> (vec4u(0u, 8u, 16u, 24u) + 4u * (u / 4u))) & vec4u(15u));";

const plain = { units: 1, gap: 0 } as const;
const blocks = { units: 8, element: "u32", elementWords: 1 } as const;

/** Trained floats that do not begin with a whole four or have rows of none: read one by one, a row's last unit with what lies behind it. */
const LOOSE: StoredForm = {
  name: "loose F32",
  ...plain,
  words: 4,
  element: "f32",
  elementWords: 1,
  block: { bytes: 4, count: 4 },
  read: "return vec4f(base[first], base[first + 1u], base[first + 2u], base[first + 3u]);",
};

/** By the names of the files' types. */
export const STORED_FORMS: Readonly<Record<string, StoredForm>> = {
  F32: { name: "F32", ...plain, words: 4, element: "vec4f", elementWords: 4, read: "return base[first];", block: { bytes: 4, count: 4 } },
  F16: {
    name: "F16",
    ...plain,
    words: 2,
    element: "vec2u",
    elementWords: 2,
    block: { bytes: 2, count: 4 },
    read: "return vec4f(unpack2x16float(base[first].x), unpack2x16float(base[first].y));",
  },
  BF16: { name: "BF16", ...plain, words: 2, element: "vec2u", elementWords: 2, read: bfloats, block: { bytes: 2, count: 4 } },
  Q8_0: {
    name: "Q8_0",
    ...blocks,
    words: 9,
    block: { bytes: 34, count: 1 },
    gap: 2,
    read: `let bytes = vec4i(vec4u(base[first + 1u + u]) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u);
  return unpack2x16float(base[first]).x * vec4f(bytes);`,
  },
  Q4_0: {
    name: "Q4_0",
    ...blocks,
    words: 5,
    block: { bytes: 18, count: 1 },
    gap: 2,
    read: `${nibbles}\n  return unpack2x16float(base[first]).x * (nibbles - 8f);`,
  },
  Q4_1: {
    name: "Q4_1",
    ...blocks,
    words: 5,
    block: { bytes: 20, count: 1 },
    gap: 0,
    read: `${nibbles}\n  let ends = unpack2x16float(base[first]);\n  return ends.x * nibbles + ends.y;`,
  },
};

/** The form of a type of GGUF's. */
export function storedForm(type: string): StoredForm {
  const form = STORED_FORMS[type];
  if (!form) throw new Error(`internal: the WebGPU kernels have no form for ${type}`);
  return form;
}

/** The form of trained rows of so many values of which the first is this word of a buffer. */
export const trainedForm = (at: number, values: number): StoredForm => (at % 4 === 0 && values % 4 === 0 ? STORED_FORMS.F32! : LOOSE);

/** Words of a row of so many values, which are whole blocks of the form's type. */
export function rowWords(form: StoredForm, values: number): number {
  return form === LOOSE ? values : Math.ceil(values / 4 / form.units) * form.words;
}

/** Calls `move` with where each run of bytes of so many rows lies in the file and in the form. @param values of a row */
function eachRun(form: StoredForm, rows: number, values: number, move: (inFile: number, inForm: number, bytes: number) => void): void {
  const { block, gap, words } = form;
  const rowBytes = rowBytesInFile(form, values);
  const blockStride = (words * 4) / block.count;
  for (let row = 0; row < rows; row++) {
    const inFile = row * rowBytes;
    const inForm = row * rowWords(form, values) * 4;
    if (gap === 0) move(inFile, inForm, rowBytes);
    for (let i = 0; gap > 0 && i * block.bytes < rowBytes; i++) {
      const from = inFile + i * block.bytes;
      const to = inForm + i * blockStride;
      move(from, to, 2);
      move(from + 2, to + 2 + gap, block.bytes - 2);
    }
  }
}

const rowBytesInFile = ({ units, block }: StoredForm, values: number): number => (values / ((units * 4) / block.count)) * block.bytes;

/** Rows of a file's bytes as the form has them. @param values of a row */
export function packRows(form: StoredForm, bytes: Uint8Array, values: number): Uint32Array<ArrayBuffer> {
  const rows = bytes.length / rowBytesInFile(form, values);
  const packed = new Uint8Array(rows * rowWords(form, values) * 4);
  eachRun(form, rows, values, (from, to, count) => packed.set(bytes.subarray(from, from + count), to));
  return new Uint32Array(packed.buffer);
}

/** The file's bytes again of rows that packRows has made. */
export function unpackRows(form: StoredForm, packed: Uint8Array, values: number): Uint8Array {
  const rows = packed.length / (rowWords(form, values) * 4);
  const bytes = new Uint8Array(rows * rowBytesInFile(form, values));
  eachRun(form, rows, values, (to, from, count) => bytes.set(packed.subarray(from, from + count), to));
  return bytes;
}

/** WGSL: the binding's element type, and `base4(row, unit)` over rows of so many values, the first of them at element op.matrix. */
export function baseReader(form: StoredForm, values: number): { readonly type: string; readonly code: string } {
  const elements = rowWords(form, values) / form.elementWords;
  return {
    type: `array<${form.element}>`,
    code: `fn base4(row: u32, unit: u32) -> vec4f {
  let first = op.matrix + row * ${elements}u + (unit / ${form.units}u) * ${form.words / form.elementWords}u;
  ${form.units === 1 ? "" : `let u = unit % ${form.units}u;`}
  ${form.read}
}`,
  };
}
