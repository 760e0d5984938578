// The few kinds of fields of protocol buffers that the files here are made of
// (https://protobuf.dev/programming-guides/encoding): each is a list of bytes, and a message is its fields end to end.

export function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}

/** A whole number >= 0. */
export function numberField(number: number, value: number): readonly number[] {
  return [...varint(number << 3), ...varint(value)];
}

/** A field with a length: bytes or a message. */
export function lengthField(number: number, bytes: ArrayLike<number>): readonly number[] {
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...Array.from(bytes)];
}

export function textField(number: number, value: string): readonly number[] {
  return lengthField(number, new TextEncoder().encode(value));
}

/** Eight bytes (wire 1) or four (wire 5). */
export function fixedField(number: number, wire: 1 | 5, write: (view: DataView) => void): readonly number[] {
  const bytes = new Uint8Array(wire === 1 ? 8 : 4);
  write(new DataView(bytes.buffer));
  return [(number << 3) | wire, ...bytes];
}
