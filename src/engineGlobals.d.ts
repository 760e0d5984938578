// The few globals the engine uses that exist in browsers, workers and Node alike but not in the
// ES2023 library it is compiled against.

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  decode(bytes?: ArrayBufferView, options?: { stream?: boolean }): string;
}
