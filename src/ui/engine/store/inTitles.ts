// The engine's sentences name fields as scripts and addresses write them ("taskOptions.largestOperand");
// those who read the page know them by their titles. What was typed or quoted stays as it is.
import type { Catalog } from "../../../protocol/catalog.ts";
import { RECORD_KEYS } from "../../../protocol/config/configFacts.ts";
import { choiceTitle } from "../../../protocol/config/fields.ts";
import { runConfigSchema } from "../../../protocol/config.ts";
import { capital } from "../../../protocol/quantities.ts";
import { useEngine } from "./useRunView.ts";

/** A name of a field, dotted or not, as far as it may be one. */
const NAME = /[A-Za-z][\w]*(?:\.[\w]+)*/g;
const QUOTED = /("(?:[^"\\]|\\.)*")/;
/** Places where a plain word such as "steps" is the name of a field and not a word of the sentence. */
const OPENING = /^(?:(?:unknown field|internal:) )?$|(?:; |: )$/;

function titlesOf(catalog: Catalog): ReadonlyMap<string, string> {
  const titles = new Map<string, string>();
  const add = (name: string, title: string) => void (titles.has(name) || titles.set(name, title));
  for (const { key, title } of catalog.fields) add(key, title);
  for (const { id, title, isCustom, fields, rewards } of catalog.tasks) {
    if (isCustom) add(`customTasks.${id}`, title);
    for (const { key, title } of fields) add(`taskOptions.${key}`, title);
    for (const { name, title } of rewards) add(`rewardWeights.${name}`, `Weight of ${title}`);
  }
  for (const key of RECORD_KEYS) add(key, runConfigSchema.shape[key].meta()?.title ?? key);
  return titles;
}

/** A backend's id where something is said of it: "wasm: the asset is missing". */
const BACKEND = /(?<=^|[;:] )[a-z-]+(?=: )/g;

/** A sentence with the titles of the backends that it tells about. */
function withBackends(catalog: Catalog, sentence: string): string {
  const field = catalog.fields.find(({ key }) => key === "backend");
  return sentence.replaceAll(BACKEND, (id) => (field?.choices?.includes(id) ? choiceTitle(field, id) : id));
}

/** A sentence with the titles of the fields and backends that it names. */
export function inTitles(catalog: Catalog | null, sentence: string): string {
  if (!catalog) return sentence;
  const titles = titlesOf(catalog);
  return withBackends(catalog, sentence)
    .split(QUOTED)
    .map((part, index, parts) =>
      index % 2 === 1
        ? part
        : part.replaceAll(NAME, (name, at: number) => {
            // One word alone is a name only where sentences begin with one.
            const isName = /[.A-Z]/.test(name.slice(1)) || OPENING.test(parts.slice(0, index).join("") + part.slice(0, at));
            return (isName && titles.get(name)) || name;
          }),
    )
    .join("");
}

/** The title of a reward part, a task's or one of the library; its name in words where neither has it. */
export function rewardTitle(catalog: Catalog | null, name: string): string {
  const ofTasks = catalog?.tasks.flatMap(({ rewards }) => rewards) ?? [];
  const known = [...ofTasks, ...(catalog?.rewardRules ?? [])].find((reward) => reward.name === name);
  if (known) return known.title;
  const words = name.replace(/([a-z])([A-Z])/g, (_, end: string, next: string) => `${end} ${next.toLowerCase()}`);
  return capital(words);
}

/** The same with the page's catalog. */
export function useRewardTitle(): (name: string) => string {
  const catalog = useEngine((facts) => facts.catalog);
  return (name) => rewardTitle(catalog, name);
}
