// A run as Weights & Biases keeps one offline, which `wandb sync` uploads: a log in the form of LevelDB's (blocks of 32
// KiB, a record cut where a block ends) behind seven bytes of its own, with plain CRC-32 checksums over the kind and the
// bytes of each piece. Records are the protocol buffers of wandb_internal.proto; of them only what a run with
// scalars needs is written: Record { num = 1, history = 2, summary = 3, run = 17, exit = 18, header = 21 }.
import { joinedBytes } from "../protocol/run/deflate.ts";
import { crc32, lengthField, numberField, textField } from "./eventFile.ts";
import { fnvHash } from "./mlflowStore.ts";

/** A row of a run's history. */
export interface WandbRow {
  readonly step: number;
  /** Seconds since 1970. */
  readonly wallTime: number;
  readonly values: Readonly<Record<string, number>>;
}

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
}

/** ":W&B", 0xBEE1 and a version, the first bytes of the file and of its first block. */
const IDENTITY = [0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0];
const BLOCK = 32768;
/** Checksum, length and kind before each piece. */
const HEAD = 7;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

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

/** A log that records are added to, whose next bytes each call gives; owned state. */
export class RecordLog {
  #length = IDENTITY.length;
  #records = 0;

  /** What the file begins with. */
  readonly head = Uint8Array.from(IDENTITY);

  /** @param body of Record, with its field. */
  add([field, body]: readonly [field: number, body: readonly number[]]): Uint8Array {
    this.#records += 1;
    return this.append(Uint8Array.from([...numberField(1, this.#records), ...lengthField(field, body)]));
  }

  append(record: Uint8Array): Uint8Array {
    const bytes = joinedBytes(piecesOf(record, this.#length));
    this.#length += bytes.length;
    return bytes;
  }
}

/** ConfigItem, HistoryItem and SummaryItem have the same two fields; a name is one key, whatever its signs. */
const configItem = (name: string, json: string) => lengthField(1, [...textField(1, name), ...textField(16, json)]);
const metricItem = (name: string, value: number) => lengthField(1, [...textField(2, name), ...textField(16, JSON.stringify(value))]);

type Body = readonly [field: number, body: readonly number[]];

/** What a run's log begins with: itself and its settings. */
export function openingBodies(run: WandbRun): readonly Body[] {
  const { name, project, begun, settings } = run;
  const seconds = Math.floor(begun);
  const startTime = [...numberField(1, seconds), ...numberField(2, Math.floor((begun - seconds) * 1e9))];
  const config = settings.flatMap(([key, json]) => configItem(key, json));
  const id = fnvHash(run.identity);
  return [
    [21, lengthField(1, textField(1, "rollout-lab"))],
    [17, [...textField(1, id), ...textField(3, project), ...lengthField(4, config), ...textField(8, name), ...lengthField(17, startTime)]],
  ];
}

function itemsOf({ begun }: Pick<WandbRun, "begun">, { step, wallTime, values }: WandbRow): readonly number[] {
  const known = { ...values, _step: step, _timestamp: wallTime, _runtime: wallTime - begun };
  return Object.entries(known).flatMap(([key, value]) => (Number.isFinite(value) ? metricItem(key, value) : []));
}

/** A row of its history. */
export function historyBody(run: Pick<WandbRun, "begun">, row: WandbRow): Body {
  return [2, [...itemsOf(run, row), ...lengthField(2, numberField(1, row.step))]];
}

/** Its end: the last values, which the list of runs shows, and that it is over. */
export function endingBodies(run: Pick<WandbRun, "begun">, last: WandbRow | null): readonly Body[] {
  const runtime = Math.max(0, Math.round((last?.wallTime ?? run.begun) - run.begun));
  return [...(last ? [[3, itemsOf(run, last)] as const] : []), [18, [...numberField(1, 0), ...numberField(2, runtime)]]];
}

/** Path of the run's one file, as `wandb sync` looks for it. */
export function wandbPath({ identity, begunAt }: Pick<WandbRun, "identity" | "begunAt">): string {
  const id = fnvHash(identity);
  return `offline-run-${begunAt.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "_")}-${id}/run-${id}.wandb`;
}
