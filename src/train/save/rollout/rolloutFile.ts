// A run as one file to hand on, NAME.rollout: a line of text, a header in JSON, and the files of an ordinary save, compressed. The line has
// a SHA-256 of all that follows it, so that two files with one hash are one recording, and how much will be unfolded, so that a file
// which claims to be small and is not is refused before it takes the memory. What a save is, which versions of it are read and what is
// checked in it is said by the save (readSave.ts) alone; a header only says what a reader wants to know before unfolding it.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { parseOrThrow } from "../../../protocol/problems.ts";
import { z } from "../../../protocol/zod.ts";
import { deflated, inflated } from "../kept/deflate.ts";
import type { SaveFiles } from "../readSave.ts";
import { ARRAY_NAME, packFiles, unpackFiles } from "./packedFiles.ts";

export const ROLLOUT_ENDING = ".rollout";
const VERSION = 1;

const START = "rollout-file ";
const LINE = /^rollout-file (\d{1,6}) ([0-9a-f]{64}) (\d{1,6}) (\d{1,10}) (\d{1,10})\n$/;
/** Up to where the line must have ended. */
const LONGEST_LINE = 120;
const MOST_HEADER = 100_000;
/** What may be unfolded: so much in all, and no more than this many times what lies in the file. */
const MOST_BYTES = 2 ** 29;
const MOST_RATIO = 100;
const SPARE_BYTES = 2 ** 16;

const text = z.string().min(1).max(200);
const headerSchema = z.object({
  format: z.literal("rollout"),
  version: z.literal(VERSION),
  runId: text,
  task: text,
  algorithm: text,
  /** The last step that was recorded. */
  step: z.int().min(0),
  /** Steps whose conversations are in it. */
  kept: z.array(z.int().min(0)).max(10_000),
  /** Steps whose weights are in it. */
  checkpoints: z.array(z.int().min(0)).max(1_000),
});

/** What a file says of its run before it is unfolded. */
export type RolloutHeader = z.output<typeof headerSchema>;

/** Whether bytes begin as such a file does. */
export function isRollout(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, START.length)) === START;
}

/** A header and the files of a save as one file. */
export async function packRollout(described: Omit<RolloutHeader, "format" | "version">, files: SaveFiles): Promise<Uint8Array> {
  const block = packFiles(files);
  const packed = await deflated(block);
  const header = new TextEncoder().encode(JSON.stringify({ format: "rollout", version: VERSION, ...described }));
  const body = new Uint8Array(header.length + packed.length);
  body.set(header);
  body.set(packed, header.length);
  const line = new TextEncoder().encode(
    `${START}${VERSION} ${bytesToHex(sha256(body))} ${header.length} ${packed.length} ${block.length}\n`,
  );
  const file = new Uint8Array(line.length + body.length);
  file.set(line);
  file.set(body, line.length);
  return file;
}

interface Opened {
  readonly header: RolloutHeader;
  readonly packed: Uint8Array;
  /** What it unfolds to. */
  readonly length: number;
}

function opened(file: Uint8Array): Opened {
  const end = file.subarray(0, LONGEST_LINE).indexOf(10) + 1;
  const match = LINE.exec(new TextDecoder().decode(file.subarray(0, end)));
  if (!match) throw new Error("it is no recording of this lab: it does not begin as one does");
  const [version, headerBytes, packedBytes, length] = [match[1], match[3], match[4], match[5]].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  if (version > VERSION) throw new Error(`the recording must have version ${VERSION}, got ${version}: a newer version of the lab wrote it`);
  const body = file.subarray(end);
  if (body.length !== headerBytes + packedBytes)
    throw new Error(`the recording must have ${end + headerBytes + packedBytes} bytes, got ${file.length}: it was cut short or added to`);
  if (bytesToHex(sha256(body)) !== match[2]) throw new Error("the recording is damaged: its hash is not that of its contents");
  if (headerBytes > MOST_HEADER) throw new Error(`the recording's header must have at most ${MOST_HEADER} bytes, got ${headerBytes}`);
  if (length > MOST_BYTES || length > MOST_RATIO * packedBytes + SPARE_BYTES)
    throw new Error(`the recording says that it unfolds to ${length} bytes, more than ${packedBytes} bytes of a recording hold`);
  let said: unknown;
  try {
    said = JSON.parse(new TextDecoder().decode(body.subarray(0, headerBytes)));
  } catch (error) {
    throw new Error("the recording's header is not JSON", { cause: error });
  }
  return { header: parseOrThrow(headerSchema, said), packed: body.subarray(headerBytes), length };
}

/** The save in such a file, whose parts are still to be read (readSave). Rejects with a sentence where it holds none. */
export async function saveInRollout(
  file: Uint8Array,
): Promise<{ readonly runId: string; readonly files: SaveFiles; readonly header: RolloutHeader }> {
  const { header, packed, length } = opened(file);
  const files = unpackFiles(await inflated(packed, length, "the recording"));
  for (const name of files.keys())
    if (!ARRAY_NAME.test(name)) throw new Error(`the recording has a part ${JSON.stringify(name.slice(0, 60))}, which no save has`);
  return { runId: header.runId, files, header };
}
