// A run as Weights & Biases keeps one offline, which `wandb sync` uploads: a log in the form of LevelDB's (blocks of 32
// KiB, a record cut where a block ends) behind seven bytes of its own, with plain CRC-32 checksums over the kind and the
// bytes of each piece. Records are the protocol buffers of wandb_internal.proto; of them only what a finished run with
// scalars needs is written: Record { num = 1, history = 2, summary = 3, run = 17, exit = 18, header = 21 }.
import { crc32 } from "../train/save/sealed.ts";
import { fnvHash } from "./mlflowStore.ts";
import { lengthField, numberField, textField } from "./protobuf.ts";

export interface WandbRun {
  /** Some text that tells runs apart; the id is made from it. */
  readonly identity: string;
  readonly name: string;
  readonly project: string;
  /** Seconds since 1970. */
  readonly begun: number;
  /** The same as ISO 8601 writes it. */
  readonly begunAt: string;
  /** Values are JSON. */
  readonly settings: readonly (readonly [name: string, json: string])[];
  readonly rows: readonly { readonly step: number; readonly wallTime: number; readonly values: Readonly<Record<string, number>> }[];
}

/** ":W&B", 0xBEE1 and a version, the first bytes of the file and of its first block. */
const IDENTITY = [0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0];
const BLOCK = 32768;
/** Checksum, length and kind before each piece. */
const HEAD = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4] as const;

function piece(kind: number, bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(HEAD + bytes.length);
  const view = new DataView(whole.buffer);
  view.setUint16(4, bytes.length, true);
  whole[6] = kind;
  whole.set(bytes, HEAD);
  view.setUint32(0, crc32(whole.subarray(6)), true);
  return whole;
}

/** Pieces of a record that begins at this place of the file, zeros before them where a block has no room for a head. */
function piecesOf(record: Uint8Array, begin: number): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = begin;
  let from = 0;
  let isBegun = false;
  do {
    let room = BLOCK - (at % BLOCK);
    if (room < HEAD) {
      pieces.push(new Uint8Array(room));
      at += room;
      room = BLOCK;
    }
    const end = Math.min(record.length, from + room - HEAD);
    const isLast = end === record.length;
    // A first piece has no bytes where a head alone fits.
    pieces.push(piece(isBegun ? (isLast ? LAST : MIDDLE) : isLast ? FULL : FIRST, record.subarray(from, end)));
    isBegun = true;
    at += HEAD + end - from;
    from = end;
  } while (from < record.length);
  return pieces;
}

/** The log of these records. */
export function logFile(records: readonly Uint8Array[]): Uint8Array {
  const pieces: Uint8Array[] = [Uint8Array.from(IDENTITY)];
  let length = IDENTITY.length;
  for (const record of records)
    for (const each of piecesOf(record, length)) {
      pieces.push(each);
      length += each.length;
    }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const each of pieces) {
    bytes.set(each, at);
    at += each.length;
  }
  return bytes;
}

/** ConfigItem, HistoryItem and SummaryItem have the same two fields; a name is one key, whatever its signs. */
const configItem = (name: string, json: string) => lengthField(1, [...textField(1, name), ...textField(16, json)]);
const metricItem = (name: string, value: number) => lengthField(1, [...textField(2, name), ...textField(16, JSON.stringify(value))]);

/** Bodies of the run's records in order, each with the field of Record that it is. */
function bodiesOf(run: WandbRun, id: string): readonly (readonly [field: number, body: readonly number[]])[] {
  const { name, project, begun, settings, rows } = run;
  const seconds = Math.floor(begun);
  const startTime = [...numberField(1, seconds), ...numberField(2, Math.floor((begun - seconds) * 1e9))];
  const config = settings.flatMap(([key, json]) => configItem(key, json));
  const histories = rows.map(({ step, wallTime, values }) => {
    const known = { ...values, _step: step, _timestamp: wallTime, _runtime: wallTime - begun };
    return { step, items: Object.entries(known).flatMap(([key, value]) => (Number.isFinite(value) ? metricItem(key, value) : [])) };
  });
  const runtime = Math.max(0, Math.round((rows.at(-1)?.wallTime ?? begun) - begun));
  return [
    [21, lengthField(1, textField(1, "rollout-lab"))],
    [17, [...textField(1, id), ...textField(3, project), ...lengthField(4, config), ...textField(8, name), ...lengthField(17, startTime)]],
    ...histories.map(({ step, items }) => [2, [...items, ...lengthField(2, numberField(1, step))]] as const),
    // What the list of runs shows: the last values.
    ...histories.slice(-1).map(({ items }) => [3, items] as const),
    [18, [...numberField(1, 0), ...numberField(2, runtime)]],
  ];
}

/** The run's one file, by its path as `wandb sync` looks for it. */
export function wandbRun(run: WandbRun): { readonly name: string; readonly bytes: Uint8Array } {
  const id = fnvHash(run.identity);
  const records = bodiesOf(run, id).map(([field, body], i) => Uint8Array.from([...numberField(1, i + 1), ...lengthField(field, body)]));
  const folder = `offline-run-${run.begunAt.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "_")}-${id}`;
  return { name: `${folder}/run-${id}.wandb`, bytes: logFile(records) };
}
