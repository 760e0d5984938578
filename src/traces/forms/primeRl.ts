// prime-rl's token exports (enable_token_export): a row for each sequence with every number of its tokens, files by
// step and rank. They hold ids and no text; groups are equal prompts.
import { isRecord } from "../../protocol/problems.ts";
import { factsOf } from "../columns/flatRollout.ts";
import { type FoundRow, TraceError, valueText } from "../containers/container.ts";
import { folderOf, stepOfPath } from "../files/sortFiles.ts";
import { type Decoder, type FoundRollout, numberOf, type Said } from "../rollout.ts";
import type { FormReading, TraceForm } from "./form.ts";
import { apartOf, channelOf, decoded, idsOf, messagesOfIds, numbersOf, sharedValue } from "./perToken.ts";

/** Lists that are channels here under other names, or no numbers of their own. */
const NO_EXTRAS: ReadonlySet<string> = new Set([
  ...["token_ids", "position_ids", "loss_mask", "advantages", "inference_logprobs", "trainer_logprobs", "entropy", "losses"],
]);

/** A sequence: where its answer begins, and which of the answer's tokens are trained. */
interface Sequence {
  readonly ids: readonly number[];
  readonly from: number;
  readonly sampled: readonly number[];
}

function sequenceOf(row: FoundRow): Sequence {
  const ids = idsOf(row.token_ids, "token_ids");
  const mask = numbersOf(row.loss_mask, "loss_mask", ids.length);
  if (mask === null) throw new TraceError(`loss_mask must be a list, got ${valueText(row.loss_mask)}`);
  // The answer begins with the first token that is trained; a sequence of which none is may be one whole.
  const from = Math.max(0, mask.indexOf(1));
  return { ids, from, sampled: mask.slice(from).map((flag) => (flag === 1 ? 1 : 0)) };
}

/** Numbers of the losses that a token goes into: a list each for the advantage and the mask of every loss. */
function lossLists(value: unknown, length: number): readonly (readonly [string, readonly (number | null)[]])[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value) || value.length !== length) throw new TraceError(`losses must have ${length} entries, one for each token`);
  const names = new Set(value.flatMap((each: unknown) => (isRecord(each) ? Object.keys(each) : [])));
  return [...names].flatMap((name) =>
    ["advantage", "mask"].map((key) => {
      const list = value.map((each: unknown) => {
        const loss = isRecord(each) && Object.hasOwn(each, name) ? each[name] : null;
        return isRecord(loss) ? numberOf(loss[key]) : null;
      });
      return [`losses.${name}.${key}`, list] as const;
    }),
  );
}

function extrasOf(row: FoundRow, { ids, from }: Sequence): NonNullable<Said["extras"]> {
  const lists = Object.entries(row).flatMap(([name, value]) => {
    const isList = Array.isArray(value) && !NO_EXTRAS.has(name);
    const values = isList ? numbersOf(value, name, ids.length) : null;
    return values ? [[name, values] as const] : [];
  });
  const all = [...lists, ...lossLists(row.losses, ids.length)];
  const told = all.map(([name, values]) => [name, values.slice(from)] as const);
  return Object.fromEntries(told.filter(([, values]) => values.some((value) => value !== null)));
}

/** Our names of numbers of each token, and prime-rl's. */
const CHANNELS = [
  ["oldLogprobs", "inference_logprobs"],
  ["trainLogprobs", "trainer_logprobs"],
  ["trainEntropies", "entropy"],
  ["advantages", "advantages"],
] as const;

function saidOf(row: FoundRow, sequence: Sequence, decoder: Decoder): Said {
  const { ids, from, sampled } = sequence;
  const asked = ids.slice(0, from);
  const answered = ids.slice(from);
  const channel = (name: string) => channelOf(numbersOf(row[name], name, ids.length)?.slice(from) ?? null, sampled);
  const found = CHANNELS.map(([key, name]) => [key, channel(name)] as const);
  return {
    ...messagesOfIds(asked, answered, decoder),
    prompt: decoded(asked, decoder),
    answer: decoded(answered, decoder),
    sampled,
    channels: Object.fromEntries(found.filter(([, values]) => values !== null)),
    extras: extrasOf(row, sequence),
  };
}

/** Whose log-probs a sequence has. */
function tellLogprobs(row: FoundRow, { from }: Sequence, { seen }: FormReading): void {
  const has = (name: string) =>
    Array.isArray(row[name]) && (row[name] as readonly unknown[]).some((value, i) => i >= from && value !== null);
  if (has("inference_logprobs")) seen.logprobs.add("sampler");
  if (has("trainer_logprobs")) seen.logprobs.add("trainer");
}

function rolloutOf(row: FoundRow, reading: FormReading): FoundRollout {
  const sequence = sequenceOf(row);
  const { ids, from, sampled } = sequence;
  const { facts } = factsOf(row, reading.columns);
  reading.seen.tokens.add("ids");
  tellLogprobs(row, sequence, reading);
  const answered = (name: string) => numbersOf(row[name], name, ids.length)?.slice(from) ?? null;
  const shared = (name: string) => sharedValue(answered(name), sampled);
  // Lists of another length are wrong in any step that is asked for, so they are looked for now.
  extrasOf(row, sequence);
  return {
    ...facts,
    group: facts.group === null ? ids.slice(0, from).join(",") : `id ${facts.group}`,
    exampleId: facts.exampleId || (typeof row.env_name === "string" ? row.env_name : ""),
    reward: facts.reward ?? shared("rewards"),
    advantage: facts.advantage ?? shared("advantages"),
    apart: apartOf(answered("inference_logprobs"), answered("trainer_logprobs"), sampled),
    length: sampled.reduce((sum, flag) => sum + flag, 0),
    said: (decoder) => saidOf(row, sequence, decoder),
  };
}

export const primeRl: TraceForm = {
  id: "prime-rl",
  title: "prime-rl's token exports",
  matches: (row) => Object.hasOwn(row, "token_ids") && Object.hasOwn(row, "loss_mask"),
  roles: { names: { step: "step" }, numbers: "other" },
  read: (row, reading) => [rolloutOf(row, reading)],
  notesOn(paths, { stable }) {
    const steps = paths.flatMap((path) => (stable.has(folderOf(path)) ? [] : (stepOfPath(path) ?? [])));
    const [first] = steps;
    const others = new Set(steps).size - 1;
    if (first === undefined) return [];
    return [`Step ${first}${others > 0 ? ` and ${others} others have` : " has"} no file STABLE beside it, and may not be whole.`];
  },
};
