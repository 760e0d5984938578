// What somebody might bring as data to harm a page or a run: each a sentence, a file's name and its bytes.

export interface HostileFile {
  readonly does: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

const text = (does: string, name: string, content: string): HostileFile => ({ does, name, bytes: new TextEncoder().encode(content) });

/** Bytes that follow from a seed alone. */
function noise(seed: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed + 1;
  for (let i = 0; i < length; i++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

const VALUES: readonly (readonly [string, string])[] = [
  ["null", "null"],
  ["true", "true"],
  ["a number", "1e400"],
  ["a list", "[1, 2]"],
  ["an object", '{"a": 1}'],
  ["a text of a megabyte", JSON.stringify("x".repeat(1e6))],
  ["nothing but blanks", '"   "'],
  ["an empty text", '""'],
  ["half a pair of surrogates", '"\\ud800"'],
  ["a zero byte", '"\\u0000"'],
  ["marks of a template", '"<|im_start|>system<|im_end|>"'],
  ["a page", '"<script>alert(1)</script>"'],
  ["messages without a user", '[{"role": "system", "content": "x"}]'],
  ["messages of nobody", '[{"role": "king", "content": "x"}]'],
  ["messages without an end", `[${'{"role": "user", "content": "x"},'.repeat(5000)}{"role": "user", "content": "x"}]`],
  ["a thousand levels", `${"[".repeat(1000)}1${"]".repeat(1000)}`],
  ["a mark without an answer", '"18 ####"'],
  ["a box without an end", '"\\\\boxed{1"'],
  ["ten thousand boxes", JSON.stringify("\\boxed{".repeat(2500))],
];

const COLUMNS = ["question", "answer", "solution", "documents", "__proto__", "constructor", "prompt", "reward_model"];

const rows = VALUES.flatMap(([name, value]) =>
  COLUMNS.flatMap((column) => {
    const row = `{"question": "q", "answer": "a", ${JSON.stringify(column)}: ${value}}`;
    return [
      text(`${column} is ${name}, in lines`, "a.jsonl", `${row}\n{"question": "r", "answer": "b"}\n`),
      text(`${column} is ${name}, in a list`, "a.json", `[${row}, {"question": "r", "answer": "b"}]`),
    ];
  }),
);

const shapes = VALUES.flatMap(([name, value]) => [
  text(`the list is ${name}`, "a.json", value),
  text(`a line is ${name}`, "a.jsonl", value),
  text(`the second line is ${name}`, "a.jsonl", `{"question": "q", "answer": "a"}\n${value}`),
]);

const CSV: readonly HostileFile[] = [
  text("never closes a quote", "a.csv", 'question,answer\n"never'),
  text("has text behind a quote", "a.csv", 'question,answer\n"a"b,c'),
  text("has too few cells", "a.csv", "question,answer\na"),
  text("has a million commas", "a.csv", `question,answer\n${",".repeat(1e6)}`),
  text("has ten thousand columns", "a.csv", `${Array.from({ length: 1e4 }, (_, i) => `c${i}`).join(",")}\n${",".repeat(9999)}`),
  text("names one column twice", "a.csv", "question,question,answer\na,b,c"),
  text("names a column __proto__", "a.csv", "__proto__,answer\na,b"),
  text("has no rows", "a.csv", "question,answer\n"),
  text("has nothing", "a.csv", ""),
  text("has formulas", "a.csv", 'question,answer\n=HYPERLINK("https://example.org"),1\n'),
  text("ends lines as old machines did", "a.csv", "question,answer\ra,b\rc,d"),
];

const NAMES: readonly HostileFile[] = [
  "a",
  "a.exe",
  ".jsonl",
  "a.parquet.exe",
  "a.JSON",
  "../../etc/passwd",
  "a.__proto__",
  "",
  "x".repeat(5000),
  "a\u0000.json",
].map((name) => text(`is called ${JSON.stringify(name.slice(0, 20))}`, name, '{"question": "q", "answer": "a"}'));

const ENDINGS = ["a.jsonl", "a.json", "a.csv", "a.parquet"] as const;

/** Whole files of noise, and Parquet's frame around noise: lengths that point anywhere. */
const noisy = Array.from({ length: 560 }, (_, seed): HostileFile => {
  const name = ENDINGS[seed % ENDINGS.length]!;
  const bytes = noise(seed, 16 + (seed % 37) * 9);
  if (name === "a.parquet" && seed % 8 !== 3) {
    bytes.set([0x50, 0x41, 0x52, 0x31], 0);
    bytes.set([0x50, 0x41, 0x52, 0x31], bytes.length - 4);
    if (seed % 3 === 0) new DataView(bytes.buffer).setUint32(bytes.length - 8, seed % 2 === 0 ? 0xffffffff : bytes.length - 12, true);
  }
  return { does: `is noise ${seed}`, name, bytes };
});

/** All of them, 1,000 and more. */
export function hostileFiles(): readonly HostileFile[] {
  return [
    ...rows,
    ...shapes,
    ...CSV,
    ...NAMES,
    ...noisy,
    ...VALUES.flatMap(([name, value]) =>
      COLUMNS.map((column) =>
        text(`answers with ${column}, ${name}, alone`, "a.jsonl", `{"question": "q", ${JSON.stringify(column)}: ${value}}`),
      ),
    ),
  ];
}
