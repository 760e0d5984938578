// Byte-level BPE spells each byte as one printable character, so that vocabularies are readable text.
// The table is GPT-2's: printable Latin-1 characters stand for themselves, the rest for U+0100 and up.

function buildByteCharacters(): readonly string[] {
  const isPrintable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let shifted = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : shifted++));
}

/** The character that spells each byte. */
export const BYTE_CHARACTERS: readonly string[] = buildByteCharacters();

const BYTE_OF = new Map(BYTE_CHARACTERS.map((char, byte) => [char, byte]));

/** The bytes that a vocabulary entry spells; throws for a character outside the table. */
export function bytesOfSpelling(spelling: string): Uint8Array {
  return Uint8Array.from([...spelling], (char) => {
    const byte = BYTE_OF.get(char);
    if (byte === undefined)
      throw new Error(`${JSON.stringify(char)} does not spell a byte in the vocabulary entry ${JSON.stringify(spelling)}`);
    return byte;
  });
}

/** How a vocabulary spells these bytes. */
export function spellingOfBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => BYTE_CHARACTERS[byte]).join("");
}
