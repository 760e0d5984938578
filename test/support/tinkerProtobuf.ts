// The other side of the Tinker API's messages in Protocol Buffers, for the project's own small server: what clients send is read, what they read is
// written. Written apart from the client's side; npm run test:interop has the official client talk to it.
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

type Fields = ReadonlyMap<number, readonly (Uint8Array | number)[]>;

/** All fields of a message: bytes, or numbers. */
function parsed(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | number)[]>();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const value = type === WireType.LengthDelimited ? reader.bytes() : type === WireType.Bit64 ? reader.double() : Number(reader.int64());
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

const manyOf = (fields: Fields, field: number) => (fields.get(field) ?? []) as readonly Uint8Array[];
const bytesIn = (fields: Fields, field: number): Uint8Array => manyOf(fields, field)[0] ?? new Uint8Array();
const textIn = (fields: Fields, field: number): string => new TextDecoder().decode(bytesIn(fields, field));
const numberIn = (fields: Fields, field: number): number => Number(fields.get(field)?.[0] ?? 0);

function tensorOf(bytes: Uint8Array) {
  const fields = parsed(bytes);
  const { buffer } = new Uint8Array(bytesIn(fields, 1));
  return { data: numberIn(fields, 3) === 1 ? Array.from(new Float32Array(buffer)) : Array.from(new BigInt64Array(buffer), Number) };
}

function datumOf(bytes: Uint8Array) {
  const fields = parsed(bytes);
  const chunks = manyOf(fields, 1).map((chunk) => ({
    tokens: Array.from(new Int32Array(new Uint8Array(bytesIn(parsed(bytesIn(parsed(chunk), 1)), 1)).buffer)),
  }));
  const inputs = manyOf(fields, 2).map((each) => {
    const entry = parsed(each);
    return [textIn(entry, 1), tensorOf(bytesIn(entry, 2))] as const;
  });
  return { model_input: { chunks }, loss_fn_inputs: Object.fromEntries(inputs) };
}

/** A pass that came as bytes, as JSON has it: which of the two it is, and its body. */
export function passOf(bytes: Uint8Array): { readonly path: string; readonly body: Readonly<Record<string, unknown>> } {
  const fields = parsed(bytes);
  const config = manyOf(fields, 5).map((each) => {
    const entry = parsed(each);
    return [textIn(entry, 1), numberIn(entry, 2)] as const;
  });
  const input = {
    data: manyOf(fields, 3).map(datumOf),
    loss_fn: textIn(fields, 4),
    ...(config.length > 0 ? { loss_fn_config: Object.fromEntries(config) } : {}),
  };
  const path = numberIn(fields, 6) === 1 ? "forward" : "forward_backward";
  return { path, body: { model_id: textIn(fields, 1), seq_id: numberIn(fields, 2), [`${path}_input`]: input } };
}

const floats = (values: readonly (number | null)[]) => new Uint8Array(Float32Array.from(values, (value) => value ?? Number.NaN).buffer);

function message(writer: BinaryWriter, field: number, write: (writer: BinaryWriter) => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}

interface PassResult {
  readonly loss_fn_outputs: readonly { readonly logprobs: { readonly data: readonly number[] } }[];
}
interface SampleResult {
  readonly sequences: readonly { readonly tokens: readonly number[]; readonly logprobs: readonly number[]; readonly stop_reason: string }[];
  readonly prompt_logprobs?: readonly (number | null)[];
}

function writePass(writer: BinaryWriter, { loss_fn_outputs: outputs }: PassResult): void {
  const ends = [0];
  for (const { logprobs } of outputs) ends.push(ends.at(-1)! + 4 * logprobs.data.length);
  writer.tag(1, WireType.LengthDelimited).string("ArrayRecord");
  message(writer, 2, (record) => {
    message(record, 2, (entry) => {
      entry.tag(1, WireType.LengthDelimited).string("logprobs");
      message(entry, 2, (tensor) => {
        tensor.tag(1, WireType.LengthDelimited).bytes(floats(outputs.flatMap(({ logprobs }) => logprobs.data)));
        tensor.tag(2, WireType.LengthDelimited).bytes(new Uint8Array(BigInt64Array.from(ends, BigInt).buffer));
        tensor.tag(3, WireType.Varint).int32(1);
      });
    });
    record.tag(3, WireType.Varint).int64(outputs.length);
  });
}

function writeSample(writer: BinaryWriter, { sequences, prompt_logprobs }: SampleResult): void {
  for (const { tokens, logprobs, stop_reason } of sequences)
    message(writer, 1, (sequence) => {
      sequence.tag(1, WireType.Varint).int32(stop_reason === "stop" ? 0 : 1);
      sequence.tag(2, WireType.LengthDelimited).bytes(new Uint8Array(Int32Array.from(tokens).buffer));
      sequence.tag(3, WireType.LengthDelimited).bytes(floats(logprobs));
    });
  if (prompt_logprobs) writer.tag(2, WireType.LengthDelimited).bytes(floats(prompt_logprobs));
}

/** A result as bytes; null where it is of neither kind that has such a form. */
export function encodedResult(result: unknown): Uint8Array | null {
  const { loss_fn_outputs, sequences } = (result ?? {}) as Partial<PassResult & SampleResult>;
  const writer = new BinaryWriter();
  if (loss_fn_outputs) writePass(writer, { loss_fn_outputs });
  else if (sequences) writeSample(writer, result as SampleResult);
  else return null;
  return writer.finish();
}
