// One GRPO step of a pretrained model on the processor beside PyTorch with PEFT, in turns.
import { createNodeHost } from "../../../src/cli/nodeHost.ts";
import { Arena } from "../../../src/kernels/wasm/arena.ts";
import { measureTiles } from "../../../src/kernels/wasm/chooseTile.ts";
import { type KernelExports, loadKernels } from "../../../src/kernels/wasm/kernelModule.ts";
import { initialAdapters } from "../../../src/model/lora/adapters.ts";
import { createWasmBackend } from "../../../src/model/wasm/wasmBackend.ts";
import { Random } from "../../../src/rl/random.ts";
import type { PretrainedResult, StepSeconds } from "../../report/result.ts";
import { median } from "../../report/statistics.ts";
import { measureDecode } from "./decode.ts";
import { measureGpuSteps } from "./gpuSteps.ts";
import { ADAPTED, baseOf, operations, ownStep, resultOf, SHAPE, startPeft, TAB_STEP } from "./work.ts";

/** Speed of the product itself on so many threads, in GFLOP/s: one thread's, as many times. */
async function productPeak(threads: number): Promise<number> {
  const host = createNodeHost();
  const { module } = await loadKernels(host, false);
  const arena = new Arena(false);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory: arena.memory } });
  const speeds = measureTiles(exports as unknown as KernelExports, arena, host);
  return threads * Math.max(speeds[6], speeds[4]);
}

/**
 * Steps of both in turns after one of each that is not counted, and on a graphics card where `gpu` names one. PyTorch is
 * left out, with the reason, where it is missing.
 */
export async function measurePretrainedStep(threads: number, rounds: number, gpu: string | null): Promise<PretrainedResult> {
  const base = await baseOf();
  const { tensors, from } = base;
  const backend = await createWasmBackend(SHAPE, createNodeHost(), { threads, frozen: { tensors, adapted: ADAPTED } });
  const peft = await startPeft(TAB_STEP, threads, "cpu");
  const random = new Random(1);
  const [own, torch, peaks]: [StepSeconds[], StepSeconds[], number[]] = [[], [], []];
  try {
    await backend.setWeights("policy", initialAdapters(ADAPTED, null, new Random(1)));
    for (let round = 0; round <= rounds; round++) {
      const ours = await ownStep(backend, TAB_STEP, random);
      const peak = await productPeak(threads);
      const theirs = typeof peft === "string" ? null : await peft.step();
      if (round === 0) continue;
      own.push(ours);
      peaks.push(peak);
      if (theirs) torch.push(theirs);
    }
    if (typeof peft !== "string") peft.close();
    const decode = await measureDecode(backend, threads, rounds);
    const cpu = {
      ...resultOf(own, torch, peft),
      threads,
      from,
      rounds,
      decode,
      peakGflops: median(peaks),
      operations: operations(TAB_STEP),
    };
    return gpu === null ? cpu : { ...cpu, gpu: await measureGpuSteps(gpu, base, rounds) };
  } finally {
    backend.dispose();
    if (typeof peft !== "string") peft.close();
  }
}
