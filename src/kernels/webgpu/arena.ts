// Buffers that persist from step to step. An arena is planned for a capacity and thrown away as a whole
// when a request is larger; inside it nothing is allocated twice, so bind groups can be kept.

/** GPUBufferUsage, which engine code cannot take from the global of that name in every host. */
export const usage = { mapRead: 1, copySource: 4, copyTarget: 8, uniform: 64, storage: 128 } as const;

/** Owned GPU buffers by name, storage no larger than `bindingBytes`. */
export class Arena {
  readonly #device: GPUDevice;
  readonly #bindingBytes: number;
  readonly #buffers = new Map<string, GPUBuffer>();

  constructor(device: GPUDevice, bindingBytes: number = device.limits.maxStorageBufferBindingSize) {
    this.#device = device;
    this.#bindingBytes = bindingBytes;
  }

  /** The storage buffer of that name, made with room for `words` four-byte words the first time. */
  storage(name: string, words: number): GPUBuffer {
    return this.#get(name, words, usage.storage | usage.copySource | usage.copyTarget);
  }

  uniform(name: string, words: number): GPUBuffer {
    return this.#get(name, words, usage.uniform | usage.copyTarget);
  }

  /** A buffer results are copied to and read from. */
  staging(name: string, words: number): GPUBuffer {
    return this.#get(name, words, usage.mapRead | usage.copyTarget);
  }

  destroy(): void {
    for (const buffer of this.#buffers.values()) buffer.destroy();
    this.#buffers.clear();
  }

  #get(name: string, words: number, flags: number): GPUBuffer {
    const size = Math.max(16, Math.ceil(words / 4) * 16);
    const known = this.#buffers.get(name);
    if (known) {
      if (known.size < size) throw new Error(`internal: buffer ${name} was planned for ${known.size} bytes, ${size} are needed`);
      return known;
    }
    const { maxBufferSize } = this.#device.limits;
    const limit = flags & usage.storage ? Math.min(maxBufferSize, this.#bindingBytes) : maxBufferSize;
    if (size > limit) throw new Error(`buffer ${name} needs ${size} bytes, this GPU allows ${limit}`);
    const buffer = this.#device.createBuffer({ label: name, size, usage: flags });
    this.#buffers.set(name, buffer);
    return buffer;
  }
}

/** What `plan` makes of an arena, which then belongs to the result; where it throws, the arena is destroyed. */
export async function planIn<T>(arena: Arena, plan: (arena: Arena) => Promise<T>): Promise<T> {
  try {
    return await plan(arena);
  } catch (error) {
    arena.destroy();
    throw error;
  }
}
