// GPUs that tests stand in front of: one whose devices they can reach, to take them away from those who
// use them, and one that looks like hardware.

export interface WatchedGpu {
  readonly gpu: GPU;
  /** Devices given out so far. */
  readonly devices: readonly GPUDevice[];
}

/** Stands in front of one method of an object; everything else is the object's own. */
function replacing<T extends object>(target: T, name: string, own: unknown): T {
  return new Proxy(target, {
    get(inner, key) {
      if (key === name) return own;
      const value: unknown = Reflect.get(inner, key, inner);
      return typeof value === "function" ? value.bind(inner) : value;
    },
  });
}

/** Wraps a GPU; `onDevice` sees each device before its owner does. */
export function watchDevices(gpu: GPU, onDevice: (device: GPUDevice) => void = () => undefined): WatchedGpu {
  const devices: GPUDevice[] = [];
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = await gpu.requestAdapter(options);
    if (!adapter) return null;
    return replacing(adapter, "requestDevice", async (descriptor?: GPUDeviceDescriptor) => {
      const device = await adapter.requestDevice(descriptor);
      devices.push(device);
      onDevice(device);
      return device;
    });
  };
  return { gpu: replacing(gpu, "requestAdapter", requestAdapter), devices };
}

/** A GPU whose adapters say that they are no software ones, as "auto" wants them. */
export function asHardware(gpu: GPU): GPU {
  const info = { architecture: "some", description: "a real one", isFallbackAdapter: false };
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = await gpu.requestAdapter(options);
    return adapter && replacing(adapter, "info", info);
  };
  return replacing(gpu, "requestAdapter", requestAdapter);
}
