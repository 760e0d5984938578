// Buffers that persist from step to step. An arena is planned for a capacity and thrown away as a whole
// when a request is larger; inside it nothing is allocated twice, so bind groups can be kept.

/** GPUBufferUsage, which engine code cannot take from the global of that name in every host. */
export const usage = { mapRead: 1, copySource: 4, copyTarget: 8, uniform: 64, storage: 128 } as const;

/** Where plans take their buffers from: an arena, or a count of what they would take. */
export interface BufferSource<B> {
  /** The storage buffer of that name, made with room for `words` four-byte words the first time. */
  storage(name: string, words: number): B;
  uniform(name: string, words: number): B;
  /** A buffer results are copied to and read from. */
  staging(name: string, words: number): B;
}

const bufferBytes = (words: number): number => Math.max(16, Math.ceil(words / 4) * 16);

/** Bytes of the buffers that plans would take; owned state. */
export class BufferCount implements BufferSource<number> {
  readonly #sizes = new Map<string, number>();
  readonly #bindingBytes: number;

  /** Storage larger than a binding is refused, as by an arena. */
  constructor(bindingBytes: number) {
    this.#bindingBytes = bindingBytes;
  }

  storage(name: string, words: number): number {
    const bytes = this.#add(name, words);
    if (bytes > this.#bindingBytes) throw new Error(`buffer ${name} needs ${bytes} bytes, this GPU allows ${this.#bindingBytes}`);
    return bytes;
  }

  uniform(name: string, words: number): number {
    return this.#add(name, words);
  }

  staging(name: string, words: number): number {
    return this.#add(name, words);
  }

  #add(name: string, words: number): number {
    const bytes = this.#sizes.get(name) ?? bufferBytes(words);
    this.#sizes.set(name, bytes);
    return bytes;
  }

  get bytes(): number {
    return [...this.#sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  }
}

/** Owned GPU buffers by name, storage no larger than `bindingBytes`. */
export class Arena implements BufferSource<GPUBuffer> {
  readonly #device: GPUDevice;
  readonly #bindingBytes: number;
  readonly #buffers = new Map<string, GPUBuffer>();

  constructor(device: GPUDevice, bindingBytes: number = device.limits.maxStorageBufferBindingSize) {
    this.#device = device;
    this.#bindingBytes = bindingBytes;
  }

  storage(name: string, words: number): GPUBuffer {
    return this.#get(name, words, usage.storage | usage.copySource | usage.copyTarget);
  }

  uniform(name: string, words: number): GPUBuffer {
    return this.#get(name, words, usage.uniform | usage.copyTarget);
  }

  staging(name: string, words: number): GPUBuffer {
    return this.#get(name, words, usage.mapRead | usage.copyTarget);
  }

  destroy(): void {
    for (const buffer of this.#buffers.values()) buffer.destroy();
    this.#buffers.clear();
  }

  #get(name: string, words: number, flags: number): GPUBuffer {
    const size = bufferBytes(words);
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

/** What `plan` makes of an arena on an engine's device, which then belongs to the result; where it throws, the arena is destroyed. */
export async function planOn<T>(
  { device, bindingBytes }: { readonly device: GPUDevice; readonly bindingBytes: number },
  plan: (arena: Arena) => Promise<T>,
): Promise<T> {
  const arena = new Arena(device, bindingBytes);
  try {
    return await plan(arena);
  } catch (error) {
    arena.destroy();
    throw error;
  }
}
