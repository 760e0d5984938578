// What computes on the command line: a GPU where one is there and may be used, and a word where one is not.
import { describe, expect, it } from "vitest";
import { hostOf, hostToLook } from "../../src/cli/training/runHost.ts";

describe("the host of a run", () => {
  it("has no GPU, and does not look for one, where none is asked for", async () => {
    for (const config of [{ backend: "wasm", model: "transformer" } as const, { backend: "auto", model: "tabular" } as const]) {
      const { gpu, gpuObstacle } = await hostOf(config, {});
      expect([gpu, gpuObstacle]).toEqual([null, undefined]);
    }
  });

  it("that may choose has a GPU or the reason why there is none", async () => {
    const { gpu, gpuObstacle } = await hostOf({ backend: "auto", model: "transformer" }, {});
    expect(gpu === null).toBe(gpuObstacle !== undefined);
  });

  it("of a run that a GPU has trained falls back where that is only looked at, and says so", async () => {
    const config = { backend: "webgpu", model: "transformer" } as const;
    const { host, backend, notice } = await hostToLook(config, undefined);
    expect([backend, notice]).toEqual(
      host.gpu
        ? ["webgpu", null]
        : ["wasm", expect.stringMatching(/^this run was trained with webgpu, and .*: WebAssembly computes instead$/)],
    );
    if (!host.gpu) await expect(hostToLook(config, "webgpu")).rejects.toThrow(/: choose --device wasm$/);
    expect(await hostToLook(config, "wasm")).toMatchObject({ backend: "wasm", notice: null });
  });
});
