// The two messages that newer clients of the Tinker API send and read as Protocol Buffers, field for field as the
// official client has them (its package tinker_public): passes over sequences, and what they and samples come to.
// Numbers travel as little-endian arrays in fields of bytes. A server asks for this form by answering 415 or 406 to
// JSON; test/reference/tinker-messages.json has the official client's.
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { z } from "../../protocol/zod.ts";
import { passAnswer, sampleAnswer } from "./answers.ts";
import type { Datum } from "./sequences.ts";

const FLOAT32 = 1;
const INT64 = 2;
const INT32 = 3;
const BFLOAT16 = 4;

/** What a request for a pass says, with or without a gradient. */
const passSchema = z.object({ model_id: z.string(), seq_id: z.int() });
interface PassInput {
  readonly data: readonly Datum[];
  readonly loss_fn: string;
  readonly loss_fn_config?: Readonly<Record<string, number>>;
}

/** The calls that have this form, and the key of their input in JSON. */
export const PASSES = { forward: "forward_input", forward_backward: "forward_backward_input" } as const;
export type Pass = keyof typeof PASSES;
export const isPass = (path: string): path is Pass => Object.hasOwn(PASSES, path);

const bytesOf = (values: Int32Array | Float32Array | BigInt64Array): Uint8Array => new Uint8Array(values.buffer);

function nested(writer: BinaryWriter, field: number, write: (writer: BinaryWriter) => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}

/** An entry of a map whose keys are names. */
function entry(writer: BinaryWriter, field: number, name: string, write: (writer: BinaryWriter) => void): void {
  nested(writer, field, (each) => {
    each.tag(1, WireType.LengthDelimited).string(name);
    write(each);
  });
}

function writeTensor(writer: BinaryWriter, { data, dtype, shape }: Datum["loss_fn_inputs"][string]): void {
  const isFloat = dtype === "float32";
  const values = isFloat ? Float32Array.from(data) : BigInt64Array.from(data, BigInt);
  writer.tag(1, WireType.LengthDelimited).bytes(bytesOf(values));
  writer.tag(3, WireType.Varint).int32(isFloat ? FLOAT32 : INT64);
  nested(writer, 4, (packed) => {
    for (const size of shape) packed.int64(size);
  });
}

function writeDatum(writer: BinaryWriter, { model_input, loss_fn_inputs }: Datum): void {
  for (const { tokens } of model_input.chunks)
    nested(writer, 1, (chunk) => nested(chunk, 1, (text) => text.tag(1, WireType.LengthDelimited).bytes(bytesOf(Int32Array.from(tokens)))));
  for (const [name, tensor] of Object.entries(loss_fn_inputs))
    entry(writer, 2, name, (each) => nested(each, 2, (value) => writeTensor(value, tensor)));
}

/** A pass as bytes, from what it is in JSON; both passes are one call then. */
export function encodedPass(pass: Pass, body: object): Uint8Array {
  const { model_id, seq_id } = passSchema.parse(body);
  const { data, loss_fn, loss_fn_config = {} } = (body as Readonly<Record<string, PassInput>>)[PASSES[pass]]!;
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string(model_id);
  writer.tag(2, WireType.Varint).int32(seq_id);
  for (const datum of data) nested(writer, 3, (each) => writeDatum(each, datum));
  writer.tag(4, WireType.LengthDelimited).string(loss_fn);
  // The newer field can hold texts as well; older servers read the first.
  for (const [name, value] of Object.entries(loss_fn_config)) entry(writer, 5, name, (each) => each.tag(2, WireType.Bit64).double(value));
  if (pass === "forward") writer.tag(6, WireType.Varint).bool(true);
  for (const [name, value] of Object.entries(loss_fn_config))
    entry(writer, 7, name, (each) => nested(each, 2, (number) => number.tag(1, WireType.Bit64).double(value)));
  return writer.finish();
}

/** The fields of a message, one after another; one that nobody reads is passed over. */
function* fieldsOf(bytes: Uint8Array): Generator<readonly [field: number, reader: BinaryReader]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const { pos } = reader;
    yield [field, reader];
    if (reader.pos === pos) reader.skip(type, field);
  }
}

/** Numbers of a field, whose bytes may begin anywhere. */
function numbersOf(bytes: Uint8Array, dtype: number): number[] {
  const { buffer } = new Uint8Array(bytes);
  if (dtype === FLOAT32) return Array.from(new Float32Array(buffer));
  if (dtype === INT32) return Array.from(new Int32Array(buffer));
  if (dtype === INT64) return Array.from(new BigInt64Array(buffer), Number);
  // The upper half of a single.
  if (dtype === BFLOAT16) return Array.from(new Float32Array(Uint32Array.from(new Uint16Array(buffer), (half) => half << 16).buffer));
  throw new Error(`numbers must be float32, int64, int32 or bfloat16, got type ${dtype}`);
}

/** The arrays that lie end to end in one, each of a sequence. */
function arraysOf(bytes: Uint8Array): number[][] {
  let data = new Uint8Array();
  let offsets = new Uint8Array();
  let dtype = 0;
  for (const [field, reader] of fieldsOf(bytes)) {
    if (field === 1) data = new Uint8Array(reader.bytes());
    if (field === 2) offsets = new Uint8Array(reader.bytes());
    if (field === 3) dtype = reader.int32();
  }
  const [start = 0, ...ends] = numbersOf(offsets, INT64);
  return ends.map((end, i) => numbersOf(data.subarray(i === 0 ? start : ends[i - 1], end), dtype));
}

/** A map's entry. */
function entryOf<T>(bytes: Uint8Array, value: (reader: BinaryReader) => T): readonly [name: string, value: T | undefined] {
  let name = "";
  let held: T | undefined;
  for (const [field, reader] of fieldsOf(bytes)) {
    if (field === 1) name = reader.string();
    if (field === 2) held = value(reader);
  }
  return [name, held];
}

/** Log-probs of the sequences of a record. */
function logprobsOf(bytes: Uint8Array): number[][] {
  for (const [field, reader] of fieldsOf(bytes)) {
    if (field !== 2) continue;
    const [name, arrays] = entryOf(reader.bytes(), (value) => arraysOf(value.bytes()));
    if (name === "logprobs") return arrays ?? [];
  }
  return [];
}

/** What a pass came to, as JSON would have it. */
function decodedPass(bytes: Uint8Array): unknown {
  const outputs: object[] = [];
  const metrics: Record<string, number> = {};
  for (const [field, reader] of fieldsOf(bytes)) {
    if (field === 2) outputs.push(...logprobsOf(reader.bytes()).map((data) => ({ logprobs: { data } })));
    if (field !== 3) continue;
    const [name, value = 0] = entryOf(reader.bytes(), (held) => held.double());
    metrics[name] = value;
  }
  return { loss_fn_outputs: outputs, metrics };
}

const STOP_REASONS = ["stop", "length"];

function decodedSequence(bytes: Uint8Array): object {
  let [tokens, logprobs, reason]: [number[], number[] | null, number] = [[], null, 0];
  for (const [field, reader] of fieldsOf(bytes)) {
    if (field === 1) reason = reader.int32();
    if (field === 2) tokens = numbersOf(reader.bytes(), INT32);
    if (field === 3) logprobs = numbersOf(reader.bytes(), FLOAT32);
  }
  return { tokens, logprobs, stop_reason: STOP_REASONS[reason] ?? String(reason) };
}

/** What was sampled, as JSON would have it. A prompt's first token has no log-prob: there it is no number. */
function decodedSample(bytes: Uint8Array): unknown {
  const sequences: object[] = [];
  let prompt_logprobs: (number | null)[] | null = null;
  for (const [field, reader] of fieldsOf(bytes)) {
    if (field === 1) sequences.push(decodedSequence(reader.bytes()));
    if (field === 2) prompt_logprobs = numbersOf(reader.bytes(), FLOAT32).map((value) => (Number.isNaN(value) ? null : value));
  }
  return { sequences, prompt_logprobs };
}

/** What reads an answer of a schema from bytes; those of other schemas are JSON alone. */
export const decoders: ReadonlyMap<z.ZodType, (bytes: Uint8Array) => unknown> = new Map<z.ZodType, (bytes: Uint8Array) => unknown>([
  [passAnswer, decodedPass],
  [sampleAnswer, decodedSample],
]);
