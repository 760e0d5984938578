// The memory that a run takes at its peak, as its backend's own machinery knows it: pages of WebAssembly
// memories, bytes of TensorFlow.js's tensors, buffers of GPU devices.
import * as tf from "@tensorflow/tfjs";
import { watchDevices } from "./watchedGpu.ts";

/** Runs `work` and returns the bytes of the kernels' memories it made. */
export async function wasmPeak(work: () => Promise<unknown>): Promise<number> {
  const Original = WebAssembly.Memory;
  const made: WebAssembly.Memory[] = [];
  class Counted extends Original {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      made.push(this);
    }
  }
  WebAssembly.Memory = Counted;
  try {
    await work();
  } finally {
    WebAssembly.Memory = Original;
  }
  // Those that never grew only served a count.
  const sizes = made.map(({ buffer }) => buffer.byteLength).sort((a, b) => b - a);
  return sizes.filter((bytes) => bytes > 2 ** 20).reduce((sum, bytes) => sum + bytes, 0);
}

/** Runs `work` and returns the most bytes of tensors that were there at once. */
export async function tfjsPeak(work: () => Promise<unknown>): Promise<number> {
  const state = tf.engine().state as { numBytes: number };
  const before = state.numBytes;
  let bytes = before;
  let peak = before;
  Object.defineProperty(state, "numBytes", {
    configurable: true,
    enumerable: true,
    get: () => bytes,
    set: (value: number) => {
      bytes = value;
      peak = Math.max(peak, value);
    },
  });
  try {
    await work();
  } finally {
    Object.defineProperty(state, "numBytes", { value: bytes, writable: true, configurable: true, enumerable: true });
  }
  return peak - before;
}

/** Runs `work` on a GPU and returns the most bytes of buffers that were there at once. */
export async function gpuPeak(gpu: GPU, work: (gpu: GPU) => Promise<unknown>): Promise<number> {
  let bytes = 0;
  let peak = 0;
  // A policy and a critic can be given the same device, whose buffers count once.
  const seen = new WeakSet<GPUDevice>();
  const { gpu: watched } = watchDevices(gpu, (device) => {
    if (seen.has(device)) return;
    seen.add(device);
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      bytes += buffer.size;
      peak = Math.max(peak, bytes);
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => {
        bytes -= buffer.size;
        return destroy();
      };
      return buffer;
    };
  });
  await work(watched);
  return peak;
}
