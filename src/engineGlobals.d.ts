// The few globals the engine uses that exist in browsers, workers and Node alike but not in the
// ES2023 library it is compiled against.

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: ArrayBufferView, options?: { stream?: boolean }): string;
}

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  interface MemoryDescriptor {
    readonly initial: number;
    readonly maximum?: number;
    readonly shared?: boolean;
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  type Exports = Record<string, unknown>;
  interface Instance {
    readonly exports: Exports;
  }
  type Imports = Record<string, Record<string, unknown>>;
  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}

interface ByteTransform {
  readonly readable: {
    getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>; cancel(): Promise<void> };
  };
  readonly writable: {
    getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void>; abort(reason: unknown): Promise<void> };
  };
}
declare class CompressionStream {
  constructor(format: "deflate");
  readonly readable: ByteTransform["readable"];
  readonly writable: ByteTransform["writable"];
}
declare class DecompressionStream {
  constructor(format: "deflate" | "gzip");
  readonly readable: ByteTransform["readable"];
  readonly writable: ByteTransform["writable"];
}

/** Files as text, such as the code of templates. */
declare module "*?raw" {
  const text: string;

  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a file's text
  export { text as default };
}
