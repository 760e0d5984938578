// Speed of the WASM kernels' plain matrix product on one thread: the ceiling that whole steps are
// compared with. Weights are packed beforehand, as they are in a step.
import type { Engine } from "../../src/kernels/wasm/engine.ts";
import { modelProducts, type Workload } from "../measure/workload.ts";
import type { ProductRate } from "../peer.ts";

/** Single kernels that the module exports beside its two entry points. Addresses and counts in bytes and elements. */
interface ProductKernels {
  /** c[m, n] = a[m, k] · packed b. */
  matmulPacked(m: number, n: number, k: number, a: number, panels: number, c: number, accumulate: number): void;
  /** Packs w [out, inputs], rows `stride` bytes apart. */
  packTransposed(w: number, stride: number, out: number, inputs: number, panels: number): void;
}

/** Rows of one product: sequences of a quarter of the batch, as a partition has them. */
const ROWS = 512;
const SQUARE = { m: 512, k: 512, n: 512 };
/** Each product runs in turns of at least this long, the fastest turn counts. */
const TURN_MS = 4;
const TURNS = 8;

function rateOf(engine: Engine, { m, k, n }: { readonly m: number; readonly k: number; readonly n: number }): ProductRate {
  const kernels = engine.kernels as unknown as ProductKernels;
  const { arena } = engine;
  arena.begin();
  const a = arena.take(m * k * 4);
  const w = arena.take(n * k * 4);
  const panels = arena.take(Math.ceil(n / 8) * 8 * k * 4);
  const c = arena.take(m * n * 4);
  arena.floats(a, m * k).fill(0.5);
  arena.floats(w, n * k).fill(0.25);
  engine.takeScratch(1);
  kernels.packTransposed(w, k * 4, n, k, panels);
  let best = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const begun = performance.now();
    let elapsedMs = 0;
    let repeats = 0;
    while (elapsedMs < TURN_MS) {
      kernels.matmulPacked(m, n, k, a, panels, c, 0);
      repeats += 1;
      elapsedMs = performance.now() - begun;
    }
    best = Math.max(best, (2 * m * k * n * repeats) / elapsedMs / 1e6);
  }
  const product = arena.floats(c, m * n)[m * n - 1];
  if (product !== k / 8) throw new Error(`internal: the measured product is ${product}, not ${k / 8}`);
  return { m, k, n, gflops: best };
}

/** Rates of the model's own products and of 512 x 512 x 512. */
export function measureProducts(engine: Engine, workload: Workload): readonly ProductRate[] {
  return [...modelProducts(workload, ROWS), SQUARE].map((product) => rateOf(engine, product));
}

/** Fastest of some products, GFLOP/s of one thread. */
export function peakGflops(products: readonly ProductRate[]): number {
  return Math.max(...products.map(({ gflops }) => gflops));
}
