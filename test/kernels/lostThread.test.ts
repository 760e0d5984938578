// A thread that is lost after it was up: the job that waits for it ends with an error and not never.
import { expect, it } from "vitest";
import { Engine } from "../../src/kernels/wasm/engine.ts";
import type { KernelThreadHandle } from "../../src/kernels/wasm/kernelModule.ts";
import { adaptedLayout, initialAdapters } from "../../src/model/lora/adapters.ts";
import { ModelMemory } from "../../src/model/wasm/modelMemory.ts";
import { Random } from "../../src/rl/random.ts";
import { tiedConfig } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { storedBase } from "../support/storedBase.ts";
import { sharpWeights } from "../support/tokenBatches.ts";

/** A module as the kernels' whose `serve` is broken, and whose `breakDown` stores the thread at 96 as theirs does. */
async function brokenModule(): Promise<WebAssembly.Module> {
  const header = new Uint8Array(new Int32Array([0x6d736100, 1]).buffer);
  const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
  const section = (id: number, body: readonly number[]) => [id, body.length, ...body];
  const bytes = [
    ...header,
    ...section(1, [1, 0x60, 1, 0x7f, 0]),
    // (import "env" "memory" (memory 1 65536 shared))
    ...section(2, [1, ...name("env"), ...name("memory"), 2, 3, 1, 0x80, 0x80, 4]),
    ...section(3, [2, 0, 0]),
    ...section(7, [2, ...name("serve"), 0, 0, ...name("breakDown"), 0, 1]),
    // serve: unreachable. breakDown: i32.atomic.store (i32.const 96) (local.get 0)
    ...section(10, [2, 3, 0, 0, 0x0b, 11, 0, 0x41, 0xe0, 0, 0x20, 0, 0xfe, 0x17, 2, 0, 0x0b]),
  ];
  return WebAssembly.compile(Uint8Array.from(bytes));
}

it("that broke down is named, by every job from then on, and the engine can be disposed of", async () => {
  const host = createNodeHost();
  const broken = await brokenModule();
  const startKernelThread = (): KernelThreadHandle => {
    const thread = host.startKernelThread!();
    return { ...thread, start: (_module, memory, index) => thread.start(broken, memory, index) };
  };
  const engine = await Engine.start(createNodeHost({ startKernelThread }), { threads: 2, tile: 6 });
  expect(() => engine.run("reduce")).toThrow("kernel thread 1 broke down in its work");
  expect(() => engine.run("reduce")).toThrow("kernel thread 1 broke down in its work");
  engine.dispose();
});

/** A frozen base in an engine's memory: threads decode beside it together and meet between stages. */
function withFrozenBase(engine: Engine): void {
  const base_N = sharpWeights(tiedConfig, 1);
  const adapted = adaptedLayout(tiedConfig, { rank: 1, alpha: 1, rankStabilized: false, targets: ["q_proj"] });
  const memory = new ModelMemory(engine, tiedConfig, 1, { tensors: storedBase(tiedConfig, base_N), adapted });
  memory.setWeights("policy", initialAdapters(adapted, null, new Random(1)));
}

it("that threads wait for between the stages of a job counts as lost after a while", async () => {
  const startKernelThread = (): KernelThreadHandle => ({ start: async () => {}, close() {} });
  const engine = await Engine.start(createNodeHost({ startKernelThread }), { threads: 2, tile: 6, patience: 1 });
  withFrozenBase(engine);
  expect(() => engine.run("beginDecode")).toThrow("a kernel thread has not answered for 1 seconds and counts as lost");
  engine.dispose();
});

it("that breaks down between the stages of a job is named", async () => {
  const host = createNodeHost();
  const broken = await brokenModule();
  const startKernelThread = (): KernelThreadHandle => {
    const thread = host.startKernelThread!();
    return { ...thread, start: (_module, memory, index) => thread.start(broken, memory, index) };
  };
  const engine = await Engine.start(createNodeHost({ startKernelThread }), { threads: 2, tile: 6 });
  withFrozenBase(engine);
  expect(() => engine.run("beginDecode")).toThrow("kernel thread 1 broke down in its work");
  engine.dispose();
});

it("that does not answer any more counts as lost after a while", async () => {
  const startKernelThread = (): KernelThreadHandle => ({ start: async () => {}, close() {} });
  const engine = await Engine.start(createNodeHost({ startKernelThread }), { threads: 2, tile: 6, patience: 1 });
  expect(() => engine.run("reduce")).toThrow("a kernel thread has not answered for 1 seconds and counts as lost");
  engine.dispose();
});
