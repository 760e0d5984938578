import { expect, it } from "vitest";
import type { BackendReport } from "../../../src/protocol/messages.ts";
import { computedBy } from "../../../src/ui/shell/BackendBadge.tsx";

const report: BackendReport = { id: "wasm", title: "WebAssembly", reason: "Chosen in the configuration.", threads: 1, tried: [] };

it("names the threads, and the kernels where they compute", () => {
  expect(computedBy({ ...report, threads: 2, kernelBuild: "relaxed, fused" })).toBe(
    "× 2: that many threads share the work, kernels with relaxed SIMD, which rounds a multiply-add once here.",
  );
  expect(computedBy({ ...report, kernelBuild: "plain" })).toBe("One thread, kernels with plain SIMD.");
  expect(computedBy(report)).toBe("One thread.");
});

it("says what keeps it to one thread", () => {
  const threadObstacle = "the page came over plain HTTP";
  expect(computedBy({ ...report, threadObstacle })).toBe("One thread. It is only one because the page came over plain HTTP.");
});
