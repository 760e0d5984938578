// A GPU that hands out one device again and again. Software adapters take seconds to compile the
// kernels of a model shape; on one device each kernel is compiled once for a whole test file.

import type { TransformerConfig } from "../../src/model/transformerConfig.ts";

/** A model shape small enough for a software adapter. */
export const sharedConfig: TransformerConfig = {
  vocabularySize: 24,
  hiddenSize: 16,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headSize: 4,
  intermediateSize: 28,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: true,
  qkvBias: false,
  headNorm: false,
  maxPositions: 64,
  valueHead: false,
};

export interface SharedGpu {
  readonly gpu: GPU;
  /** Really destroys the device. */
  destroy(): void;
}

/** Wraps a GPU; devices it gives ignore destroy(). */
export function shareDevice(gpu: GPU): SharedGpu {
  let shared: Promise<GPUDevice> | undefined;
  let destroy: () => void = () => undefined;
  const openOnce = async (adapter: GPUAdapter, descriptor?: GPUDeviceDescriptor) => {
    const device = await adapter.requestDevice(descriptor);
    destroy = device.destroy.bind(device);
    device.destroy = () => undefined;
    return device;
  };
  const passOn = <T extends object>(target: T, name: string, own: unknown): T =>
    new Proxy(target, {
      get(inner, key) {
        if (key === name) return own;
        const value: unknown = Reflect.get(inner, key, inner);
        return typeof value === "function" ? value.bind(inner) : value;
      },
    });
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = await gpu.requestAdapter(options);
    if (!adapter) return null;
    return passOn(adapter, "requestDevice", (descriptor?: GPUDeviceDescriptor) => {
      shared ??= openOnce(adapter, descriptor);
      return shared;
    });
  };
  return { gpu: passOn(gpu, "requestAdapter", requestAdapter), destroy: () => destroy() };
}
