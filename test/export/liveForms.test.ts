// Files that are written row by row: after any number of rows they hold exactly those rows, and in the end what an export writes.
import { describe, expect, it } from "vitest";
import { type FileChange, type LoggedRow, liveForms, writtenFiles } from "../../src/export/live/liveForms.ts";
import { formLogger } from "../../src/export/live/metricsLogger.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";

const run = { runId: "run", config: runConfigSchema.parse({}), begun: 1000.5, begunAt: "1970-01-01T00:16:40.500Z" };
const rows: readonly LoggedRow[] = Array.from({ length: 300 }, (_, step) => ({
  step,
  wallTime: 1001 + step,
  // A name that others begin with comes later, as a part of a loss that is turned on does.
  values: {
    loss: step / 7,
    reward: step % 3,
    ...(step > 100 ? { "loss/kl": 1 } : {}),
    ...(step % 10 === 0 ? { "eval/reward": step } : {}),
  },
}));

/** Files in memory as changes leave them. */
function folder() {
  const files = new Map<string, Uint8Array>();
  const change = ({ name, how, bytes }: FileChange) => {
    if (how === "gone") files.delete(name);
    else files.set(name, how === "whole" ? bytes : Uint8Array.from([...(files.get(name) ?? []), ...bytes]));
  };
  return { files, change };
}

describe.each(liveForms.map((form) => [form.name, form] as const))("%s", (_, form) => {
  it("written live is the export of the same rows", () => {
    const { files, change } = folder();
    const logger = formLogger(form, change);
    logger.begin(run);
    for (const row of rows) {
      const { "eval/reward": evaluated, ...measured } = row.values as Record<string, number>;
      logger.log({ ...row, values: measured });
      if (evaluated !== undefined) logger.log({ ...row, values: { "eval/reward": evaluated } });
    }
    logger.end();
    const exported = writtenFiles(form, run, rows);
    expect([...files.keys()].sort()).toEqual([...exported.keys()].sort());
    for (const [name, bytes] of exported) expect(Buffer.compare(files.get(name)!, bytes), name).toBe(0);
  });

  it("is written anew where a run goes on", () => {
    const { files, change } = folder();
    const logger = formLogger(form, change);
    logger.begin(run);
    for (const row of rows.slice(0, 120)) logger.log(row);
    logger.begin(run);
    for (const row of rows) logger.log(row);
    logger.end();
    for (const [name, bytes] of writtenFiles(form, run, rows)) expect(Buffer.compare(files.get(name)!, bytes), name).toBe(0);
  });
});
