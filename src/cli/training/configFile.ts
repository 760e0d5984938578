// A run configuration as somebody writes it: a YAML or JSON file, changed by --set and other options. What is
// wrong is said with the line it stands on, or the option it came by.
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { type Document, isMap, LineCounter, parse, parseDocument, type YAMLParseError } from "yaml";
import { isSame, RECORD_KEYS } from "../../protocol/config/configFacts.ts";
import type { RunConfigInput } from "../../protocol/config.ts";
import { nearestName } from "../../protocol/nearestName.ts";
import { errorText, InputError, isRecord, orElse, orThrow, type Problem, showValue, unknownName } from "../../protocol/problems.ts";
import type { ContentReader } from "../../rl/tasks/custom/world.ts";
import { templates } from "../../rl/templates/index.ts";
import { catalog } from "../../train/catalog.ts";
import { planRun, type RunPlan } from "../../train/start/plan.ts";
import { type Loaded, loadGiven, loadNamed } from "../custom/additions.ts";
import { contentsIn } from "../custom/contents.ts";
import { readJson } from "../folder/runFolder.ts";
import { CommandError, codeOf, fileError } from "../lab/exit.ts";

export interface ConfigFile {
  readonly path: string;
  /** Of the file, without its ending: what its runs are called. */
  readonly name: string;
  /** As given, the preset it names spelled out. */
  readonly input: RunConfigInput;
  /** The files it names beside the fields of a configuration; null without any. */
  readonly loaded: Loaded | null;
  /** Where data lies that it names by its SHA-256. */
  readonly contents: ContentReader;
  /** Where a field was given, such as "configs/a.yaml:4" or "--set groupSize"; null where it was not. */
  whereIs(field: string): string | null;
}

/** Reads a configuration file. Throws a CommandError naming the line. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = await readText(path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, stringKeys: true });
  const [problem] = document.errors;
  if (problem) throw new CommandError(`${path}:${problem.linePos?.[0].line ?? 1}: ${sentenceOf(problem)}`);
  const given = settingsFrom(document, path);
  if (given !== null && !isRecord(given)) throw new CommandError(`${path}:1: must be a map of settings, got ${showValue(given)}`);
  const whereIs = (field: string) => {
    for (let keys = field.split("."); keys.length > 0; keys = keys.slice(0, -1)) {
      const line = lineOf(document.contents, keys, lines);
      if (line !== null) return `${path}:${line}`;
    }
    return null;
  };
  const { input, loaded, brought } = await givenSettings(given ?? {}, path, `${whereIs("preset")}: `);
  const contents = contentsIn([dirname(path)], brought);
  return { path, name: basename(path, extname(path)), input, whereIs, contents, loaded: loaded ?? (await loadedBeside(path)) };
}

/**
 * Settings as a file gives them, on top of the preset that they name, with what they bring.
 * @param from path of the file
 * @param where before a sentence about the preset
 */
export function givenSettings({ preset, ...own }: Readonly<Record<string, unknown>>, from: string, where: string) {
  return loadGiven(merged(preset === undefined ? {} : presetConfig(preset, where), own), from);
}

/** What a parser's message comes to for whoever wrote the file. */
function sentenceOf({ code, message }: YAMLParseError): string {
  if (code === "NON_STRING_KEY") return "a key must be a name, no list or map";
  if (code === "MULTIPLE_DOCS") return "must be one document, without a line of three dashes after settings";
  if (message.includes("call stack")) return "lists and maps must not lie this deep in each other";
  // What follows the colon repeats the text around the place.
  return message.split(/ at line \d+/)[0]!;
}

/** Its settings; aliases are spelled out, as far as they do not multiply without end. */
function settingsFrom(document: Document, path: string): unknown {
  return orThrow(
    () => document.toJS(),
    (error) => new CommandError(`${path}: its aliases (*name) cannot be spelled out: ${errorText(error)}`),
  );
}

/** The files of the run whose folder the file lies in, so that its config.json can be trained again. */
async function loadedBeside(path: string): Promise<Loaded | null> {
  return loadNamed(basename(path) === "config.json" ? await readJson(join(dirname(path), "run.json")).catch(() => null) : null);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fileError("read", path, error);
    const others = await readdir(dirname(path)).catch(() => []);
    const near = nearestName(basename(path), others);
    throw new CommandError(
      `there is no file ${path}${near ? ` (did you mean ${join(dirname(path), near)}?)` : ": give the path of a configuration, such as configs/digit-sum.yaml"}`,
    );
  }
}

/** The line that a key stands on; null where it is not there. */
function lineOf(contents: unknown, keys: readonly string[], lines: LineCounter): number | null {
  let node: unknown = contents;
  let line: number | null = null;
  for (const key of keys) {
    const pair = isMap(node) ? node.items.find((item) => String(item.key) === key) : undefined;
    if (!pair) return null;
    const { range } = pair.key as { readonly range?: readonly number[] | null };
    line = lines.linePos(range?.[0] ?? 0).line;
    node = pair.value;
  }
  return line;
}

function presetConfig(id: unknown, where: string): RunConfigInput {
  const entries = [...catalog.presets, ...templates];
  const entry = entries.find((each) => each.id === id);
  if (entry) return entry.config;
  const known = entries.map((each) => each.id);
  throw new CommandError(`${where}${unknownName("preset", String(id), known)}`);
}

/** The settings of `over` on top; those of records one by one. */
export function merged(under: RunConfigInput, over: Readonly<Record<string, unknown>>): RunConfigInput {
  const records = RECORD_KEYS.flatMap((key) => {
    const below = under[key];
    const above = over[key];
    return isRecord(below) && isRecord(above) ? [[key, { ...below, ...above }]] : [];
  });
  return { ...under, ...over, ...Object.fromEntries(records) };
}

/** A setting given on the command line. */
export interface Setting {
  /** Dotted, such as "taskOptions.length". */
  readonly field: string;
  readonly value: unknown;
  /** The option it came by. */
  readonly option: string;
}

/** What a configuration file may name beside the fields of a configuration. */
const OF_FILES: ReadonlySet<string> = new Set(["preset", "reward", "data", "tools", "callSeconds"]);

/** Reads "key=value"; the value is read as YAML is. */
export function readSetting(word: string): Setting {
  const at = word.indexOf("=");
  const field = word.slice(0, Math.max(0, at)).trim();
  if (field === "") throw new CommandError(`--set must be KEY=VALUE, got ${showValue(word)}`);
  if (OF_FILES.has(field))
    throw new CommandError(`--set ${field}: ${field} stands in a configuration file alone: write "${word.replace("=", ": ")}" there`);
  return { field, value: readYaml(word.slice(at + 1)), option: `--set ${field}` };
}

/** A value as YAML reads it; text that YAML cannot read stays as it is. */
export const readYaml = (text: string): unknown => orElse(() => parse(text), text);

/** The file with settings of the command line on top. */
export function withSettings(file: ConfigFile, settings: readonly Setting[]): ConfigFile {
  settings.forEach(({ field, value, option }, i) => {
    const other = settings.slice(0, i).find((each) => each.field === field && !isSame(each.value, value));
    if (other)
      throw new CommandError(`${field} is given twice, ${showValue(other.value)} by ${other.option} and ${showValue(value)} by ${option}`);
  });
  const input = settings.reduce(
    (config, { field, value }) => withValue(config, field.split("."), value),
    file.input as Record<string, unknown>,
  );
  // A field is wrong by an option for it, for what holds it, or for a part of it.
  const optionOf = (field: string) =>
    [
      (given: string) => given === field,
      (given: string) => field.startsWith(`${given}.`),
      (given: string) => given.startsWith(`${field}.`),
    ].flatMap((isMeant) => settings.find((each) => isMeant(each.field)) ?? [])[0]?.option;
  return { ...file, input, whereIs: (field) => optionOf(field) ?? file.whereIs(field) };
}

function withValue(
  config: Readonly<Record<string, unknown>>,
  [key = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const inner = config[key];
  return { ...config, [key]: rest.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, rest, value) };
}

/** Checks a configuration and plans its run. Throws a CommandError with the line of what is wrong, or where nobody says what is trained. */
export function planFile(file: ConfigFile): RunPlan {
  let plan: RunPlan;
  try {
    plan = planRun({ config: file.input }, file.loaded?.additions);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new CommandError(sentencesOf(error.problems, file), 1, { problems: error.problems });
  }
  if (file.input.task === undefined)
    throw new CommandError(
      `${file.path} must have a task, such as "task: ${plan.config.task}", or a preset or data; rollout-lab schema lists what there is`,
    );
  if (plan.config.kind !== "supervised" || !file.loaded?.isSpeechless) return plan;
  throw new CommandError(
    `${file.whereIs("kind") ?? file.path}: kind must be "reinforcement" where a task of several turns has no speaker, who says what worked conversations say (rollout-lab init task --tools writes one)`,
  );
}

function sentencesOf(problems: readonly Problem[], file: ConfigFile): string {
  return problems.map(({ field, message }) => `${file.whereIs(field) ?? file.path}: ${message}`).join("; ");
}
