// What all phases share on one device: the compiled kernels, the parameters, the call uniform, and the
// way a list of operations becomes a program.

import { modelShape } from "../../kernels/modelSizes.ts";
import { Arena } from "../../kernels/webgpu/arena.ts";
import { compileKernel, validated } from "../../kernels/webgpu/device.ts";
import { callBytes, type Kernel, maxStopTokens } from "../../kernels/webgpu/kernel.ts";
import { buildProgram, type Operation, opWords, type Program, record } from "../../kernels/webgpu/program.ts";
import type { FrozenBase } from "../lora/frozenBase.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { baseMemory } from "./baseMemory.ts";
import { createParameters } from "./parameters.ts";
import { planModel, trainedLayout } from "./plan/modelPlan.ts";

export interface CallValues {
  readonly rows: number;
  readonly scored: number;
  readonly temperature: number;
  readonly greedy?: boolean;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  readonly maxNewTokens?: number;
  readonly stopTokens?: readonly number[];
}

export interface Copy {
  readonly from: GPUBuffer;
  readonly to: GPUBuffer;
  readonly words: number;
}

/** The rotation table of Llama: angle = position * theta^(-2 i / headSize). */
export function ropeTable(positions: number, { headSize, ropeTheta }: TransformerConfig): Float32Array<ArrayBuffer> {
  const half = headSize / 2;
  const table = new Float32Array(positions * headSize);
  for (let p = 0; p < positions; p++) {
    for (let i = 0; i < half; i++) {
      const angle = p * ropeTheta ** ((-2 * i) / headSize);
      table[(p * half + i) * 2] = Math.cos(angle);
      table[(p * half + i) * 2 + 1] = Math.sin(angle);
    }
  }
  return table;
}

function callWords(values: CallValues): ArrayBuffer {
  const stops = values.stopTokens ?? [];
  if (stops.length > maxStopTokens) throw new Error(`stopTokens must be at most ${maxStopTokens}, got ${stops.length}`);
  const bytes = new ArrayBuffer(callBytes);
  const words = new Uint32Array(bytes);
  const floats = new Float32Array(bytes);
  words.set([values.rows, values.scored]);
  floats[2] = 1 / (values.temperature || 1);
  words[3] = values.greedy ? 1 : 0;
  words[4] = values.topK ?? 0;
  floats[5] = values.topP ?? 1;
  floats[6] = values.minP ?? 0;
  words[7] = stops.length;
  words[8] = values.maxNewTokens ?? 0;
  words.set(stops, (callBytes - maxStopTokens * 4) / 4);
  return bytes;
}

/** Limits of a device by which work is split. */
export interface EngineLimits {
  readonly bindingBytes?: number;
  readonly workgroups?: number;
}

/** Submits one command buffer: the programs in a pass, then the copies. */
function encode(device: GPUDevice, programs: readonly Program[], copies: readonly Copy[]): void {
  const encoder = device.createCommandEncoder();
  if (programs.length > 0) {
    const pass = encoder.beginComputePass();
    for (const program of programs) record(program, pass);
    pass.end();
  }
  for (const { from, to, words } of copies) if (words > 0) encoder.copyBufferToBuffer(from, 0, to, 0, words * 4);
  device.queue.submit([encoder.finish()]);
}

/** Largest storage binding of a device, in bytes. */
function bindingLimit(device: GPUDevice, { bindingBytes = Number.POSITIVE_INFINITY }: EngineLimits): number {
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  return Math.min(bindingBytes, maxStorageBufferBindingSize, maxBufferSize);
}

/**
 * Opens the shared state for a model on a device; limits may be set lower than the device's to test splitting.
 * @param frozen a base that stands still beside adapters; null where all weights are trained.
 */
export function createEngine(device: GPUDevice, config: TransformerConfig, limits: EngineLimits, frozen: FrozenBase | null = null) {
  const { maxComputeWorkgroupsPerDimension } = device.limits;
  const bindingBytes = bindingLimit(device, limits);
  const workgroups = Math.min(limits.workgroups ?? Number.POSITIVE_INFINITY, maxComputeWorkgroupsPerDimension);
  const arena = new Arena(device, bindingBytes);
  const call = arena.uniform("call", callBytes / 4);
  const checked = new WeakSet<Program>();
  // Plans keep the table they were made with, so a longer one does not replace it.
  let rope: { readonly positions: number; readonly table: GPUBuffer } | null = null;
  const plan = planModel(config, frozen, bindingBytes);
  const layout = trainedLayout(config, frozen);
  const parameters = createParameters(device, layout, bindingBytes);
  return {
    device,
    config,
    shape: modelShape(config),
    parameters,
    layout,
    /** How the model is laid out, and where a frozen base lies; null where all weights are trained. */
    plan,
    memory: frozen && baseMemory(device, arena, plan),
    /** Largest storage binding, in bytes. */
    bindingBytes,
    /** Most workgroups in one dimension of a dispatch. */
    workgroups,
    /** Lives as long as the engine: uniforms, the RoPE table, the optimizer's sums. */
    arena,
    /** (cos, sin) [position, headSize / 2] for at least so many positions. */
    rope(positions: number): GPUBuffer {
      if (!rope || rope.positions < positions) {
        rope = { positions, table: arena.storage(`rope ${positions}`, positions * config.headSize) };
        device.queue.writeBuffer(rope.table, 0, ropeTable(positions, config));
      }
      return rope.table;
    },
    compile: (kernel: Kernel) => compileKernel(device, kernel),
    /** Validates the operations and makes them a program; its uniforms live in the owner's arena under `name`. */
    program: (name: string, owner: Arena, operations: readonly Operation[]) =>
      validated(device, `the ${name} program`, () =>
        buildProgram(device, operations, call, owner.uniform(`${name} offsets`, opWords(operations.length))),
      ),
    writeCall(values: CallValues): void {
      device.queue.writeBuffer(call, 0, callWords(values));
    },
    /** One command buffer: a compute pass with the programs in order (each as often as it is listed), then copies. */
    async submit(programs: readonly Program[], copies: readonly Copy[]): Promise<void> {
      const fresh = programs.filter((program) => !checked.has(program));
      if (fresh.length === 0) return encode(device, programs, copies);
      await validated(device, "a first run", () => encode(device, programs, copies));
      for (const program of fresh) checked.add(program);
    },
    destroy(): void {
      arena.destroy();
      parameters.destroy();
    },
  };
}
export type Engine = ReturnType<typeof createEngine>;
