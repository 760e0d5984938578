// The order in which test files begin: those known to take longest first. One of them that began last would
// run alone at the end, while the other core rests.
import { BaseSequencer } from "vitest/node";

/** Ends of their paths, the longest first. A GPU in software is what takes most. */
const LONG = [
  "model/composed/tfjsWebgpu.test.ts",
  "model/webgpu/webgpuBackend.test.ts",
  "train/grpo.test.ts",
  "train/run/lostDevice.test.ts",
  "model/wasm/wasmBackend.test.ts",
  "model/composed/tfjsWasm.test.ts",
  "model/composed/tfjsCpu.test.ts",
  "train/step/unsampledTokens.test.ts",
  "train/backend/chooseBackend.test.ts",
  "train/memory/memoryEstimate.test.ts",
  "train/run/sessionStates.test.ts",
  "train/memory/memoryRefusal.test.ts",
  "cli/programs.test.ts",
  "rl/tasks/tasks.test.ts",
];

/** @param {string} path */
function rank(path) {
  const place = LONG.findIndex((end) => path.endsWith(end));
  return place < 0 ? LONG.length : place;
}

export class LongestFirst extends BaseSequencer {
  /** @param {import("vitest/node").TestSpecification[]} files */
  async sort(files) {
    return (await super.sort(files)).toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}
