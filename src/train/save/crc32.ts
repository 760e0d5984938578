// The checksum of ZIP and PNG (CRC-32, reflected polynomial 0xEDB88320), eight bytes at a time with eight
// tables (Intel's "slicing by 8"), since a checkpoint can have hundreds of megabytes.

function makeTables(): readonly Uint32Array[] {
  const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
  const first = tables[0]!;
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    first[byte] = crc;
  }
  for (let table = 1; table < 8; table++)
    for (let byte = 0; byte < 256; byte++) {
      const before = tables[table - 1]![byte]!;
      tables[table]![byte] = (before >>> 8) ^ first[before & 255]!;
    }
  return tables;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = makeTables() as [
  ...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
  ...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
];

/** CRC-32 of bytes, an unsigned whole number. */
export function crc32(bytes: Uint8Array): number {
  const { length } = bytes;
  let crc = 0xffffffff;
  let i = 0;
  for (; i + 8 <= length; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      T7[crc & 255]! ^
      T6[(crc >>> 8) & 255]! ^
      T5[(crc >>> 16) & 255]! ^
      T4[crc >>> 24]! ^
      T3[bytes[i + 4]!]! ^
      T2[bytes[i + 5]!]! ^
      T1[bytes[i + 6]!]! ^
      T0[bytes[i + 7]!]!;
  }
  for (; i < length; i++) crc = (crc >>> 8) ^ T0[(crc ^ bytes[i]!) & 255]!;
  return (crc ^ 0xffffffff) >>> 0;
}
