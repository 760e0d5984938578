// The text of a file that somebody brings. It is UTF-8, or UTF-16 as Windows programs save it, with its mark or without; bytes
// that are neither are refused with their place, since a letter that is guessed would be trained on.
import { orElse } from "../../../protocol/problems.ts";
import { DataError } from "./row.ts";

/** Bytes that are looked at for zeros. */
const LOOKED_AT = 65_536;

/** By its mark; without one UTF-16 has a zero beside every sign of the form itself, such as a quote or a comma, always on one side. */
function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  let even = 0;
  let odd = 0;
  for (let i = 0; i < Math.min(bytes.length, LOOKED_AT); i++) {
    if (bytes[i] !== 0) continue;
    if (i % 2 === 0) even += 1;
    else odd += 1;
  }
  if (even + odd < 2 || Math.min(even, odd) > 0) return "utf-8";
  return odd > 0 ? "utf-16le" : "utf-16be";
}

/** The beginning that is UTF-8; a letter that is cut at its end is not part of it. */
function soundBeginning(bytes: Uint8Array): string {
  const utf8 = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decoded = (length: number) => orElse(() => utf8().decode(bytes.subarray(0, length), { stream: true }), null);
  let sound = 0;
  let broken = bytes.length + 1;
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (decoded(middle) === null) broken = middle;
    else sound = middle;
  }
  return decoded(sound) ?? "";
}

/** What to say of the first byte that is no UTF-8, with its line and how it would read as the encoding of old Windows programs. */
function wrongByte(name: string, bytes: Uint8Array): string {
  const before = soundBeginning(bytes);
  const at = new TextEncoder().encode(before).length;
  const lines = before.split(/\r\n|\n|\r/);
  const [rest = ""] = new TextDecoder("windows-1252").decode(bytes.subarray(at, at + 12)).split(/[\r\n]/);
  const hex = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  const western = JSON.stringify(`${(lines.at(-1) ?? "").slice(-12)}${rest}`);
  return `${name}:${lines.length}: must be UTF-8, got the byte 0x${hex} at ${at}, where Windows-1252 would read ${western}: save the file as UTF-8`;
}

/** The text of bytes, without its mark. Throws a DataError that names line and byte of what is no text. */
export function fileText(name: string, bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes.length >= 4 && bytes[2] === 0 && bytes[3] === 0)
    throw new DataError(`${name} must be UTF-8, got UTF-32: save the file as UTF-8`);
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    if (encoding === "utf-8") throw new DataError(wrongByte(name, bytes));
    throw new DataError(`${name} must be UTF-8, got ${encoding.toUpperCase()} that is cut off or damaged: save the file as UTF-8`);
  }
}
