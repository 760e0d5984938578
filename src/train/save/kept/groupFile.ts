// The rollouts of one step as a file of a save: all that the engine answers when it is asked for the step, to the bit, and
// a tenth of its size as JSON. What is said lies in a skeleton of JSON; the values of tokens lie behind it, list by list
// over all completions of the step. Both are compressed.
import { isSame, liveKeys } from "../../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { StepGroups } from "../../../protocol/messages.ts";
import { errorText, orThrow, parseOrThrow } from "../../../protocol/problems.ts";
import type { GroupRecord, PromptRecord, TokenChannels, TrajectoryRecord } from "../../../protocol/records.ts";
import { deflated, inflated } from "../../../protocol/run/deflate.ts";
import { z } from "../../../protocol/zod.ts";
import { readConfig } from "../manifest.ts";
import { readPart, writePart } from "../parts.ts";
import { decodePlane, encodePlane, kindOf, planeBytes } from "./planes.ts";
import { type Skeleton, skeletonSchema } from "./skeleton.ts";

export const KEPT_FOLDER = "groups/";
/** A step that takes more is not kept, and a file that says so is refused before it is unfolded. */
const MOST_BYTES = 64 * 2 ** 20;

const headerSchema = z.strictObject({
  step: z.int().min(0),
  /** Of the skeleton, and of all together. */
  jsonBytes: z.int().min(2).max(MOST_BYTES),
  bytes: z.int().min(2).max(MOST_BYTES),
});

/** The file of a step. */
export const keptName = (step: number): string => `${KEPT_FOLDER}${step}`;

/** Lists over the tokens of a step in the order in which they are written, each with the one that lies near it. */
const NEAR = {
  oldLogprobs: null,
  trainLogprobs: "oldLogprobs",
  newLogprobs: "trainLogprobs",
  refLogprobs: "oldLogprobs",
  sampledEntropies: null,
  trainEntropies: "sampledEntropies",
  advantages: null,
  lossWeights: null,
  mask: null,
  values: null,
  tdErrors: null,
} as const satisfies Record<keyof TokenChannels, keyof TokenChannels | null>;
const CHANNELS = Object.keys(NEAR) as (keyof TokenChannels)[];
/** What a step may lack: all but which tokens are trained. */
const NULLABLE: readonly string[] = CHANNELS.filter((name) => name !== "mask" && name !== "tdErrors");

/** Stands for a number that JSON lacks. */
const NUMBER = "\u0000number";
const named = (_key: string, value: unknown) =>
  typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))
    ? { [NUMBER]: Object.is(value, -0) ? "-0" : String(value) }
    : value;
const unnamed = (_key: string, value: unknown) =>
  typeof value === "object" && value !== null && NUMBER in value ? Number((value as Record<string, unknown>)[NUMBER]) : value;

/** Settings of a step that its run's configuration may not say, now or later. */
function ownSettings(config: RunConfig, run: RunConfig): Skeleton["config"] {
  const live: ReadonlySet<string> = new Set([...liveKeys, "changes"]);
  return Object.fromEntries(Object.entries(config).filter(([key, value]) => live.has(key) || !isSame(value, run[key as keyof RunConfig])));
}

function skeletonOf({ phase, config, summaries, groups }: StepGroups, run: RunConfig, planes: Skeleton["planes"], unmeasured: string[]) {
  const pieces: Record<number, string> = {};
  const noted = (ids: readonly number[], texts: readonly string[]) => {
    for (const [i, id] of ids.entries()) pieces[id] ??= texts[i]!;
  };
  const bare = ({ prompt, tokens, sampled: _, pieces: texts, text, channels: __, ...said }: TrajectoryRecord) => {
    if (!said.isBare) noted(tokens, texts);
    if (prompt) noted(prompt.promptTokens, prompt.promptPieces);
    return {
      ...said,
      ...(prompt ? { promptTokens: prompt.promptTokens } : {}),
      length: tokens.length,
      ...(text === texts.join("") ? {} : { text }),
    };
  };
  const spare = groups.map(({ promptPieces, trajectories, ...group }) => {
    noted(group.promptTokens, promptPieces);
    return { ...group, trajectories: trajectories.map(bare) };
  });
  return { phase, config: ownSettings(config, run), summaries, groups: spare, pieces, planes, unmeasured };
}

interface List {
  readonly name: string;
  readonly values: readonly number[];
  readonly near: keyof TokenChannels | null;
}

function listsOf(trajectories: readonly TrajectoryRecord[]): { readonly lists: readonly List[]; readonly unmeasured: string[] } {
  const [first] = trajectories;
  const measured = CHANNELS.filter((name) => first?.channels[name]);
  return {
    lists: [
      { name: "tokens", values: trajectories.flatMap(({ tokens }) => tokens), near: null },
      { name: "sampled", values: trajectories.flatMap(({ sampled }) => sampled), near: null },
      ...measured.map((name) => ({ name, values: trajectories.flatMap(({ channels }) => channels[name] ?? []), near: NEAR[name] })),
    ],
    unmeasured: CHANNELS.filter((name) => first?.channels[name] === null),
  };
}

/** A step as bytes that are still to be compressed; null where it is larger than may be kept. @param run the configuration of its run. */
export function encodeGroups(groups: StepGroups, run: RunConfig): { readonly bytes: Uint8Array; readonly jsonBytes: number } | null {
  const { lists, unmeasured } = listsOf(groups.groups.flatMap(({ trajectories }) => trajectories));
  const kinds = new Map(lists.map(({ name, values }) => [name, name === "tokens" ? ("i32" as const) : kindOf(values)]));
  const planes = lists.map(({ name, near }) => {
    const kind = kinds.get(name)!;
    return { name, kind, near: near !== null && kind === "f32" && kinds.get(near) === "f32" ? near : null };
  });
  const json = new TextEncoder().encode(JSON.stringify(skeletonOf(groups, run, planes, unmeasured), named));
  const length = json.length + lists.reduce((sum, { values, name }) => sum + planeBytes(kinds.get(name)!, values.length), 0);
  if (length > MOST_BYTES) return null;
  const bytes = new Uint8Array(length);
  bytes.set(json);
  let at = json.length;
  for (const [i, { values }] of lists.entries()) {
    const { kind, near } = planes[i]!;
    const plane = encodePlane(values, kind, lists.find(({ name }) => name === near)?.values ?? null);
    bytes.set(plane, at);
    at += plane.length;
  }
  return { bytes, jsonBytes: json.length };
}

/** The file of a step that was packed. */
export async function groupsFile(step: number, { bytes, jsonBytes }: NonNullable<ReturnType<typeof encodeGroups>>): Promise<Uint8Array> {
  return writePart({ step, jsonBytes, bytes: bytes.length }, await deflated(bytes));
}

/** The step of such a file, whose header is looked at alone. Throws a sentence with its name where it is none. */
export function readKeptHeader(file: Uint8Array, name: string) {
  const { header, payload } = readPart(file, name);
  const read = parseOrThrow(headerSchema, header);
  if (name !== keptName(read.step)) throw new Error(`${name} holds step ${read.step}`);
  return { ...read, payload };
}

function readPlanes({ planes, unmeasured, groups }: Skeleton, bytes: Uint8Array, name: string): ReadonlyMap<string, number[]> {
  const length = groups.flatMap(({ trajectories }) => trajectories).reduce((sum, trajectory) => sum + trajectory.length, 0);
  const lists = new Map<string, number[]>();
  const f32 = new Set<string | null>();
  let at = 0;
  for (const { name: list, kind, near } of planes) {
    if (lists.has(list)) throw new Error(`${name} has the list ${list} twice`);
    if (near !== null && !(kind === "f32" && f32.has(near)))
      throw new Error(`${name} has the list ${list} beside ${near}, which is not there`);
    const end = at + planeBytes(kind, length);
    if (end > bytes.length) throw new Error(`${name} is cut short in its list ${list}`);
    lists.set(list, decodePlane(bytes.subarray(at, end), kind, near === null ? null : lists.get(near)!));
    if (kind === "f32") f32.add(list);
    at = end;
  }
  if (at !== bytes.length) throw new Error(`${name} must have ${at} bytes of values, got ${bytes.length}`);
  const isThere = (list: string) => lists.has(list) || list === "tdErrors" || (NULLABLE.includes(list) && unmeasured.includes(list));
  const missing = ["tokens", "sampled", ...CHANNELS].find((list) => !isThere(list));
  if (missing !== undefined) throw new Error(`${name} has no list ${missing}`);
  return lists;
}

/** Puts a skeleton and its lists together. */
function assembled(skeleton: Skeleton, lists: ReadonlyMap<string, number[]>, name: string): readonly GroupRecord[] {
  const textsOf = (ids: readonly number[]) =>
    ids.map((id) => {
      const piece = skeleton.pieces[id];
      if (piece === undefined) throw new Error(`${name} has no text of the token ${id}`);
      return piece;
    });
  const promptOf = (promptTokens: readonly number[]): PromptRecord => ({ promptTokens, promptPieces: textsOf(promptTokens) });
  let at = 0;
  const trajectoryOf = ({ promptTokens, length, text, ...said }: Skeleton["groups"][number]["trajectories"][number]): TrajectoryRecord => {
    const part = (list: string) => lists.get(list)?.slice(at, at + length) ?? null;
    const tokens = part("tokens")!;
    const pieces = said.isBare ? tokens.map(() => "") : textsOf(tokens);
    const channels = Object.fromEntries(CHANNELS.flatMap((list) => (list === "tdErrors" && !lists.has(list) ? [] : [[list, part(list)]])));
    const sampled = part("sampled")!;
    at += length;
    return {
      ...said,
      ...(promptTokens ? { prompt: promptOf(promptTokens) } : {}),
      tokens,
      sampled,
      pieces,
      text: text ?? pieces.join(""),
      channels: channels as unknown as TokenChannels,
    };
  };
  return skeleton.groups.map(({ trajectories, ...group }) => ({
    ...group,
    ...promptOf(group.promptTokens),
    trajectories: trajectories.map(trajectoryOf),
  }));
}

/** Reads a kept step as the engine once answered it. Rejects with a sentence that names the file where it is not as it should be. */
export async function readGroups(file: Uint8Array, step: number, run: RunConfig): Promise<Omit<StepGroups, "oldestStep">> {
  const name = keptName(step);
  const { payload, bytes: length, jsonBytes } = readKeptHeader(file, name);
  const bytes = await inflated(payload, length, name);
  const skeleton = orThrow(
    () => parseOrThrow(skeletonSchema, JSON.parse(new TextDecoder().decode(bytes.subarray(0, jsonBytes)), unnamed)),
    (cause) => new Error(`${name} is damaged: ${errorText(cause)}`, { cause }),
  );
  const { phase, summaries } = skeleton;
  const config = readConfig({ ...run, ...skeleton.config });
  const groups = assembled(skeleton, readPlanes(skeleton, bytes.subarray(jsonBytes), name), name);
  const isOther = [...summaries, ...groups].some((each) => each.step !== step);
  if (isOther || groups.some(({ promptIndex }, i) => promptIndex !== i) || groups.length !== summaries.length)
    throw new Error(`${name} must have every group of step ${step}, each with its line`);
  return { step, phase, config, summaries, groups };
}
