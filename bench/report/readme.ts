// Puts the newest results into the README, between two marks, so that no figure there is typed by hand.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchResult } from "./result.ts";
import { summary } from "./summary.ts";

export const OPEN_MARK = "<!-- bench -->";
export const CLOSE_MARK = "<!-- /bench -->";

/** The text with everything between the marks replaced. Throws where a mark is missing or twice there. */
export function replaceBlock(text: string, block: string): string {
  for (const mark of [OPEN_MARK, CLOSE_MARK]) {
    const found = text.split(mark).length - 1;
    if (found !== 1) throw new Error(`the text must hold ${mark} once, found ${found}`);
  }
  const open = text.indexOf(OPEN_MARK) + OPEN_MARK.length;
  const close = text.indexOf(CLOSE_MARK);
  if (close < open) throw new Error(`${CLOSE_MARK} must come after ${OPEN_MARK}`);
  return `${text.slice(0, open)}\n\n${block}\n\n${text.slice(close)}`;
}

/** Result files of a folder, newest measurement first. */
export async function readResults(folder: string): Promise<readonly { readonly file: string; readonly result: BenchResult }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const results = await Promise.all(
    names.map(async (file) => ({ file, result: JSON.parse(await readFile(join(folder, file), "utf8")) as BenchResult })),
  );
  return results.toSorted((a, b) => b.result.measuredAt.localeCompare(a.result.measuredAt));
}

/** The block that the newest file in `folder` makes, and that file's name. */
export async function newestBlock(folder: string): Promise<{ readonly file: string; readonly block: string }> {
  const newest = (await readResults(folder))[0];
  if (!newest) throw new Error(`${folder} holds no results; run npm run bench -- --out first`);
  const tables = newest.file.replace(/\.json$/, ".md");
  const source = `Every peer and size: [${tables}](bench/results/${tables}), written by \`npm run bench\` as this block is.`;
  return { file: newest.file, block: `${summary(newest.result)}\n\n${source}` };
}

/** Rewrites the block of `readme` from the newest file in `folder`; returns that file's name. */
export async function writeReadme(readme: string, folder: string): Promise<string> {
  const { file, block } = await newestBlock(folder);
  await writeFile(readme, replaceBlock(await readFile(readme, "utf8"), block));
  return file;
}
