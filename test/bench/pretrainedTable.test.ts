// The table of a pretrained model says what was measured, and why a peer is left out.
import { expect, it } from "vitest";
import { pretrainedTable } from "../../bench/report/pretrainedTable.ts";
import type { PretrainedResult } from "../../bench/report/result.ts";

const result: PretrainedResult = {
  ...{
    threads: 2,
    from: "the GGUF file, Q4_1",
    rounds: 3,
    own: { sampling: 3, update: 4 },
    torch: { missing: "PyTorch is not installed" },
  },
  ...{ peakGflops: 130, operations: { sampling: 273, update: 416 } },
};

it("a step's table has shares of the plain product, and names what is missing", () => {
  const text = pretrainedTable(result).join("\n");
  expect(text).toContain("| Rollout Lab, own WASM kernels (Node) | 3.00 | 4.00 | 7.00 |");
  expect(text).toContain("are 70 % while sampling and 80 % in the update");
  expect(text).toContain("PyTorch is left out: PyTorch is not installed.");
  expect(text).not.toContain("Decoding");
});

it("decoding stands beside llama.cpp's, or says why it does not", () => {
  const decode = { tokens: 64, own: 30.25, wllama: { version: "3.13.0", perSecond: 20 } };
  const text = pretrainedTable({ ...result, decode }).join("\n");
  expect(text).toContain("| Rollout Lab, own WASM kernels (Node), adapters included | 30.3 |");
  expect(text).toContain("| llama.cpp in WebAssembly (wllama 3.13.0, Chromium) | 20.0 |");
  const without = pretrainedTable({ ...result, decode: { ...decode, wllama: { missing: "no browser was found" } } }).join("\n");
  expect(without).toContain("wllama is left out: no browser was found.");
});
