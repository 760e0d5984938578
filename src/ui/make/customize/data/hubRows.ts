// A data set of the Hugging Face hub through its rows service: which parts it has, and the rows of one, page by page. Plain
// requests without a key; what is private or has no such service is said in a sentence.
import { jsonText, readJson } from "../../../../protocol/custom/exactJson.ts";
import { isRecord, showValue } from "../../../../protocol/problems.ts";

/** How requests are sent, and to whom. */
export interface RowsAccess {
  fetch(url: string): Promise<Response>;
  sleep(ms: number): Promise<void>;
  readonly base: string;
}

/** A part of a data set. */
export interface HubSplit {
  readonly config: string;
  readonly split: string;
}

const NAME = /^[A-Za-z0-9][\w.-]{0,95}(\/[A-Za-z0-9][\w.-]{0,95})?$/;
const PAGE = 100;
const TRIES = 4;

/** The JSON of an answer. Throws a sentence. */
async function asked(access: RowsAccess, path: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  for (let attempt = 1; ; attempt++) {
    let response: Response;
    try {
      response = await access.fetch(`${access.base}/${path}`);
    } catch {
      throw new Error("the hub's rows service cannot be reached from here: bring the data set as a file");
    }
    if (response.status === 429 || response.status >= 500) {
      if (attempt === TRIES)
        throw new Error(`the hub's rows service answers ${response.status} for ${name}: try again later, or bring a file`);
      await access.sleep(500 * 2 ** attempt);
      continue;
    }
    const body: unknown = await response
      .text()
      .then(readJson)
      .catch(() => null);
    if (response.ok && isRecord(body)) return body;
    const why = isRecord(body) && typeof body.error === "string" ? `: ${body.error.slice(0, 200)}` : "";
    if (response.status === 401 || response.status === 403 || response.status === 404)
      throw new Error(`${name} is not there, or not open to everybody${why}`);
    throw new Error(`the hub's rows service cannot show ${name} (${response.status})${why}`);
  }
}

/** The parts of a data set. Throws a sentence. @param name such as openai/gsm8k. */
export async function hubSplits(access: RowsAccess, name: string): Promise<readonly HubSplit[]> {
  if (!NAME.test(name)) throw new Error(`the data set must be named OWNER/NAME, got ${showValue(name)}`);
  const { splits } = await asked(access, `splits?dataset=${encodeURIComponent(name)}`, name);
  const found = (Array.isArray(splits) ? splits : []).flatMap((each: unknown) =>
    isRecord(each) && typeof each.config === "string" && typeof each.split === "string" ? [{ config: each.config, split: each.split }] : [],
  );
  if (found.length === 0) throw new Error(`${name} has no part that can be shown`);
  return found;
}

/** The first rows of a part, at most so many, as JSON that says their numbers as the service does. Throws a sentence. */
export async function hubRows(
  access: RowsAccess,
  name: string,
  { config, split }: HubSplit,
  most: number,
  onRows: (count: number) => void,
): Promise<readonly string[]> {
  const all: string[] = [];
  const of = `dataset=${encodeURIComponent(name)}&config=${encodeURIComponent(config)}&split=${encodeURIComponent(split)}`;
  for (;;) {
    const { rows, num_rows_total: total } = await asked(
      access,
      `rows?${of}&offset=${all.length}&length=${Math.min(PAGE, most - all.length)}`,
      name,
    );
    const page = (Array.isArray(rows) ? rows : []).flatMap((each: unknown) =>
      isRecord(each) && isRecord(each.row) ? [jsonText(each.row)] : [],
    );
    all.push(...page.slice(0, most - all.length));
    onRows(all.length);
    if (page.length === 0 && typeof total === "number" && all.length < Math.min(most, total))
      throw new Error(`the hub's rows service ended after ${all.length} of ${total} rows of ${name}: try again later, or bring a file`);
    if (page.length === 0 || all.length >= most || (typeof total === "number" && all.length >= total)) return all;
  }
}
