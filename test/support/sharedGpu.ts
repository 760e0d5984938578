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

/** Wraps a GPU; devices it gives ignore destroy(). @param hidden features that its adapters say nothing of */
export function shareDevice(gpu: GPU, hidden: readonly string[] = []): SharedGpu {
  let shared: Promise<GPUDevice> | undefined;
  let destroy: () => void = () => undefined;
  const openOnce = async (adapter: GPUAdapter, descriptor?: GPUDeviceDescriptor) => {
    const device = await adapter.requestDevice(descriptor);
    destroy = device.destroy.bind(device);
    device.destroy = () => undefined;
    return device;
  };
  const passOn = <T extends object>(target: T, own: Readonly<Record<string, unknown>>): T =>
    new Proxy(target, {
      get(inner, key) {
        if (typeof key === "string" && key in own) return own[key];
        const value: unknown = Reflect.get(inner, key, inner);
        return typeof value === "function" ? value.bind(inner) : value;
      },
    });
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = await gpu.requestAdapter(options);
    if (!adapter) return null;
    const requestDevice = (descriptor?: GPUDeviceDescriptor) => {
      shared ??= openOnce(adapter, descriptor);
      return shared;
    };
    const features = new Set([...adapter.features].filter((name) => !hidden.includes(name)));
    return passOn(adapter, { requestDevice, features });
  };
  return { gpu: passOn(gpu, { requestAdapter }), destroy: () => destroy() };
}
