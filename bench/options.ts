// The command line of the benchmark.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { SIZE_IDS, type SizeId } from "./measure/workload.ts";

export interface BenchOptions {
  readonly json: boolean;
  readonly quick: boolean;
  readonly out: boolean;
  readonly readme: boolean;
  readonly chromium: boolean;
  readonly gpu: boolean;
  readonly sweep: boolean;
  readonly presetRun: boolean;
  readonly pretrained: boolean;
  readonly scoring: boolean;
  readonly custom: boolean;
  readonly library: boolean;
  readonly sizes: readonly SizeId[];
  readonly threads: readonly number[];
  readonly peers: readonly string[];
  readonly rounds: number;
  readonly turnMs: number;
}

export const USAGE = `npm run bench -- [options]
  --sizes tiny,small,med   model sizes (default: all; none: "")
  --threads 1,2            numbers of threads (default: 1 and 2, as far as there are cores)
  --peers wasm,pytorch     only peers whose name contains one of these
  --rounds N               rounds in which the peers take turns (default 5)
  --quick                  sizes tiny and small, 2 short rounds
  --chromium               also in a browser's worker
  --gpu                    count WebGPU work even where the only adapter is a software one
  --sweep                  how cost grows with width, layers, batch, length, group size, turns and context
  --preset-run             the shipped preset's default run to its end
  --pretrained             a pretrained model's step beside PyTorch with PEFT, whatever --peers says
  --scoring                what verdicts cost that are asked for in batches, whatever --peers says
  --custom                 only what a step takes whose reward, or whose environment, is code of one's own, beside the same built in
  --library                only the page with 500 kept runs, one of 100,000 steps, in a browser, after npm run build
  --json                   print one JSON object instead of tables
  --out                    write bench/results/MACHINE.json and its tables
  --readme                 measure nothing; put the newest results into README.md
  PYTHON=...               a Python with torch, PEFT for a pretrained model's step, and TRL for its training steps (default python3)
  SMOLLM2_GGUF=...         the file that a pretrained model's step reads (default: weights are drawn)`;

function list(text: string): readonly string[] {
  return text.split(",").filter((part) => part !== "");
}

function parseSizes(text: string): readonly SizeId[] {
  return list(text).map((name) => {
    const size = SIZE_IDS.find((id) => id === name);
    if (!size) throw new Error(`--sizes: unknown size "${name}", choose from ${SIZE_IDS.join(", ")}`);
    return size;
  });
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number >= 1, got "${text}"`);
  return value;
}

/** Options from arguments; null for --help. Throws a sentence on anything wrong. */
export function parseOptions(args: readonly string[]): BenchOptions | null {
  const flag = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{
        json: flag,
        quick: flag,
        out: flag,
        readme: flag,
        chromium: flag,
        gpu: flag,
        sweep: flag,
        "preset-run": flag,
        pretrained: flag,
        scoring: flag,
        custom: flag,
        library: flag,
        help: flag,
      },
      ...{ sizes: text, threads: text, peers: text, rounds: text },
    },
  });
  if (values.help) return null;
  const { quick } = values;
  const defaultThreads = [1, 2].filter((count) => count <= availableParallelism());
  const threads = values.threads ? list(values.threads).map((count) => positive("threads", count)) : defaultThreads;
  return {
    json: values.json,
    quick,
    out: values.out,
    readme: values.readme,
    chromium: values.chromium,
    gpu: values.gpu,
    sweep: values.sweep,
    presetRun: values["preset-run"],
    pretrained: values.pretrained,
    scoring: values.scoring,
    custom: values.custom,
    library: values.library,
    sizes: values.sizes !== undefined ? parseSizes(values.sizes) : quick ? ["tiny", "small"] : SIZE_IDS,
    threads: threads.toSorted((a, b) => a - b),
    peers: list(values.peers ?? ""),
    rounds: values.rounds ? positive("rounds", values.rounds) : quick ? 2 : 5,
    turnMs: quick ? 300 : 1500,
  };
}
