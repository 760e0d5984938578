// Trains the short runs of configs/causes and writes down which cause is named first of each. Arguments name runs, whose rows are made
// anew; without any, all are.
import { readFile, writeFile } from "node:fs/promises";
import { createNodeHost } from "../nodeHost.ts";
import { type CauseCase, firstOf, namedOf, readCases } from "./cases.ts";

const FOLDER = "configs/causes";
const KEPT = `${FOLDER}/named.json`;

interface Row {
  readonly id: string;
  /** That must be named first; null where none may be. */
  readonly cause: string | null;
  readonly named: string | null;
  /** The evidence, or the verdict where nothing is named. */
  readonly text: string;
}

async function rowOf(each: CauseCase): Promise<Row> {
  const named = await namedOf(each, createNodeHost);
  const first = firstOf(named);
  const at = each.cause === null && first ? `Step ${first.step}: ` : "";
  const text = first ? `${at}${first.found.evidence}` : `verdict: ${named.at(-1)?.verdict}`;
  return { id: each.id, cause: each.cause, named: first?.found.diagnosis.id ?? null, text };
}

const isRight = ({ cause, named }: Row): boolean => cause === named;

/** The rows of all cases in their order: those that are wanted trained anew, the others as they were kept. */
async function rowsOf(cases: readonly CauseCase[], kept: readonly Row[], wanted: readonly string[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const each of cases) {
    const before = kept.find(({ id }) => id === each.id);
    const isWanted = wanted.length === 0 || wanted.includes(each.id);
    const row = isWanted ? await rowOf(each) : before;
    if (!row) continue;
    if (isWanted) console.log(`${isRight(row) ? "right" : "WRONG"}  ${row.id}: ${row.named ?? "none"}. ${row.text}`);
    rows.push(row);
  }
  return rows;
}

const cell = (text: string) => text.replaceAll("|", "\\|");

function tableOf(rows: readonly Row[]): string {
  const failing = rows.filter(({ cause }) => cause !== null);
  const sound = rows.filter(({ cause }) => cause === null);
  const right = failing.filter(isRight).length;
  const blamed = sound.length - sound.filter(isRight).length;
  return [
    "# Causes that are named",
    "",
    `Made by \`npm run causes\`, which trains the short runs of \`failing.yaml\` and \`sound.yaml\` and writes down which cause the findings name first. Of ${failing.length} failing runs ${right} have theirs named first; of ${sound.length} sound ones, judged after every step, ${blamed} have any.`,
    "",
    "| failing run | cause | named first | evidence |",
    "|---|---|---|---|",
    ...failing.map(
      (row) => `| ${row.id} | ${row.cause} | ${isRight(row) ? "the same" : `**${row.named ?? "none"}**`} | ${cell(row.text)} |`,
    ),
    "",
    "| sound run | named | |",
    "|---|---|---|",
    ...sound.map(({ id, named, text }) => `| ${id} | ${named ? `**${named}**` : "none"} | ${cell(text)} |`),
    "",
  ].join("\n");
}

const wanted = process.argv.slice(2);
const cases = [...(await readCases(`${FOLDER}/failing.yaml`)), ...(await readCases(`${FOLDER}/sound.yaml`))];
const unknown = wanted.filter((name) => !cases.some(({ id }) => id === name));
if (unknown.length > 0) throw new Error(`there is no run ${unknown.join(", ")} in ${FOLDER}`);
const kept = JSON.parse(await readFile(KEPT, "utf8").catch(() => "[]")) as readonly Row[];
const rows = await rowsOf(cases, kept, wanted);
await writeFile(KEPT, `${JSON.stringify(rows, null, 2)}\n`);
await writeFile(`${FOLDER}/README.md`, tableOf(rows));
console.log(`${rows.filter(isRight).length} of ${rows.length} runs are right.`);
process.exit(0);
