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
  /** The same device as one that lacks a feature would be: what it compiles, and this one has compiled, is there already. */
  without(feature: string): GPU;
  /** Really destroys the device. */
  destroy(): void;
}

/** An object that is the inner one, but for some of its properties. */
function passOn<T extends object>(target: T, own: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get(inner, key) {
      if (typeof key === "string" && key in own) return own[key];
      const value: unknown = Reflect.get(inner, key, inner);
      return typeof value === "function" ? value.bind(inner) : value;
    },
    set: (inner, key, value) => Reflect.set(inner, key, value, inner),
  });
}

/** Wraps a GPU; devices it gives ignore destroy(). */
export function shareDevice(gpu: GPU): SharedGpu {
  let shared: Promise<GPUDevice> | undefined;
  let destroy: () => void = () => undefined;
  const openOnce = async (adapter: GPUAdapter, descriptor: GPUDeviceDescriptor) => {
    const device = await adapter.requestDevice(descriptor);
    destroy = device.destroy.bind(device);
    device.destroy = () => undefined;
    return device;
  };
  /** The GPU as one whose adapters and device say nothing of these features. */
  const hiding = (hidden: readonly string[]): GPU => {
    const shown = (features: ReadonlySet<string>) => new Set([...features].filter((name) => !hidden.includes(name)));
    let seen: Promise<GPUDevice> | undefined;
    const requestAdapter = async (options?: GPURequestAdapterOptions) => {
      const adapter = await gpu.requestAdapter(options);
      if (!adapter) return null;
      const requestDevice = (descriptor: GPUDeviceDescriptor = {}) => {
        const all = [...(descriptor.requiredFeatures ?? []), ...[...adapter.features].filter((name) => hidden.includes(name))];
        shared ??= openOnce(adapter, { ...descriptor, requiredFeatures: all as GPUFeatureName[] });
        seen ??= hidden.length === 0 ? shared : shared.then((device) => passOn(device, { features: shown(device.features) }));
        return seen;
      };
      return passOn(adapter, { requestDevice, features: shown(adapter.features) });
    };
    return passOn(gpu, { requestAdapter });
  };
  return { gpu: hiding([]), without: (feature) => hiding([feature]), destroy: () => destroy() };
}
