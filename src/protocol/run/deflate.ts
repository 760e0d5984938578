// Bytes through what browsers and Node have built in to pack and unpack: it works on a thread of its own, so training goes on meanwhile.

/** Everything a transform gives for these pieces; null once that is more than there may be. Rejects where what came is damaged. */
export async function transformed(
  { readable, writable }: CompressionStream | DecompressionStream,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  most: number,
): Promise<Uint8Array | null> {
  const reader = readable.getReader();
  const writer = writable.getWriter();
  const write = async () => {
    for await (const piece of pieces) await writer.write(piece as Uint8Array<ArrayBuffer>);
    await writer.close();
  };
  // What goes wrong on the way in, the source of the pieces included, comes out on the other side.
  const written = write().catch((error: unknown) => writer.abort(error).catch(() => {}));
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      return null;
    }
    parts.push(value);
  }
  await written;
  return joinedBytes(parts);
}

/** Pieces of bytes as one. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Bytes, compressed by DEFLATE, with a checksum of their own. */
export async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = await transformed(new CompressionStream("deflate"), [bytes], Number.POSITIVE_INFINITY);
  if (!packed) throw new Error("internal: compression without a limit met one");
  return packed;
}

/** The bytes that were compressed, of which there must be so many. Rejects with a sentence where there are not. */
export async function inflated(packed: Uint8Array, length: number, name: string): Promise<Uint8Array> {
  let bytes: Uint8Array | null;
  try {
    bytes = await transformed(new DecompressionStream("deflate"), [packed], length);
  } catch (error) {
    throw new Error(`${name} is damaged: it cannot be decompressed`, { cause: error });
  }
  if (bytes?.length !== length) throw new Error(`${name} must unfold to ${length} bytes, got ${bytes ? bytes.length : "more"}`);
  return bytes;
}
