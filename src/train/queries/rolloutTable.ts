// The table of a run's rollouts: read step by step when it is first asked, kept as columns, and asked again without reading. Texts stay
// where they are, so what looks at them reads the steps once more; regular expressions are somebody's own and run in the sandbox.
import type { CommandOf } from "../../protocol/commands.ts";
import type { EventBody, StepGroups } from "../../protocol/messages.ts";
import { errorText } from "../../protocol/problems.ts";
import type { TableAnswer, TableQuery } from "../../protocol/rollouts/rolloutTable.ts";
import type { Sandbox, SandboxJob } from "../../rl/sandbox/jobs.ts";
import { RolloutTable } from "../../rl/table/rolloutTable.ts";
import { isOnText, queryTable, type TextCondition } from "../../rl/table/tableQuery.ts";

/** What has rollouts to be asked for. */
interface Inspected {
  inspect(step: number): StepGroups | Promise<StepGroups>;
}

type Request = Pick<CommandOf<"table">, "steps" | "query">;

interface Held {
  readonly from: Inspected;
  readonly steps: number[];
  /** Those of them that could be read, in the order of the rows. */
  readonly read: { readonly step: number; readonly rows: number }[];
  readonly table: RolloutTable;
  /** Of each condition on texts that was asked, by its JSON. */
  readonly textRows: Map<string, Uint8Array>;
  unread: TableAnswer["unread"];
}

/** Steps after which others may have their turn, and how far it is, is told. */
const PER_TURN = 8;
/** What a regular expression may take for one answer, in milliseconds of a usual machine. */
const WORK_MS = 20;

const MATCH: Pick<SandboxJob, "source" | "entry"> = {
  source: "export const matches = (text, { options }) => (new RegExp(options.pattern, 'su').test(text) ? 1 : 0);",
  entry: "matches",
};

async function readSteps(held: Held, steps: readonly number[], onProgress: (done: number) => void): Promise<void> {
  for (const [done, step] of steps.entries()) {
    if (done % PER_TURN === 0) onProgress(done);
    held.steps.push(step);
    try {
      const { groups } = await held.from.inspect(step);
      const before = held.table.size;
      for (const group of groups) held.table.add(group);
      held.read.push({ step, rows: held.table.size - before });
    } catch (error) {
      held.unread = { count: (held.unread?.count ?? 0) + 1, why: held.unread?.why ?? errorText(error) };
    }
  }
}

/** Which of these texts meet a condition. Rejects with a sentence where its regular expression is none, or takes too long. */
async function meets(condition: TextCondition, texts: readonly string[], sandbox: Sandbox | undefined): Promise<readonly boolean[]> {
  if (condition.is === "with-text") {
    const wanted = condition.text.toLowerCase();
    return texts.map((text) => text.toLowerCase().includes(wanted));
  }
  if (!sandbox) throw new Error("there is no sandbox here to run a regular expression in");
  const job = { ...MATCH, options: { pattern: condition.pattern }, workMs: WORK_MS };
  const answers = await sandbox.run({ job, inputs: texts.map((text) => ({ value: JSON.stringify(text), seed: 0 })) });
  return answers.map((answer) => {
    if (typeof answer === "object" && answer !== null)
      throw new Error(
        `pattern must be a regular expression that comes to an end, got ${JSON.stringify(condition.pattern)}: ${answer.reason}`,
      );
    return answer === 1;
  });
}

/** Answers questions to the table of whatever run is asked about, and keeps the last one's. */
export function tableReader(send: (event: EventBody) => void, sandbox: Sandbox | undefined) {
  let held: Held | null = null;

  async function textRowsOf(of: Held, condition: TextCondition): Promise<Uint8Array> {
    const key = JSON.stringify(condition);
    const known = of.textRows.get(key);
    if (known && known.length === of.table.size) return known;
    const rows = new Uint8Array(of.table.size);
    let row = 0;
    for (const [done, { step, rows: count }] of of.read.entries()) {
      if (done % PER_TURN === 0) send({ type: "asking", done, total: of.read.length });
      // A run that goes on may have let go of a step since: nothing of it is found.
      const groups = await Promise.resolve(of.from.inspect(step)).then(
        (found) => found.groups,
        () => [],
      );
      const texts = groups.flatMap(({ trajectories }) => trajectories.map(({ text }) => text));
      for (const [at, isMet] of (await meets(condition, texts, sandbox)).entries()) rows[row + at] = isMet ? 1 : 0;
      row += count;
    }
    of.textRows.set(key, rows);
    return rows;
  }

  async function heldFor(from: Inspected, steps: readonly number[]): Promise<Held> {
    const isSame = held?.from === from && held.steps.every((step, i) => steps[i] === step);
    const now: Held = held && isSame ? held : { from, steps: [], read: [], table: new RolloutTable(), textRows: new Map(), unread: null };
    held = now;
    const missing = steps.slice(now.steps.length);
    await readSteps(now, missing, (done) => send({ type: "asking", done, total: missing.length }));
    return now;
  }

  /** One question after another: a second one may need the steps that the first is reading. */
  let before: Promise<unknown> = Promise.resolve();
  return (from: Inspected, { steps, query }: Request): Promise<TableAnswer> => {
    const answered = before.then(async () => {
      const now = await heldFor(from, steps);
      return { ...(await asked(now, query)), unread: now.unread };
    });
    before = answered.catch(() => {});
    return answered;
  };

  async function asked(now: Held, query: TableQuery) {
    const textRows: Uint8Array[] = [];
    for (const condition of query.where.filter(isOnText)) textRows.push(await textRowsOf(now, condition));
    return queryTable(now.table, query, textRows);
  }
}
