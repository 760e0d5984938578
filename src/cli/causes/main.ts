// Trains the short runs of configs/causes and writes down which cause is named first of each. Arguments name runs; without any, all
// are trained and the table is written anew.
import { writeFile } from "node:fs/promises";
import { createNodeHost } from "../nodeHost.ts";
import { type CauseCase, firstOf, namedOf, readCases } from "./cases.ts";

const FOLDER = "configs/causes";
const wanted = process.argv.slice(2);

interface Row {
  readonly id: string;
  readonly cause: string | null;
  readonly named: string | null;
  readonly text: string;
}

async function rowOf(each: CauseCase): Promise<Row> {
  const named = await namedOf(each, createNodeHost);
  const first = firstOf(named);
  const at = each.cause === null && first ? `Step ${first.step}: ` : "";
  return {
    id: each.id,
    cause: each.cause,
    named: first?.found.diagnosis.id ?? null,
    text: first ? `${at}${first.found.evidence}` : `verdict: ${named.at(-1)?.verdict}`,
  };
}

async function rowsOf(table: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const each of await readCases(`${FOLDER}/${table}.yaml`)) {
    if (wanted.length > 0 && !wanted.includes(each.id)) continue;
    const row = await rowOf(each);
    console.log(
      `${row.named === row.cause ? "right" : "WRONG"}  ${row.id}: ${row.named ?? "none"}${row.named === row.cause ? "" : `, not ${row.cause ?? "none"}`}. ${row.text}`,
    );
    rows.push(row);
  }
  return rows;
}

const right = (rows: readonly Row[]) => rows.filter(({ cause, named }) => cause === named).length;
const escaped = (text: string) => text.replaceAll("|", "\\|");

const failing = await rowsOf("failing");
const sound = await rowsOf("sound");
console.log(
  `${right(failing)} of ${failing.length} failing runs have the cause named first, ${sound.length - right(sound)} of ${sound.length} sound ones have any.`,
);
if (wanted.length === 0)
  await writeFile(
    `${FOLDER}/README.md`,
    [
      "# Causes that are named",
      "",
      `Made by \`npm run causes\`, which trains the short runs of \`failing.yaml\` and \`sound.yaml\` and writes down which cause the findings name first. Of ${failing.length} failing runs ${right(failing)} have theirs named first; of ${sound.length} sound ones, judged after every step, ${sound.length - right(sound)} have any.`,
      "",
      "| failing run | cause | named first | evidence |",
      "|---|---|---|---|",
      ...failing.map(
        ({ id, cause, named, text }) =>
          `| ${id} | ${cause} | ${named === cause ? "the same" : `**${named ?? "none"}**`} | ${escaped(text)} |`,
      ),
      "",
      "| sound run | named | |",
      "|---|---|---|",
      ...sound.map(({ id, named, text }) => `| ${id} | ${named ? `**${named}**` : "none"} | ${escaped(text)} |`),
      "",
    ].join("\n"),
  );
process.exit(0);
