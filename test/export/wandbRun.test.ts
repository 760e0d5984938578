// An offline run of Weights & Biases against the forms it is made of, read back byte by byte.
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/export/eventFile.ts";
import { endingBodies, historyBody, openingBodies, RecordLog, type WandbRow, type WandbRun, wandbPath } from "../../src/export/wandbRun.ts";

function logFile(records: readonly Uint8Array[]): Uint8Array {
  const log = new RecordLog();
  return Uint8Array.from([...log.head, ...records.flatMap((record) => [...log.append(record)])]);
}

/** The file of a run that is over. */
function wandbRun({ rows, ...run }: WandbRun & { readonly rows: readonly WandbRow[] }) {
  const log = new RecordLog();
  const bodies = [...openingBodies(run), ...rows.map((row) => historyBody(run, row)), ...endingBodies(run, rows.at(-1) ?? null)];
  return { name: wandbPath(run), bytes: Uint8Array.from([...log.head, ...bodies.flatMap((body) => [...log.add(body)])]) };
}

/** Records of a log, each piece's checksum and place looked at. */
function recordsOf(file: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(file.buffer);
  expect(Array.from(file.subarray(0, 7))).toEqual([0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0]);
  const records: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  for (let at = 7; at < file.length; ) {
    const room = 32768 - (at % 32768);
    if (room < 7) {
      expect(Buffer.compare(file.subarray(at, at + room), new Uint8Array(room))).toBe(0);
      at += room;
      continue;
    }
    const [length, kind] = [view.getUint16(at + 4, true), file[at + 6]!];
    expect(length + 7).toBeLessThanOrEqual(room);
    expect(crc32(file.subarray(at + 6, at + 7 + length))).toBe(view.getUint32(at, true));
    // Full and first pieces begin a record, middle and last ones go on with it.
    expect(kind === 3 || kind === 4).toBe(parts.length > 0);
    parts.push(file.subarray(at + 7, at + 7 + length));
    at += 7 + length;
    if (kind === 1 || kind === 4) {
      records.push(Buffer.concat(parts));
      parts = [];
    }
  }
  expect(parts).toEqual([]);
  return records;
}

describe("the log", () => {
  // The first block has 32768 - 7 - 7 bytes for a record; around that, a head has no room or just room.
  it.each([[[1, 2, 3]], [[32753, 5]], [[32754, 5]], [[32748, 5]], [[32747, 5]], [[32746, 5]], [[32740, 300, 5]], [[100_000, 32761, 1]]])(
    "gives records of %j bytes back",
    (lengths) => {
      const records = lengths.map((length, i) => Uint8Array.from({ length }, (_, at) => (at * 7 + i) % 251));
      const read = recordsOf(logFile(records));
      expect(read.map(({ length }) => length)).toEqual(lengths);
      for (const [i, record] of records.entries()) expect(Buffer.compare(record, read[i]!)).toBe(0);
    },
  );
});

/** Fields of a message: numbers, and bytes where a field has a length. */
function fieldsOf(message: Uint8Array): readonly (readonly [field: number, value: number | Uint8Array])[] {
  let at = 0;
  const number = () => {
    let [value, scale] = [0, 1];
    for (; message[at]! >= 128; at++, scale *= 128) value += (message[at]! - 128) * scale;
    return value + message[at++]! * scale;
  };
  const fields: (readonly [number, number | Uint8Array])[] = [];
  while (at < message.length) {
    const key = number();
    const value = number();
    if (key % 8 === 2) at += value;
    fields.push([Math.floor(key / 8), key % 8 === 2 ? message.subarray(at - value, at) : value]);
  }
  return fields;
}
const textOf = (value: number | Uint8Array | undefined) => new TextDecoder().decode(value as Uint8Array);

/** Names and values of the items (field 1) of a record. */
const itemsOf = (body: Uint8Array) =>
  Object.fromEntries(
    fieldsOf(body).flatMap(([field, item]) => {
      if (field !== 1) return [];
      const [[, name] = [], [, json] = []] = fieldsOf(item as Uint8Array);
      return [[textOf(name), JSON.parse(textOf(json)) as unknown]];
    }),
  );

describe("an offline run", () => {
  const begun = Date.UTC(2026, 10, 23, 4, 9, 52) / 1000 + 0.5;
  const { name, bytes } = wandbRun({
    ...{
      identity: "mine 1",
      name: "mine",
      project: "digit-sum",
      begun,
      begunAt: "2026-11-23T04:09:52.500Z",
      settings: [["learningRate", "0.5"]],
    },
    rows: [
      { step: 1, wallTime: begun + 1, values: { reward: 0.25, kl: Number.NaN } },
      { step: 300, wallTime: begun + 2, values: { reward: 0.5, "completions/mean_length": 12 } },
    ],
  });
  const records = recordsOf(bytes).map((record) => fieldsOf(record));
  const bodies = records.map((fields) => fields[1]?.[1] as Uint8Array);

  it("lies where wandb sync looks for it", () => {
    expect(name).toMatch(/^offline-run-20261123_040952-([0-9a-f]{16})\/run-\1\.wandb$/);
  });

  it("has a head, the run, its steps, its last values and its end, numbered", () => {
    expect(records.map((fields) => fields[0]?.[1])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(records.map((fields) => fields[1]?.[0])).toEqual([21, 17, 2, 2, 3, 18]);
  });

  it("names the run, its project, settings and beginning", () => {
    const run = new Map(fieldsOf(bodies[1]!));
    expect([1, 3, 8].map((field) => textOf(run.get(field)))).toEqual([name.slice(-22, -6), "digit-sum", "mine"]);
    expect(itemsOf(run.get(4) as Uint8Array)).toEqual({ learningRate: 0.5 });
    expect(fieldsOf(run.get(17) as Uint8Array)).toEqual([
      [1, Math.floor(begun)],
      [2, 5e8],
    ]);
  });

  it("has the values of each step, those that are no number left out", () => {
    expect(itemsOf(bodies[2]!)).toEqual({ reward: 0.25, _step: 1, _timestamp: begun + 1, _runtime: 1 });
    const last = { reward: 0.5, "completions/mean_length": 12, _step: 300, _timestamp: begun + 2, _runtime: 2 };
    expect(itemsOf(bodies[3]!)).toEqual(last);
    expect(itemsOf(bodies[4]!)).toEqual(last);
    expect(fieldsOf(fieldsOf(bodies[3]!).at(-1)?.[1] as Uint8Array)).toEqual([[1, 300]]);
    expect(fieldsOf(bodies[5]!)).toEqual([
      [1, 0],
      [2, 2],
    ]);
  });
});
